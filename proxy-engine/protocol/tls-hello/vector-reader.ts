/**
 * Reads the presentation language of TLS (RFC 8446 §3): big-endian numbers and length-prefixed vectors. Reading past the
 * end sets `failed`, moves to the end and answers zeros, so that callers check once instead of at every field.
 */
export class VectorReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #parent: VectorReader | null;
  #at: number;
  #failed = false;

  constructor(bytes: Buffer, start: number, end: number, parent: VectorReader | null = null) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#parent = parent;
  }

  get atEnd(): boolean {
    return this.#at >= this.#end;
  }

  get failed(): boolean {
    return this.#failed;
  }

  /** Marks this vector and those around it as unreadable. */
  fail(): void {
    this.#failed = true;
    this.#at = this.#end;
    this.#parent?.fail();
  }

  uint8(): number {
    const at = this.#take(1);
    return at < 0 ? 0 : this.#bytes.readUInt8(at);
  }

  uint16(): number {
    const at = this.#take(2);
    return at < 0 ? 0 : this.#bytes.readUInt16BE(at);
  }

  /** A view of the next bytes, not a copy. */
  bytes(length: number): Buffer {
    const at = this.#take(length);
    return at < 0 ? this.#bytes.subarray(0, 0) : this.#bytes.subarray(at, at + length);
  }

  /** A reader of the next `length` bytes, which are skipped here. */
  vector(length: number): VectorReader {
    const at = this.#take(length);
    return at < 0 ? new VectorReader(this.#bytes, 0, 0, this) : new VectorReader(this.#bytes, at, at + length, this);
  }

  /** The rest as 16-bit numbers; an odd byte left over is a failure. */
  uint16List(): number[] {
    const list: number[] = [];
    while (!this.atEnd) list.push(this.uint16());
    if (this.#failed) list.pop();
    return list;
  }

  /** The rest as 8-bit numbers. */
  uint8List(): number[] {
    const list: number[] = [];
    while (!this.atEnd) list.push(this.uint8());
    return list;
  }

  /** Offset of the next `length` bytes, or -1 after a failure. */
  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.#end) {
      this.fail();
      return -1;
    }
    this.#at = at + length;
    return at;
  }
}
