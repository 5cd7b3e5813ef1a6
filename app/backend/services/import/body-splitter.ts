/** Where the two kinds of bytes of a body go. */
export interface BodySink {
  payload(bytes: Buffer): void;
  framing(bytes: Buffer): void;
}

const LINE_FEED = 0x0a;

/**
 * Tells payload from transfer framing in a chunked body that was recorded whole (RFC 9112 §7.1), in pieces of any size. It
 * was checked when it was captured; what cannot be read here is framing.
 */
export class BodySplitter {
  readonly #sink: BodySink;
  #state: 'size' | 'data' | 'data-end' | 'rest' = 'size';
  #line = '';
  #left = 0;

  constructor(sink: BodySink) {
    this.#sink = sink;
  }

  receive(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#state === 'rest') {
        this.#sink.framing(bytes.subarray(at));
        return;
      }
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#left);
        this.#sink.payload(bytes.subarray(at, end));
        this.#left -= end - at;
        if (this.#left === 0) this.#state = 'data-end';
        at = end;
        continue;
      }
      const found = bytes.indexOf(LINE_FEED, at);
      const end = found < 0 ? bytes.length : found + 1;
      this.#line += bytes.toString('latin1', at, end);
      this.#sink.framing(bytes.subarray(at, end));
      at = end;
      if (found >= 0) this.#endLine();
    }
  }

  #endLine(): void {
    const size = Number.parseInt(this.#line, 16);
    if (this.#state === 'data-end') this.#state = 'size';
    else if (Number.isSafeInteger(size) && size > 0) {
      this.#left = size;
      this.#state = 'data';
    } else this.#state = 'rest';
    this.#line = '';
  }
}
