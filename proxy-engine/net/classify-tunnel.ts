/** What a client speaks inside a tunnel, as far as its first bytes tell; `unknown` needs more of them. */
export type TunnelContent = 'tls' | 'http' | 'other' | 'unknown';

const TLS_HANDSHAKE = 0x16;
const LINE_FEED = 0x0a;
const LONGEST_REQUEST_LINE = 65_536;
/** The beginning of a request line (RFC 9112 §3): a method, a space, a target. */
const REQUEST_LINE_BEGINS = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}(?: (?:[^\s]*(?: .*)?)?)?$/;
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} [^\s]+ HTTP\/1\.[01]\r?$/;

/** @param bytes everything that the client has sent so far, at least one byte */
export function classifyTunnel(bytes: Buffer): TunnelContent {
  if (bytes[0] === TLS_HANDSHAKE) return 'tls';
  const end = bytes.indexOf(LINE_FEED);
  if (end !== -1) return REQUEST_LINE.test(bytes.toString('latin1', 0, end)) ? 'http' : 'other';
  if (bytes.length > LONGEST_REQUEST_LINE) return 'other';
  return REQUEST_LINE_BEGINS.test(bytes.toString('latin1').replace(/\r$/, '')) ? 'unknown' : 'other';
}
