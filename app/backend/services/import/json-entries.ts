/** Why a file could not be read on. */
export class ImportSyntaxError extends Error {
  override readonly name = 'ImportSyntaxError';
}

/** An entry whose text is longer than this is left out, bytes: what is parsed must fit into memory. */
const MOST_ENTRY_BYTES = 268_435_456;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x3a]);
/** Depth of the entries: `{"log":{"entries":[` is open around each. */
const ENTRY_DEPTH = 3;
const NAMES: readonly string[] = ['log', 'entries'];

/** What the splitter hands over: the text of an entry, or that one was too long. */
export interface EntrySink {
  entry(text: string): void;
  tooLong(): void;
}

/**
 * Finds the entries of a HAR file, `log.entries`, in bytes that come in pieces of any size, and holds no more than one entry.
 * What stands between is only looked at as far as needed to find them, so that odd files are read too.
 */
export class JsonEntries {
  readonly #sink: EntrySink;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The latest string outside of entries, short ones only: a name when a value follows. */
  #name = '';
  readonly #path: string[] = [];
  #collecting = false;
  #parts: Buffer[] = [];
  #bytes = 0;
  #begun = false;
  #foundEntries = false;

  constructor(sink: EntrySink) {
    this.#sink = sink;
  }

  /** Whether `log.entries` was begun. */
  get foundEntries(): boolean {
    return this.#foundEntries;
  }

  /** Whether the text ended in the middle. */
  get isCut(): boolean {
    return this.#depth > 0;
  }

  /** @throws ImportSyntaxError when this is no JSON object */
  receive(bytes: Buffer): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#inString) {
        const end = this.#skipString(bytes, at);
        if (!this.#collecting && this.#name.length < 64)
          this.#name += bytes.toString('utf8', at, Math.min(end, at + 64));
        if (end >= bytes.length) break;
        at = end;
        this.#inString = false;
        continue;
      }
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.#inString = true;
        if (!this.#collecting) this.#name = '';
      } else if (OPEN.has(byte)) {
        if (this.#isEntry(byte)) {
          this.#collecting = true;
          from = at;
        }
        this.#open();
      } else if (CLOSE.has(byte)) {
        this.#depth -= 1;
        if (this.#depth < 0) throw new ImportSyntaxError('The file closes more brackets than it opens.');
        if (this.#collecting && this.#depth === ENTRY_DEPTH) {
          this.#collect(bytes, from, at + 1);
          this.#finish();
        }
        if (!this.#collecting) this.#path.length = Math.min(this.#path.length, this.#depth);
      } else if (!this.#begun && !SPACE.has(byte)) {
        throw new ImportSyntaxError('This is no HAR file: it does not begin with an object of JSON.');
      }
    }
    if (this.#collecting) this.#collect(bytes, from, bytes.length);
  }

  #open(): void {
    if (!this.#collecting) {
      this.#path[this.#depth] = this.#name;
      this.#name = '';
    }
    this.#depth += 1;
    this.#begun = true;
    if (this.#depth === ENTRY_DEPTH && this.#inEntries) this.#foundEntries = true;
  }

  get #inEntries(): boolean {
    return NAMES.every((name, index) => this.#path[index + 1] === name);
  }

  #isEntry(byte: number): boolean {
    return !this.#collecting && byte === 0x7b && this.#depth === ENTRY_DEPTH && this.#inEntries;
  }

  /** The place of the quote that ends the string, or the end of the bytes. */
  #skipString(bytes: Buffer, start: number): number {
    let at = start;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    for (;;) {
      const quote = bytes.indexOf(QUOTE, at);
      const backslash = bytes.indexOf(BACKSLASH, at);
      if (backslash < 0 || (quote >= 0 && quote < backslash)) return quote < 0 ? bytes.length : quote;
      if (backslash + 1 >= bytes.length) {
        this.#escaped = true;
        return bytes.length;
      }
      at = backslash + 2;
    }
  }

  #collect(bytes: Buffer, from: number, to: number): void {
    this.#bytes += to - from;
    if (this.#bytes > MOST_ENTRY_BYTES) this.#parts = [];
    else this.#parts.push(Buffer.from(bytes.subarray(from, to)));
  }

  #finish(): void {
    const [only] = this.#parts;
    const text = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    const tooLong = this.#bytes > MOST_ENTRY_BYTES;
    this.#collecting = false;
    this.#parts = [];
    this.#bytes = 0;
    if (tooLong) this.#sink.tooLong();
    else this.#sink.entry(text.toString('utf8'));
  }
}
