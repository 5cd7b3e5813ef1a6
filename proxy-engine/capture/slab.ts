import { BATCH_HEADER_BYTES, BATCH_MAGIC, RECORD_HEADER_BYTES } from './record-format.ts';

const LONGEST_SHORT_TEXT = 40;

/**
 * The buffer that records are packed into until it is handed over. The caller reserves room with `open`, which begins a
 * record, then writes its fields in order and calls `close`.
 */
export class Slab {
  readonly buffer: ArrayBuffer;
  readonly capacity: number;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #at = BATCH_HEADER_BYTES;
  #recordStart = 0;

  constructor(buffer: ArrayBuffer) {
    this.buffer = buffer;
    this.capacity = buffer.byteLength;
    this.#bytes = Buffer.from(buffer);
    this.#view = new DataView(buffer);
  }

  get empty(): boolean {
    return this.#at === BATCH_HEADER_BYTES;
  }

  /** Bytes written so far, header included. */
  get used(): number {
    return this.#at;
  }

  get room(): number {
    return this.capacity - this.#at;
  }

  open(kind: number, flags: number, id: number): void {
    const at = this.#at;
    this.#recordStart = at;
    const view = this.#view;
    view.setUint8(at + 4, kind);
    view.setUint8(at + 5, flags);
    view.setUint16(at + 6, Math.floor(id / 0x1_0000_0000), true);
    view.setUint32(at + 8, id >>> 0, true);
    this.#at = at + RECORD_HEADER_BYTES;
  }

  close(): void {
    this.#view.setUint32(this.#recordStart, this.#at - this.#recordStart, true);
  }

  u8(value: number): void {
    this.#view.setUint8(this.#at, value);
    this.#at += 1;
  }

  u16(value: number): void {
    this.#view.setUint16(this.#at, value, true);
    this.#at += 2;
  }

  u32(value: number): void {
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  f64(value: number): void {
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** UTF-8 with its length in front. Reserve 4 + 3 × length. */
  text(value: string): void {
    const start = this.#at + 4;
    const length = value.length;
    let written = 0;
    if (length <= LONGEST_SHORT_TEXT) {
      const bytes = this.#bytes;
      for (; written < length; written += 1) {
        const unit = value.charCodeAt(written);
        if (unit > 0x7f) break;
        bytes[start + written] = unit;
      }
    }
    if (written < length) written = this.#bytes.write(value, start, 'utf8');
    this.#view.setUint32(this.#at, written, true);
    this.#at = start + written;
  }

  /** A byte run with its length in front. Reserve 4 + its length. */
  run(bytes: Buffer, start: number, end: number): void {
    this.#view.setUint32(this.#at, end - start, true);
    this.#at += 4;
    this.rest(bytes, start, end);
  }

  /** Bytes that fill the record to its end. */
  rest(bytes: Buffer, start: number, end: number): void {
    bytes.copy(this.#bytes, this.#at, start, end);
    this.#at += end - start;
  }

  /** Writes the batch header; the buffer can be handed over then. */
  seal(): void {
    this.#view.setUint32(0, BATCH_MAGIC, true);
    this.#view.setUint32(4, this.#at, true);
  }

  /** A sealed copy that is no longer than what was written, after which this slab is empty again. */
  takeCopy(): ArrayBuffer {
    this.seal();
    const copy = this.buffer.slice(0, this.#at);
    this.#at = BATCH_HEADER_BYTES;
    return copy;
  }
}
