const CRLF = Buffer.from('\r\n', 'latin1');

/** The end of a chunked body without trailers (RFC 9112 §7.1). */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n', 'latin1');

/**
 * One chunk of a chunked body, with its framing.
 *
 * @param isLast the end of the body follows at once
 */
export function chunk(bytes: Buffer, start: number, end: number, isLast: boolean): Buffer {
  const size = Buffer.from(`${(end - start).toString(16)}\r\n`, 'latin1');
  const body = bytes.subarray(start, end);
  return Buffer.concat(isLast ? [size, body, CRLF, LAST_CHUNK] : [size, body, CRLF]);
}

/** The end of a chunked body, with the lines of its trailer section. */
export function lastChunk(trailers: Buffer): Buffer {
  return Buffer.concat([Buffer.from('0\r\n', 'latin1'), trailers, CRLF]);
}
