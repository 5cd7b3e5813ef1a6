/** Result slots of `readInteger`, reused so that decoding allocates nothing. */
export interface IntegerReading {
  value: number;
  /** Offset after the integer; -1 when the bytes ended inside it or its value is out of bounds. */
  next: number;
}

/** Larger values are malformed to us: no length or index that a peer may send comes near (RFC 7541 §5.1 asks for a limit). */
const LARGEST = 2 ** 28;

/**
 * Reads an integer with an N-bit prefix.
 *
 * @param prefixMask 2^N - 1
 * @see RFC 7541 §5.1
 */
export function readInteger(
  bytes: Uint8Array,
  start: number,
  end: number,
  prefixMask: number,
  into: IntegerReading,
): void {
  let value = (bytes[start] ?? 0) & prefixMask;
  let at = start + 1;
  if (value === prefixMask) {
    let factor = 1;
    for (;;) {
      if (at >= end || factor > LARGEST) {
        into.next = -1;
        return;
      }
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) break;
      factor *= 128;
    }
    if (value > LARGEST) {
      into.next = -1;
      return;
    }
  }
  into.value = value;
  into.next = at;
}

/**
 * Writes an integer with an N-bit prefix.
 *
 * @param first the bits before the prefix, in place
 * @returns the offset after the last octet written
 * @see RFC 7541 §5.1
 */
export function writeInteger(value: number, prefixMask: number, first: number, out: Uint8Array, start: number): number {
  if (value < prefixMask) {
    out[start] = first | value;
    return start + 1;
  }
  out[start] = first | prefixMask;
  let at = start + 1;
  let rest = value - prefixMask;
  while (rest >= 128) {
    out[at++] = (rest & 0x7f) | 0x80;
    rest = Math.floor(rest / 128);
  }
  out[at++] = rest;
  return at;
}
