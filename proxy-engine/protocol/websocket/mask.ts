/**
 * A copy of masked payload without its mask, or the reverse.
 *
 * @param key masking key, big endian
 * @param phase bytes of the frame's payload that came before
 * @see RFC 6455 §5.3
 */
export function unmask(bytes: Buffer, key: number, phase: number): Buffer {
  const plain = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) {
    plain[at] = (bytes[at] ?? 0) ^ (key >>> (24 - 8 * ((phase + at) & 3)));
  }
  return plain;
}
