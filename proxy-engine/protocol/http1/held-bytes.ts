const EMPTY = Buffer.alloc(0);
const SMALLEST_CAPACITY = 1024;

/** Bytes of a section that came in several segments, put together; growing doubles, so that a dripping peer stays cheap. */
export class HeldBytes {
  #store = EMPTY;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What is held, borrowed until the next `append` or `clear`. */
  get bytes(): Buffer {
    return this.#store.subarray(0, this.#length);
  }

  /** Appends the bytes from `start` up to `end`. */
  append(bytes: Buffer, start: number, end: number): void {
    const needed = this.#length + end - start;
    if (needed > this.#store.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, SMALLEST_CAPACITY, this.#store.length * 2));
      this.#store.copy(grown, 0, 0, this.#length);
      this.#store = grown;
    }
    bytes.copy(this.#store, this.#length, start, end);
    this.#length = needed;
  }

  /** Gives the first `length` bytes away for good and holds nothing any more. */
  take(length: number): Buffer {
    const taken = this.#store.subarray(0, length);
    this.clear();
    return taken;
  }

  clear(): void {
    this.#store = EMPTY;
    this.#length = 0;
  }
}
