import { CR, FIELD_VALUE, HEX_DIGIT, isBlank, LF } from './characters.ts';
import { failure } from './failure.ts';
import { HeldBytes } from './held-bytes.ts';
import type { Http1Failure, Http1Limits, Http1Sink, MessageHead } from './message.ts';
import { SectionScanner } from './section-scanner.ts';

// States, each named after what comes next.
const FIRST_DIGIT = 0;
const SIZE = 1;
const GAP = 2;
const EXTENSION = 3;
const SIZE_LF = 4;
const DATA = 5;
const DATA_CR = 6;
const DATA_LF = 7;
const TRAILERS = 8;
const COMPLETE = 9;
const FAILED = 10;

const SEMICOLON = 0x3b;
/** Digits of 2^53−1; zeros before them count as an extension would, so that a size line is bounded. */
const SIZE_DIGITS = 14;
/** Above this, one more digit leads past 2^53−1. */
const LARGEST_BEFORE_DIGIT = (Number.MAX_SAFE_INTEGER - 15) / 16;

/**
 * Decodes one chunked body (RFC 9112 §7.1) without copying it: it says which bytes are payload and which are framing.
 * May be stopped at any byte, as the section scanner.
 *
 *   FIRST_DIGIT → SIZE → (GAP → EXTENSION) → SIZE_LF → DATA → DATA_CR → DATA_LF → FIRST_DIGIT …
 *                                                    ↘ (size 0) TRAILERS → COMPLETE
 */
export class ChunkScanner {
  fault: Http1Failure | null = null;

  readonly #extensionBytes: number;
  readonly #trailers: SectionScanner;
  readonly #trailerBytes: number;
  #state = FIRST_DIGIT;
  /** Size of the chunk while its line is read, then what is left of it, bytes. */
  #remaining = 0;
  #digits = 0;
  #extension = 0;
  /** Trailer bytes of earlier segments. */
  readonly #held = new HeldBytes();

  constructor(limits: Http1Limits) {
    this.#extensionBytes = limits.chunkExtensionBytes;
    this.#trailerBytes = limits.headBytes;
    this.#trailers = new SectionScanner(limits, { startLine: 'none', bareLineFeed: false, irregularFields: false });
  }

  get complete(): boolean {
    return this.#state === COMPLETE;
  }

  begin(): void {
    this.fault = null;
    this.#state = FIRST_DIGIT;
    this.#trailers.begin();
    this.#held.clear();
    this.#beginChunk();
  }

  /**
   * Reads on at `from` and tells the sink about payload, framing and trailers (not about the wire as a whole).
   * @returns the offset after the last byte that was accepted
   */
  scan(bytes: Buffer, from: number, sink: Http1Sink<MessageHead>): number {
    const end = bytes.length;
    let position = from;
    let framingStart = from;
    let state = this.#state;
    while (position < end && state < COMPLETE) {
      switch (state) {
        case FIRST_DIGIT:
        case SIZE: {
          const digit = HEX_DIGIT[bytes[position] ?? 0] ?? 255;
          state = digit === 255 ? this.#endSize(bytes[position] ?? 0, state) : this.#addDigit(digit);
          break;
        }
        case GAP: {
          const byte = bytes[position] ?? 0;
          if (byte === SEMICOLON) state = EXTENSION;
          else if (!isBlank(byte)) state = this.#fail('A chunk size is followed by white space and no extension.');
          if (state !== FAILED && !this.#countExtension()) state = FAILED;
          break;
        }
        case EXTENSION: {
          const byte = bytes[position] ?? 0;
          if (byte === CR) state = SIZE_LF;
          else if (FIELD_VALUE[byte] !== 1) state = this.#fail('A chunk extension holds a control character.');
          else if (!this.#countExtension()) state = FAILED;
          break;
        }
        case SIZE_LF:
          if (bytes[position] !== LF) state = this.#fail('A chunk size line does not end in CRLF.');
          else state = this.#remaining === 0 ? TRAILERS : DATA;
          break;
        case DATA: {
          const stop = Math.min(end, position + this.#remaining);
          if (position > framingStart) sink.onFraming(bytes, framingStart, position);
          sink.onPayload(bytes, position, stop);
          this.#remaining -= stop - position;
          position = stop;
          framingStart = stop;
          if (this.#remaining === 0) state = DATA_CR;
          continue;
        }
        case DATA_CR:
          state = bytes[position] === CR ? DATA_LF : this.#fail('A chunk is longer than its size says.');
          break;
        case DATA_LF:
          if (bytes[position] !== LF) state = this.#fail('A chunk does not end in CRLF.');
          else state = this.#beginChunk();
          break;
        default: {
          const stop = this.#scanTrailers(bytes, position);
          if (stop > framingStart) sink.onFraming(bytes, framingStart, stop);
          framingStart = stop;
          position = stop;
          if (this.#trailers.fault !== null) state = this.#failTrailers(this.#trailers.fault);
          else if (this.#trailers.complete) {
            this.#tellTrailers(bytes, stop, sink);
            state = COMPLETE;
          }
          continue;
        }
      }
      if (state !== FAILED) position++;
    }
    this.#state = state;
    if (position > framingStart) sink.onFraming(bytes, framingStart, position);
    return position;
  }

  #beginChunk(): number {
    this.#remaining = 0;
    this.#digits = 0;
    this.#extension = 0;
    return FIRST_DIGIT;
  }

  #addDigit(digit: number): number {
    if (this.#remaining > LARGEST_BEFORE_DIGIT) return this.#fail('A chunk is larger than 2^53−1 bytes.');
    this.#remaining = this.#remaining * 16 + digit;
    if (++this.#digits > SIZE_DIGITS && !this.#countExtension()) return FAILED;
    return SIZE;
  }

  #endSize(byte: number, state: number): number {
    if (state === FIRST_DIGIT) return this.#fail('A chunk size does not begin with a hexadecimal digit.');
    if (byte === CR) return SIZE_LF;
    if (byte !== SEMICOLON && !isBlank(byte)) return this.#fail('A chunk size holds more than hexadecimal digits.');
    if (!this.#countExtension()) return FAILED;
    return byte === SEMICOLON ? EXTENSION : GAP;
  }

  /** Counts one byte of a size line that is not a needed digit; false when it is one too many. */
  #countExtension(): boolean {
    if (++this.#extension <= this.#extensionBytes) return true;
    const limit = String(this.#extensionBytes);
    this.#fail(`The extensions of a chunk are longer than ${limit} bytes (limit chunkExtensionBytes).`);
    return false;
  }

  #fail(message: string): number {
    this.fault = failure('http1.chunk', message);
    return FAILED;
  }

  #failTrailers(fault: Http1Failure): number {
    this.fault = failure('http1.trailers', `In the trailer section: ${fault.message}`);
    return FAILED;
  }

  /** Lets the section scanner read on, over its own copy once the section came in several segments. */
  #scanTrailers(bytes: Buffer, position: number): number {
    const heldBytes = this.#held.length;
    if (heldBytes === 0) {
      const stop = this.#trailers.scan(bytes, position, bytes.length, position);
      if (!this.#trailers.complete) this.#held.append(bytes, position, stop);
      return stop;
    }
    this.#held.append(bytes, position, Math.min(bytes.length, position + this.#trailerBytes - heldBytes));
    const held = this.#held.bytes;
    const stop = this.#trailers.scan(held, heldBytes, held.length, 0);
    return position + stop - heldBytes;
  }

  #tellTrailers(bytes: Buffer, stop: number, sink: Http1Sink<MessageHead>): void {
    if (this.#trailers.fieldCount === 0) return;
    const fieldsEnd = this.#trailers.fieldsEnd;
    // The section ends with its empty line, CRLF, at `stop`.
    const isWhole = this.#held.length === 0;
    const lines = isWhole ? bytes.subarray(stop - fieldsEnd - 2, stop - 2) : this.#held.bytes.subarray(0, fieldsEnd);
    sink.onTrailers(lines);
  }
}
