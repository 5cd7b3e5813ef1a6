const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const NOTHING = Buffer.alloc(0);

/** Finds the end of each HTTP/1 response of a connection; bodies have a length or are chunked. */
export class ResponseEnds {
  /** The response that ended last was not a 200. */
  failed = false;
  #head: Buffer | null = null;
  #missing = 0;
  #chunked = false;
  #tail = NOTHING;

  /** @returns whether the response that is under way ends with these bytes */
  read(chunk: Buffer): boolean {
    if (this.#chunked) return this.#readChunked(chunk);
    if (this.#missing > 0) {
      this.#missing -= chunk.length;
      return this.#missing <= 0;
    }
    const bytes = this.#head === null ? chunk : Buffer.concat([this.#head, chunk]);
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) {
      this.#head = bytes;
      return false;
    }
    this.#head = null;
    const head = bytes.toString('latin1', 0, end + 2);
    this.failed = !/^HTTP\/1\.[01] 200/.test(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const body = bytes.subarray(end + HEAD_END.length);
    if (length === undefined) {
      this.#chunked = true;
      return this.#readChunked(body);
    }
    this.#missing = Number(length) - body.length;
    return this.#missing <= 0;
  }

  /** The origin's chunks never end in a way that looks like the last one. */
  #readChunked(chunk: Buffer): boolean {
    const tail = Buffer.concat([this.#tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
    const ends = tail.equals(LAST_CHUNK);
    this.#tail = ends ? NOTHING : tail;
    this.#chunked = !ends;
    return ends;
  }
}
