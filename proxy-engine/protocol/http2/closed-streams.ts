/** Why a stream that is gone was closed, which decides how late frames on it are answered (RFC 9113 §5.1). */
export type ClosedBy = 'end' | 'peer-reset' | 'our-reset';

const REMEMBERED = 512;

/**
 * Remembers the streams that were closed last. Frames that race with a close come soon after it, so few are enough; each
 * stream is added and hardly ever one is looked for, so that adding is what has to be cheap.
 */
export class ClosedStreams {
  readonly #ids: number[] = [];
  readonly #reasons: ClosedBy[] = [];
  #next = 0;

  get(id: number): ClosedBy | undefined {
    // The latest word on a stream counts.
    for (let back = 1; back <= this.#ids.length; back += 1) {
      const at = (this.#next - back + this.#ids.length) % this.#ids.length;
      if (this.#ids[at] === id) return this.#reasons[at];
    }
    return undefined;
  }

  add(id: number, by: ClosedBy): void {
    this.#ids[this.#next] = id;
    this.#reasons[this.#next] = by;
    this.#next = (this.#next + 1) % REMEMBERED;
  }
}
