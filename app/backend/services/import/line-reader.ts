/** A line holds at most one window of a body in base64, or the heads of one exchange. */
const MOST_LINE_BYTES = 4_194_304;
const LINE_FEED = 0x0a;

/** Lines of UTF-8 in bytes that come in pieces of any size. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** @returns false when a line is longer than 4 MiB: nothing more can be read then */
  receive(bytes: Buffer): boolean {
    let at = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, at)) {
      this.#parts.push(bytes.subarray(at, end));
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#bytes = 0;
      at = end + 1;
      this.#onLine(line);
    }
    this.#bytes += bytes.length - at;
    if (at < bytes.length) this.#parts.push(Buffer.from(bytes.subarray(at)));
    return this.#bytes <= MOST_LINE_BYTES;
  }
}
