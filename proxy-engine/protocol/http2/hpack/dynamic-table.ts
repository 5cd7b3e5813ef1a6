import type { HeaderEntry } from './header-entry.ts';

/**
 * The dynamic table of one direction: a ring of entries, newest first, evicted from its old end (RFC 7541 §2.3.2, §4).
 */
export class DynamicTable {
  #ring: (HeaderEntry | undefined)[] = new Array<HeaderEntry | undefined>(64);
  /** Slot of the newest entry. */
  #newest = -1;
  #count = 0;
  #size = 0;
  #capacity: number;
  #inserted = 0;
  #changes = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get count(): number {
    return this.#count;
  }

  /** Octets in use (RFC 7541 §4.1). */
  get size(): number {
    return this.#size;
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** Entries ever added; with `count` it gives each entry a name that stays the same while it lives. */
  get inserted(): number {
    return this.#inserted;
  }

  /** Changes with whatever changes the table. */
  get changes(): number {
    return this.#changes;
  }

  /** Entry by age: 0 is the newest. */
  get(age: number): HeaderEntry | undefined {
    if (age < 0 || age >= this.#count) return undefined;
    return this.#ring[(this.#newest - age + this.#ring.length) % this.#ring.length];
  }

  /** Adds an entry, evicting what no longer fits; one larger than the table empties it (RFC 7541 §4.4). */
  add(entry: HeaderEntry): void {
    this.#changes += 1;
    this.#evictTo(this.#capacity - entry.size);
    if (entry.size > this.#capacity) return;
    if (this.#count === this.#ring.length) this.#grow();
    this.#newest = (this.#newest + 1) % this.#ring.length;
    this.#ring[this.#newest] = entry;
    this.#count += 1;
    this.#size += entry.size;
    this.#inserted += 1;
  }

  /** @param capacity octets, already checked against the limit that was agreed on (RFC 7541 §4.3) */
  resize(capacity: number): void {
    this.#changes += 1;
    this.#capacity = capacity;
    this.#evictTo(capacity);
  }

  #evictTo(limit: number): void {
    while (this.#size > limit && this.#count > 0) {
      const slot = (this.#newest - this.#count + 1 + this.#ring.length) % this.#ring.length;
      this.#size -= this.#ring[slot]?.size ?? 0;
      this.#ring[slot] = undefined;
      this.#count -= 1;
    }
  }

  #grow(): void {
    const larger = new Array<HeaderEntry | undefined>(this.#ring.length * 2);
    for (let age = 0; age < this.#count; age += 1) larger[this.#count - 1 - age] = this.get(age);
    this.#newest = this.#count - 1;
    this.#ring = larger;
  }
}
