/** What a field's tag says of its bytes; groups (3) have their end (4) taken away. */
export type WireType = 0 | 1 | 2 | 3 | 5;

/** One field as it stands on the wire. */
export interface WireField {
  readonly number: number;
  readonly wire: WireType;
  /** Of wire type 0; 0n for any other. */
  readonly varint: bigint;
  /** Eight or four bytes, what is delimited, or the fields of a group; borrowed from the message. */
  readonly bytes: Uint8Array;
  /** The message ended inside of it: `bytes` is what there is. Only where a beginning is read. */
  readonly isCut: boolean;
}

const MOST_NUMBER = 536_870_911;
/** Groups in groups that are followed. */
const MOST_GROUPS = 100;
const NOTHING = new Uint8Array();

/**
 * Reads the fields of a message, one after the other.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next field; `cut` when the bytes end in it, null when they are not in this format. */
  field(): WireField | 'cut' | null {
    const tag = this.#tag();
    if (tag === null || tag === 'cut') return tag;
    const { number, wire } = tag;
    switch (wire) {
      case 0: {
        const varint = this.varint();
        return varint === null ? 'cut' : { number, wire, varint, bytes: NOTHING, isCut: false };
      }
      case 1:
        return this.#fixed(number, wire, 8);
      case 2: {
        const length = this.length();
        if (length === null) return 'cut';
        const left = this.#bytes.length - this.#at;
        return { number, wire, varint: 0n, bytes: this.#take(Math.min(length, left)), isCut: length > left };
      }
      case 3:
        return this.#group(number);
      case 5:
        return this.#fixed(number, wire, 4);
      default:
        return null;
    }
  }

  /** Null when the bytes end in it, or it is longer than ten bytes. */
  varint(): bigint | null {
    let value = 0;
    let factor = 1;
    const start = this.#at;
    for (let index = 0; index < 7; index += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return null;
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return BigInt(value);
      factor *= 128;
    }
    this.#at = start;
    return this.#longVarint();
  }

  /** A varint that counts bytes; infinite when it is longer than any message. */
  length(): number | null {
    const value = this.varint();
    if (value === null) return null;
    return value > 0xffff_ffffn ? Number.POSITIVE_INFINITY : Number(value);
  }

  /** Null when there are fewer. */
  take(length: number): Uint8Array | null {
    return this.#at + length > this.#bytes.length ? null : this.#take(length);
  }

  #take(length: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  #fixed(number: number, wire: 1 | 5, length: number): WireField | 'cut' {
    const bytes = this.take(length);
    return bytes === null ? 'cut' : { number, wire, varint: 0n, bytes, isCut: false };
  }

  #longVarint(): bigint | null {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return null;
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    return null;
  }

  #tag(): { readonly number: number; readonly wire: number } | 'cut' | null {
    const tag = this.varint();
    if (tag === null) return 'cut';
    const number = Number(tag >> 3n);
    return number < 1 || number > MOST_NUMBER ? null : { number, wire: Number(tag & 7n) };
  }

  /** Everything up to the tag that ends the group, without recursion: groups may be nested by a hostile hand. */
  #group(number: number): WireField | 'cut' | null {
    const from = this.#at;
    const open = [number];
    while (open.length > 0) {
      const end = this.#at;
      const tag = this.#tag();
      if (tag === 'cut') return this.#cutGroup(number, from);
      if (tag === null || open.length > MOST_GROUPS) return null;
      if (tag.wire === 3) open.push(tag.number);
      else if (tag.wire === 4) {
        if (open.pop() !== tag.number) return null;
        if (open.length === 0) {
          return { number, wire: 3, varint: 0n, bytes: this.#bytes.subarray(from, end), isCut: false };
        }
      } else {
        const skipped = this.#skip(tag.wire);
        if (skipped === null) return null;
        if (skipped === 'cut') return this.#cutGroup(number, from);
      }
    }
    return null;
  }

  #cutGroup(number: number, from: number): WireField {
    this.#at = this.#bytes.length;
    return { number, wire: 3, varint: 0n, bytes: this.#bytes.subarray(from), isCut: true };
  }

  #skip(wire: number): true | 'cut' | null {
    if (wire === 0) return this.varint() === null ? 'cut' : true;
    if (wire === 1 || wire === 5) return this.take(wire === 1 ? 8 : 4) === null ? 'cut' : true;
    if (wire !== 2) return null;
    const length = this.length();
    return length === null || this.take(length) === null ? 'cut' : true;
  }
}
