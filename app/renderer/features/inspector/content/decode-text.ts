/** Text of a window of bytes, with the bytes at its edges that belong to characters outside it left out. */
export interface DecodedText {
  readonly text: string;
  /** What the bytes were read as. */
  readonly charset: string;
}

/**
 * Reads bytes as text: by byte order mark, else as declared, else as UTF-8, and as windows-1252 when they are not that.
 *
 * @param atStart the window begins where the body does; otherwise bytes of a cut character at its beginning are skipped
 */
export function decodeText(bytes: Uint8Array, declared: string | null, atStart = true): DecodedText {
  const charset = markOf(bytes, atStart) ?? declared ?? 'utf-8';
  const decoder = decoderFor(charset) ?? new TextDecoder('utf-8');
  if (decoder.encoding !== 'utf-8') return { text: decoder.decode(bytes), charset: decoder.encoding };
  const whole = bytes.subarray(atStart ? 0 : leadingContinuation(bytes), bytes.length - trailingFragment(bytes));
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole), charset: 'utf-8' };
  } catch {
    // Declared UTF-8 stays UTF-8 and shows replacement characters; an undeclared charset is most often this one.
    if (declared !== null)
      return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole), charset: 'utf-8' };
    return { text: new TextDecoder('windows-1252').decode(bytes), charset: 'windows-1252' };
  }
}

function markOf(bytes: Uint8Array, atStart: boolean): string | null {
  if (!atStart) return null;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null;
}

function decoderFor(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}

function leadingContinuation(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count++;
  return count;
}

/** Bytes at the end that begin a character and do not finish it. */
function trailingFragment(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/**
 * A field of a head as text. On the wire it is bytes, carried as latin1; most that are not ASCII are UTF-8.
 */
export function fieldText(latin1: string): string {
  if (!/[\u0080-\u00ff]/.test(latin1)) return latin1;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(latin1, (character) => character.charCodeAt(0)),
    );
  } catch {
    return latin1;
  }
}
