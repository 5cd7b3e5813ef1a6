/**
 * One header field as HPACK knows it: name and value as latin1 strings, so that octets over 0x7F pass unchanged. Entries
 * of the tables are shared by every head that refers to them, and so is what was found out about them.
 */
export class HeaderEntry {
  readonly name: string;
  readonly value: string;
  /** Never to be put into a table by anyone (RFC 7541 §7.1.3). */
  readonly sensitive: boolean;
  /** Place for what a reader of heads learned about this entry; 0 means nothing yet. */
  marks = 0;

  constructor(name: string, value: string, sensitive = false) {
    this.name = name;
    this.value = value;
    this.sensitive = sensitive;
  }

  /** Size in a dynamic table, octets (RFC 7541 §4.1). */
  get size(): number {
    return this.name.length + this.value.length + ENTRY_OVERHEAD;
  }
}

/** What every entry costs beside its octets (RFC 7541 §4.1). */
const ENTRY_OVERHEAD = 32;
