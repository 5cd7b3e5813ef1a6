/** Why a stream that is gone was closed, which decides how late frames on it are answered (RFC 9113 §5.1). */
export type ClosedBy = 'end' | 'peer-reset' | 'our-reset';

const REMEMBERED = 512;

/** Remembers the streams that were closed last. Frames that race with a close come soon after it, so few are enough. */
export class ClosedStreams {
  readonly #reasons = new Map<number, ClosedBy>();

  get(id: number): ClosedBy | undefined {
    return this.#reasons.get(id);
  }

  add(id: number, by: ClosedBy): void {
    this.#reasons.set(id, by);
    if (this.#reasons.size <= REMEMBERED) return;
    const [oldest] = this.#reasons.keys();
    if (oldest !== undefined) this.#reasons.delete(oldest);
  }
}
