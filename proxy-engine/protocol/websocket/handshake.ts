/** First byte of a head of HTTP/2 as it is recorded: that of its pseudo-fields. */
const COLON = 0x3a;

/**
 * Whether this answer to a request for a WebSocket is the yes: 101 by HTTP/1.1 (RFC 6455 §4.2.2), any 2xx by HTTP/2, which an
 * origin was asked by extended CONNECT (RFC 8441 §5). A 200 by HTTP/1.1 is an ordinary answer.
 *
 * @param head as received
 */
export function beginsWebSocket(status: number, head: Uint8Array): boolean {
  return status === 101 || (status >= 200 && status < 300 && head[0] === COLON);
}
