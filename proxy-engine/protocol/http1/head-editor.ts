/**
 * Makes an edited copy of a head: ranges that are kept, and texts between them. Edits come in wire order. Used again for
 * every head, so that forwarding one allocates nothing but its bytes.
 */
export class HeadEditor {
  #bytes: Buffer = Buffer.alloc(0);
  /** Where the next kept range begins. */
  #cursor = 0;
  #total = 0;
  #edits = 0;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #texts: string[] = [];

  begin(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#cursor = 0;
    this.#total = 0;
    this.#edits = 0;
  }

  /** Leaves out the bytes from `start` to `end` and puts `text` (latin1) in their place. */
  replace(start: number, end: number, text: string): void {
    const edit = this.#edits++;
    this.#starts[edit] = this.#cursor;
    this.#ends[edit] = start;
    this.#texts[edit] = text;
    this.#total += start - this.#cursor + text.length;
    this.#cursor = end;
  }

  /** The edited head: the very buffer that was begun with when there were no edits. */
  finish(): Buffer {
    const bytes = this.#bytes;
    if (this.#edits === 0) return bytes;
    const edited = Buffer.allocUnsafe(this.#total + bytes.length - this.#cursor);
    let at = 0;
    for (let edit = 0; edit < this.#edits; edit++) {
      const start = this.#starts[edit] ?? 0;
      const end = this.#ends[edit] ?? 0;
      const text = this.#texts[edit] ?? '';
      if (end > start) at += bytes.copy(edited, at, start, end);
      if (text !== '') at += edited.write(text, at, 'latin1');
    }
    bytes.copy(edited, at, this.#cursor);
    return edited;
  }
}
