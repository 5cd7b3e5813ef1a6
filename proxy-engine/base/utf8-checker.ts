/**
 * Tells whether bytes that come in pieces are UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above U+10FFFF.
 * A failure is known at the first byte that cannot stand where it stands.
 */
export class Utf8Checker {
  isValid = true;
  /** Continuation bytes that the character under way still needs. */
  #needed = 0;
  /** Range of the next continuation byte: the first one of some characters is narrower. */
  #lowest = 0x80;
  #highest = 0xbf;

  /** Every character that began is whole. */
  get isComplete(): boolean {
    return this.#needed === 0;
  }

  /** @returns whether everything so far is valid */
  check(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length && this.isValid; at += 1) this.#take(bytes[at] ?? 0);
    return this.isValid;
  }

  reset(): void {
    this.isValid = true;
    this.#needed = 0;
    this.#lowest = 0x80;
    this.#highest = 0xbf;
  }

  #take(byte: number): void {
    if (this.#needed > 0) {
      if (byte < this.#lowest || byte > this.#highest) this.isValid = false;
      this.#needed -= 1;
      this.#lowest = 0x80;
      this.#highest = 0xbf;
    } else if (byte >= 0x80) this.#begin(byte);
  }

  #begin(byte: number): void {
    if (byte >= 0xc2 && byte <= 0xdf) this.#needed = 1;
    else if (byte >= 0xe0 && byte <= 0xef) {
      this.#needed = 2;
      if (byte === 0xe0) this.#lowest = 0xa0;
      if (byte === 0xed) this.#highest = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      this.#needed = 3;
      if (byte === 0xf0) this.#lowest = 0x90;
      if (byte === 0xf4) this.#highest = 0x8f;
    } else this.isValid = false;
  }
}
