/** What stands behind the bytes of a chunk. */
export const CHUNK_END = Buffer.from('\r\n', 'latin1');

/** The end of a chunked body without trailers (RFC 9112 §7.1). */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n', 'latin1');

/** What stands before the bytes of a chunk of that size. */
export function chunkHead(bytes: number): Buffer {
  return Buffer.from(`${bytes.toString(16)}\r\n`, 'latin1');
}

/**
 * One chunk of a chunked body, with its framing: a copy.
 *
 * @param isLast the end of the body follows at once
 */
export function chunk(bytes: Buffer, start: number, end: number, isLast: boolean): Buffer {
  const head = chunkHead(end - start);
  const body = bytes.subarray(start, end);
  return Buffer.concat(isLast ? [head, body, CHUNK_END, LAST_CHUNK] : [head, body, CHUNK_END]);
}

/** The end of a chunked body, with the lines of its trailer section. */
export function lastChunk(trailers: Buffer): Buffer {
  return Buffer.concat([Buffer.from('0\r\n', 'latin1'), trailers, CHUNK_END]);
}
