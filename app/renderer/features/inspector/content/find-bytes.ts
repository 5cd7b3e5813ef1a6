/** Reads a window; fewer bytes than asked for only at the end. */
export type ReadWindow = (offset: number, length: number) => Promise<Uint8Array>;

const WINDOW_BYTES = 262_144;

/**
 * Looks for a text in a body of any length, a window at a time; ASCII letters match in either case.
 *
 * @param from byte offset to begin at
 * @param onprogress called with the offset reached, after each window
 * @returns byte offset of the first match, or null
 * @throws what `read` throws, also when it was cancelled
 */
export async function findBytes(
  read: ReadWindow,
  text: string,
  from: number,
  onprogress: (offset: number) => void = () => undefined,
): Promise<number | null> {
  const needle = new TextEncoder().encode(text).map(lower);
  if (needle.length === 0) return null;
  let offset = from;
  let kept: Uint8Array = new Uint8Array();
  for (;;) {
    const bytes = await read(offset, WINDOW_BYTES);
    const joined = new Uint8Array(kept.length + bytes.length);
    joined.set(kept);
    joined.set(bytes, kept.length);
    const at = indexOf(joined, needle);
    if (at >= 0) return offset - kept.length + at;
    if (bytes.length === 0) return null;
    offset += bytes.length;
    onprogress(offset);
    kept = joined.subarray(Math.max(0, joined.length - needle.length + 1));
  }
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** @param needle in lower case, not empty */
function indexOf(bytes: Uint8Array, needle: Uint8Array): number {
  const first = needle[0] ?? 0;
  const last = bytes.length - needle.length;
  for (let at = 0; at <= last; at++) {
    if (lower(bytes[at] ?? 0) !== first) continue;
    let length = 1;
    while (length < needle.length && lower(bytes[at + length] ?? 0) === needle[length]) length++;
    if (length === needle.length) return at;
  }
  return -1;
}
