/**
 * Whether an endpoint may send this code in a close frame: assigned ones (1000 to 1003, 1007 to 1014) and those for
 * libraries, applications and private use (3000 to 4999). 1004 has no meaning; 1005, 1006 and 1015 never are on the wire.
 *
 * @see RFC 6455 §7.4
 */
export function maySendCloseCode(code: number): boolean {
  if (code >= 3_000) return code <= 4_999;
  return (code >= 1_000 && code <= 1_003) || (code >= 1_007 && code <= 1_014);
}
