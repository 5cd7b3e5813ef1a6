/** A small seeded generator (mulberry32), so that a fuzz run can be repeated by its seed. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to, not including, `bound`. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * bound) | 0;
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** Cuts bytes into segments at random points. */
  segments(bytes: Buffer): Buffer[] {
    const cuts = Array.from({ length: this.below(6) }, () => this.below(bytes.length + 1)).sort((a, b) => a - b);
    return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
  }

  /** Flips, inserts, removes or repeats a few bytes. */
  mutate(text: string): string {
    let mutated = text;
    for (let times = this.below(4); times > 0; times--) {
      const at = this.below(mutated.length + 1);
      const rest = mutated.slice(at);
      const before = mutated.slice(0, at);
      switch (this.below(4)) {
        case 0:
          mutated = before + String.fromCharCode(this.below(256)) + rest.slice(1);
          break;
        case 1:
          mutated =
            before + this.pick(['\r', '\n', '\0', ' ', '\t', ':', ',', ';', '0', '\x80', '\r\n', '\r\n\r\n']) + rest;
          break;
        case 2:
          mutated = before + rest.slice(1 + this.below(3));
          break;
        default:
          mutated = before + rest.slice(0, this.below(20)) + rest;
      }
    }
    return mutated;
  }
}
