import { DynamicTable } from './dynamic-table.ts';
import { HeaderEntry } from './header-entry.ts';
import { decodeHuffman } from './huffman.ts';
import { readInteger, type IntegerReading } from './integer.ts';
import { STATIC_ENTRIES, STATIC_SIZE } from './static-table.ts';

/** Why a header block could not be decoded: the whole connection is then unusable (RFC 7541 §2, RFC 9113 §4.3). */
export type HpackFault = 'malformed' | 'index' | 'huffman' | 'table-size';

/**
 * Decodes the header blocks of one direction of one connection, in order. `bytes` is borrowed.
 *
 * @see RFC 7541
 */
export class HpackDecoder {
  readonly #table: DynamicTable;
  readonly #reading: IntegerReading = { value: 0, next: 0 };
  /** What our SETTINGS_HEADER_TABLE_SIZE allows (RFC 9113 §6.5.2). */
  #allowed: number;
  /** Our limit was lowered below the table's size: the next block must begin with an update (RFC 7541 §4.2). */
  #mustShrink = false;
  #scratch = Buffer.allocUnsafe(512);
  #fault: HpackFault | null = null;
  #listSize = 0;

  /** @param allowed octets that the encoder may use at most: our acknowledged SETTINGS_HEADER_TABLE_SIZE */
  constructor(allowed = 4_096) {
    this.#allowed = allowed;
    this.#table = new DynamicTable(allowed);
  }

  /** Why the last `decode` failed. */
  get fault(): HpackFault | null {
    return this.#fault;
  }

  /** Size of the last header list as RFC 9113 §6.5.2 counts it, octets, entries past the limit included. */
  get listSize(): number {
    return this.#listSize;
  }

  /** Changes whenever the same octets may mean another list. */
  get generation(): number {
    return this.#table.changes;
  }

  /** Our SETTINGS_HEADER_TABLE_SIZE took effect: the peer has acknowledged it. */
  setAllowed(octets: number): void {
    this.#allowed = octets;
    if (octets < this.#table.capacity) this.#mustShrink = true;
  }

  /**
   * Decodes one whole header block.
   *
   * @param limit entries are kept up to this list size, octets; what follows is decoded for the table's sake only, and
   *   `listSize` tells that it was too much
   * @param into receives the entries
   * @returns false when the block is malformed, see `fault`
   */
  decode(bytes: Buffer, start: number, end: number, limit: number, into: HeaderEntry[]): boolean {
    const reading = this.#reading;
    let at = start;
    let updateAllowed = true;
    this.#listSize = 0;
    while (at < end) {
      const first = bytes[at] ?? 0;
      let entry: HeaderEntry | undefined;
      if (first >= 0x80) {
        readInteger(bytes, at, end, 0x7f, reading);
        if (reading.next === -1) return this.#fail('malformed');
        entry = this.#lookUp(reading.value);
        if (entry === undefined) return this.#fail('index');
        at = reading.next;
      } else if (first >= 0x40) {
        entry = this.#readLiteral(bytes, at, end, 0x3f, false);
        if (entry === undefined) return false;
        this.#table.add(entry);
        at = reading.next;
      } else if (first >= 0x20) {
        readInteger(bytes, at, end, 0x1f, reading);
        if (reading.next === -1) return this.#fail('malformed');
        if (!updateAllowed || reading.value > this.#allowed) return this.#fail('table-size');
        this.#table.resize(reading.value);
        this.#mustShrink = false;
        at = reading.next;
        continue;
      } else {
        entry = this.#readLiteral(bytes, at, end, 0x0f, first >= 0x10);
        if (entry === undefined) return false;
        at = reading.next;
      }
      if (this.#mustShrink) return this.#fail('table-size');
      updateAllowed = false;
      this.#listSize += entry.size;
      if (this.#listSize <= limit) into.push(entry);
    }
    return true;
  }

  #fail(fault: HpackFault): false {
    this.#fault = fault;
    return false;
  }

  #lookUp(index: number): HeaderEntry | undefined {
    if (index === 0) return undefined;
    return index <= STATIC_SIZE ? STATIC_ENTRIES[index] : this.#table.get(index - STATIC_SIZE - 1);
  }

  /** Leaves the offset after the literal in the reading. */
  #readLiteral(bytes: Buffer, start: number, end: number, mask: number, sensitive: boolean): HeaderEntry | undefined {
    const reading = this.#reading;
    readInteger(bytes, start, end, mask, reading);
    if (reading.next === -1) {
      this.#fail('malformed');
      return undefined;
    }
    let name: string | undefined;
    if (reading.value === 0) {
      name = this.#readString(bytes, reading.next, end);
    } else {
      name = this.#lookUp(reading.value)?.name;
      if (name === undefined) this.#fail('index');
    }
    if (name === undefined) return undefined;
    const value = this.#readString(bytes, reading.next, end);
    return value === undefined ? undefined : new HeaderEntry(name, value, sensitive);
  }

  #readString(bytes: Buffer, start: number, end: number): string | undefined {
    const reading = this.#reading;
    if (start >= end) {
      this.#fail('malformed');
      return undefined;
    }
    const huffman = ((bytes[start] ?? 0) & 0x80) !== 0;
    readInteger(bytes, start, end, 0x7f, reading);
    const from = reading.next;
    const to = from + reading.value;
    if (from === -1 || to > end) {
      this.#fail('malformed');
      return undefined;
    }
    reading.next = to;
    if (!huffman) return bytes.toString('latin1', from, to);
    const most = Math.ceil((reading.value * 8) / 5);
    if (this.#scratch.length < most) this.#scratch = Buffer.allocUnsafe(most * 2);
    const length = decodeHuffman(bytes, from, to, this.#scratch);
    if (length !== -1) return this.#scratch.toString('latin1', 0, length);
    this.#fail('huffman');
    return undefined;
  }
}
