import type { Http2Stream } from './stream.ts';

const FEWEST_SLOTS = 64;

/**
 * Open streams by number, in a table of open addressing: numbers come in order and go soon, which is what keeps such a table
 * short of collisions. (Why not a `Map`: see `LiveList`.)
 */
export class OpenStreams<Owner> {
  #slots: (Http2Stream<Owner> | undefined)[] = new Array<Http2Stream<Owner> | undefined>(FEWEST_SLOTS).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): Http2Stream<Owner> | undefined {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let at = (id >>> 1) & mask; ; at = (at + 1) & mask) {
      const stream = slots[at];
      if (stream === undefined || stream.id === id) return stream;
    }
  }

  /** @param stream one whose number is not there yet */
  add(stream: Http2Stream<Owner>): void {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    this.#place(stream);
    this.#size += 1;
  }

  /** @returns false when it is not there */
  remove(stream: Http2Stream<Owner>): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let gap = (stream.id >>> 1) & mask;
    while (slots[gap] !== stream) {
      if (slots[gap] === undefined) return false;
      gap = (gap + 1) & mask;
    }
    // Whoever could stand nearer to home moves into the gap, so that no search ends too early.
    for (let at = (gap + 1) & mask; ; at = (at + 1) & mask) {
      const next = slots[at];
      if (next === undefined) break;
      const home = (next.id >>> 1) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      slots[gap] = next;
      gap = at;
    }
    slots[gap] = undefined;
    this.#size -= 1;
    return true;
  }

  /** All of them, in no order. */
  all(): Http2Stream<Owner>[] {
    return this.#slots.filter((stream) => stream !== undefined);
  }

  #place(stream: Http2Stream<Owner>): void {
    const mask = this.#slots.length - 1;
    let at = (stream.id >>> 1) & mask;
    while (this.#slots[at] !== undefined) at = (at + 1) & mask;
    this.#slots[at] = stream;
  }

  #grow(): void {
    const streams = this.all();
    this.#slots = new Array<Http2Stream<Owner> | undefined>(this.#slots.length * 2).fill(undefined);
    for (const stream of streams) this.#place(stream);
  }
}
