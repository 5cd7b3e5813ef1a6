import { DynamicTable } from './dynamic-table.ts';
import { HeaderEntry } from './header-entry.ts';
import { encodeHuffman, huffmanLength } from './huffman.ts';
import { writeInteger } from './integer.ts';
import { STATIC_FIELDS, STATIC_NAMES, STATIC_SIZE } from './static-table.ts';

/** A header field to send; names in lower case. */
export interface HeaderToSend {
  readonly name: string;
  readonly value: string;
  readonly sensitive?: boolean;
}

/**
 * Names whose values differ on almost every message: putting them into the table would only push others out. Credentials
 * are kept out of it too, so that they cannot be guessed at through compression (RFC 7541 §7.1).
 */
const NEVER_INDEXED: ReadonlySet<string> = new Set([
  ':path',
  'age',
  'content-length',
  'etag',
  'if-modified-since',
  'if-none-match',
  'last-modified',
  'location',
  'set-cookie',
  'authorization',
  'proxy-authorization',
]);

/** Larger fields are sent as literals: they would empty the table. */
const LARGEST_INDEXED_SHARE = 0.5;

/** Worst octets of one field beside name and value themselves: two string lengths and an index. */
const FIELD_OVERHEAD = 18;

/** Octets of the largest table that we use, whatever the peer offers. */
const LARGEST_TABLE = 16_384;

/**
 * Encodes header lists of one direction of one connection, in order. A list that was encoded before and whose every field
 * is in a table comes out as the same octets as long as the table has not changed: `generation` says whether it has.
 *
 * @see RFC 7541
 */
export class HpackEncoder {
  readonly #table: DynamicTable;
  /** Insertion number of each field and name in the dynamic table; stale ones are found out by age. */
  readonly #fields = new Map<string, number>();
  readonly #names = new Map<string, number>();
  /** Lowest and last size that the peer set since the last block, for the updates that must come first (RFC 7541 §4.2). */
  #lowestSize: number | null = null;
  #lastSize = 4_096;
  #out = Buffer.allocUnsafe(4_096);

  constructor() {
    this.#table = new DynamicTable(4_096);
  }

  /** Changes whenever the same header list may come out as other octets. */
  get generation(): number {
    return this.#table.changes;
  }

  /** True when a table size update must precede the next block, so that no earlier octets may be reused. */
  get updatePending(): boolean {
    return this.#lowestSize !== null;
  }

  /** The peer's SETTINGS_HEADER_TABLE_SIZE, octets; we use no more than 16 KiB of it. */
  setPeerTableSize(octets: number): void {
    const size = Math.min(octets, LARGEST_TABLE);
    this.#lowestSize = Math.min(this.#lowestSize ?? this.#table.capacity, size);
    this.#lastSize = size;
  }

  /**
   * Encodes one header list.
   *
   * @returns the block; borrowed until the next call
   */
  encode(fields: Iterable<HeaderToSend>): Buffer {
    let at = this.#writeSizeUpdates();
    for (const field of fields) {
      const room = at + field.name.length * 4 + field.value.length * 4 + FIELD_OVERHEAD;
      if (room > this.#out.length) this.#growTo(room);
      at = this.#writeField(field, at);
    }
    return this.#out.subarray(0, at);
  }

  #growTo(octets: number): void {
    const larger = Buffer.allocUnsafe(Math.max(octets, this.#out.length * 2));
    this.#out.copy(larger);
    this.#out = larger;
  }

  #writeSizeUpdates(): number {
    if (this.#lowestSize === null) return 0;
    let at = 0;
    if (this.#lowestSize < this.#lastSize) {
      at = writeInteger(this.#lowestSize, 0x1f, 0x20, this.#out, at);
      this.#table.resize(this.#lowestSize);
    }
    at = writeInteger(this.#lastSize, 0x1f, 0x20, this.#out, at);
    this.#table.resize(this.#lastSize);
    this.#lowestSize = null;
    return at;
  }

  #writeField(field: HeaderToSend, start: number): number {
    const { name, value } = field;
    const out = this.#out;
    const key = `${name}\0${value}`;
    if (field.sensitive !== true) {
      const known = STATIC_FIELDS.get(key) ?? this.#dynamicIndex(this.#fields, key);
      if (known !== 0) return writeInteger(known, 0x7f, 0x80, out, start);
    }
    const nameIndex = STATIC_NAMES.get(name) ?? this.#dynamicIndex(this.#names, name);
    const entry = new HeaderEntry(name, value);
    const indexed =
      field.sensitive !== true &&
      !NEVER_INDEXED.has(name) &&
      entry.size <= this.#table.capacity * LARGEST_INDEXED_SHARE;
    let at: number;
    if (indexed) at = writeInteger(nameIndex, 0x3f, 0x40, out, start);
    else at = writeInteger(nameIndex, 0x0f, field.sensitive === true ? 0x10 : 0, out, start);
    if (nameIndex === 0) at = writeString(name, out, at);
    at = writeString(value, out, at);
    if (indexed) this.#remember(entry, key);
    return at;
  }

  #remember(entry: HeaderEntry, key: string): void {
    this.#table.add(entry);
    this.#fields.set(key, this.#table.inserted);
    this.#names.set(entry.name, this.#table.inserted);
    // Stale keys are dropped in bulk, so that the maps stay as small as the table lets them be.
    if (this.#fields.size > 2 * this.#table.count + 64) this.#forgetStale();
  }

  #forgetStale(): void {
    const oldest = this.#table.inserted - this.#table.count;
    for (const [key, number] of this.#fields) if (number <= oldest) this.#fields.delete(key);
    for (const [name, number] of this.#names) if (number <= oldest) this.#names.delete(name);
  }

  /** Index of a dynamic entry as the wire counts, or 0. */
  #dynamicIndex(map: ReadonlyMap<string, number>, key: string): number {
    const number = map.get(key);
    if (number === undefined) return 0;
    const age = this.#table.inserted - number;
    return age < this.#table.count ? STATIC_SIZE + 1 + age : 0;
  }
}

function writeString(text: string, out: Buffer, start: number): number {
  const coded = huffmanLength(text);
  if (coded < text.length) return encodeHuffman(text, out, writeInteger(coded, 0x7f, 0x80, out, start));
  const at = writeInteger(text.length, 0x7f, 0, out, start);
  out.write(text, at, 'latin1');
  return at + text.length;
}
