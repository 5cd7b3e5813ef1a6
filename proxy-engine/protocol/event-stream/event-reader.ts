import { Utf8Checker } from '../../base/utf8-checker.ts';

/** Longest event that is put together; of a longer one the beginning is kept. */
const LONGEST_EVENT_BYTES = 16_777_216;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
const NEW_LINE = Buffer.from('\n');

/** One block of an event stream: what stands between two empty lines. */
export interface StreamEvent {
  /** A block without data is no event (it keeps the connection open, or sets an id): its comments are its text then. */
  readonly kind: 'event' | 'comment';
  /** Values of its `data` lines joined by line feeds, UTF-8 as received. */
  readonly data: Buffer;
  /** Null: `message`. */
  readonly name: string | null;
  readonly id: string | null;
  /** Milliseconds. */
  readonly retry: number | null;
  /** Bytes of the block with the empty line that ends it. */
  readonly wireBytes: number;
  /** The stream ended inside of it, or it was longer than 16 MiB. */
  readonly cut: boolean;
  readonly isUtf8: boolean;
}

/**
 * Splits an event stream into events. Lines end in CR, LF or CRLF, also mixed; pieces may be split anywhere, within a line end
 * or a character too.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventReader {
  readonly #utf8 = new Utf8Checker();
  #markBytes = 0;
  #isAtStart = true;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #isAfterReturn = false;
  #block = new Block();

  receive(bytes: Buffer, tell: (event: StreamEvent) => void): void {
    let at = this.#isAtStart ? this.#skipMark(bytes) : 0;
    let lineStart = at;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
        this.#isAfterReturn = false;
        continue;
      }
      if (byte === LINE_FEED && this.#isAfterReturn) {
        this.#isAfterReturn = false;
        this.#block.wireBytes += 1;
        lineStart = at + 1;
        continue;
      }
      this.#isAfterReturn = byte === CARRIAGE_RETURN;
      this.#addToLine(bytes, lineStart, at);
      this.#block.wireBytes += this.#lineBytes + 1;
      this.#endLine(tell);
      lineStart = at + 1;
    }
    this.#addToLine(bytes, lineStart, bytes.length);
  }

  receiveEof(tell: (event: StreamEvent) => void): void {
    this.#block.wireBytes += this.#lineBytes;
    if (this.#lineBytes > 0) this.#block.add(this.#takeLine());
    this.#block.cut = true;
    if (!this.#block.isEmpty) tell(this.#block.finish(this.#utf8));
    this.#block = new Block();
  }

  /** One byte order mark at the very beginning is no content. */
  #skipMark(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#markBytes < BYTE_ORDER_MARK.length) {
      if (bytes[at] !== BYTE_ORDER_MARK[this.#markBytes]) {
        // What looked like a mark is the beginning of the first line.
        if (this.#markBytes > 0) {
          this.#line.push(Buffer.from(BYTE_ORDER_MARK.slice(0, this.#markBytes)));
          this.#lineBytes += this.#markBytes;
        }
        this.#isAtStart = false;
        return at;
      }
      this.#markBytes += 1;
      at += 1;
    }
    if (this.#markBytes === BYTE_ORDER_MARK.length) {
      this.#isAtStart = false;
      this.#block.wireBytes += this.#markBytes;
    }
    return at;
  }

  #addToLine(bytes: Buffer, start: number, end: number): void {
    if (end <= start) return;
    const kept = Math.min(end, start + Math.max(0, LONGEST_EVENT_BYTES - this.#keptBytes));
    if (kept < end) this.#block.cut = true;
    // A copy: what was received is borrowed.
    if (kept > start) this.#line.push(Buffer.from(bytes.subarray(start, kept)));
    this.#lineBytes += end - start;
  }

  get #keptBytes(): number {
    return this.#block.bytes + this.#lineBytes;
  }

  #endLine(tell: (event: StreamEvent) => void): void {
    if (this.#lineBytes > 0) {
      this.#block.add(this.#takeLine());
      return;
    }
    const block = this.#block;
    this.#block = new Block();
    if (!block.isEmpty) tell(block.finish(this.#utf8));
  }

  #takeLine(): Buffer {
    const [only] = this.#line;
    const line = this.#line.length === 1 && only !== undefined ? only : Buffer.concat(this.#line);
    this.#line = [];
    this.#lineBytes = 0;
    return line;
  }
}

/** The lines of one event. */
class Block {
  wireBytes = 0;
  bytes = 0;
  cut = false;
  readonly #data: Buffer[] = [];
  readonly #comments: Buffer[] = [];
  #name: string | null = null;
  #id: string | null = null;
  #retry: number | null = null;
  #lines = 0;

  get isEmpty(): boolean {
    return this.#lines === 0;
  }

  add(line: Buffer): void {
    this.#lines += 1;
    this.bytes += line.length;
    const colon = line.indexOf(COLON);
    const field = (colon < 0 ? line : line.subarray(0, colon)).toString('latin1');
    const skipped = colon >= 0 && line[colon + 1] === SPACE ? 2 : 1;
    const value = colon < 0 ? Buffer.alloc(0) : line.subarray(colon + skipped);
    switch (field) {
      case '':
        this.#comments.push(value);
        break;
      case 'data':
        this.#data.push(value);
        break;
      case 'event':
        this.#name = value.toString('utf8');
        break;
      case 'id':
        if (!value.includes(0)) this.#id = value.toString('utf8');
        break;
      case 'retry': {
        const text = value.toString('latin1');
        if (/^\d{1,15}$/.test(text)) this.#retry = Number(text);
        break;
      }
    }
  }

  finish(utf8: Utf8Checker): StreamEvent {
    const isEvent = this.#data.length > 0;
    const data = joinLines(isEvent ? this.#data : this.#comments);
    utf8.reset();
    return {
      kind: isEvent ? 'event' : 'comment',
      data,
      name: this.#name === '' ? null : this.#name,
      id: this.#id,
      retry: this.#retry,
      wireBytes: this.wireBytes,
      cut: this.cut,
      isUtf8: utf8.check(data) && (utf8.isComplete || this.cut),
    };
  }
}

function joinLines(lines: readonly Buffer[]): Buffer {
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return only;
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [NEW_LINE, line])));
}
