/** One row of a hex view. */
export interface HexRow {
  /** Offset of its first byte, eight hexadecimal digits or more. */
  readonly offset: string;
  /** Pairs of digits, a wider gap in the middle of sixteen; blanks where the body has ended. */
  readonly hex: string;
  /** Printable ASCII; a dot for anything else. */
  readonly text: string;
}

/** Lays out up to `width` bytes that begin at `offset` of the body. */
export function hexRow(bytes: Uint8Array, offset: number, width: number): HexRow {
  const pairs: string[] = [];
  let text = '';
  for (let index = 0; index < width; index++) {
    const byte = bytes[index];
    const gap = index > 0 && index % 8 === 0 ? ' ' : '';
    pairs.push(gap + (byte === undefined ? '  ' : byte.toString(16).padStart(2, '0')));
    if (byte !== undefined) text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
  }
  return { offset: offset.toString(16).padStart(8, '0'), hex: pairs.join(' '), text };
}
