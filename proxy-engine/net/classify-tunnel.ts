import { CONNECTION_PREFACE } from '../protocol/http2/index.ts';

/** What a client speaks inside a tunnel, as far as its first bytes tell; `unknown` needs more of them. */
export type TunnelContent = 'tls' | 'http' | 'http2' | 'other' | 'unknown';

const TLS_HANDSHAKE = 0x16;
const LINE_FEED = 0x0a;
const LONGEST_REQUEST_LINE = 65_536;
/** The beginning of a request line (RFC 9112 §3): a method, a space, a target. */
const REQUEST_LINE_BEGINS = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}(?: (?:[^\s]*(?: .*)?)?)?$/;
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} [^\s]+ HTTP\/1\.[01]\r?$/;

/** What no request of HTTP/1 begins with: the method PRI is reserved for this (RFC 9113 §11.7). */
const PREFACE_LINE = CONNECTION_PREFACE.subarray(0, 'PRI * HTTP/2.0\r\n'.length);

/** Whether bytes are, or may yet become, the preface of HTTP/2 (RFC 9113 §3.4). */
export function beginsHttp2(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, PREFACE_LINE.length);
  return bytes.subarray(0, length).equals(PREFACE_LINE.subarray(0, length));
}

/**
 * Whether a first line is shaped like the preface of HTTP/2 and names no version of HTTP: no client of HTTP/1 sends that, so
 * the answer is for one of HTTP/2 (RFC 9113 §3.4).
 */
export function isBrokenPreface(bytes: Buffer): boolean {
  const end = bytes.indexOf(LINE_FEED);
  return end > 0 && end <= LONGEST_PREFACE_LINE && BROKEN_PREFACE.test(bytes.toString('latin1', 0, end));
}

const LONGEST_PREFACE_LINE = 64;
const BROKEN_PREFACE = /^[A-Z]+ [^ ]+ (?!HTTP)[A-Z]+\r$/;

/** @param bytes everything that the client has sent so far, at least one byte */
export function classifyTunnel(bytes: Buffer): TunnelContent {
  if (bytes[0] === TLS_HANDSHAKE) return 'tls';
  if (beginsHttp2(bytes)) return bytes.length < PREFACE_LINE.length ? 'unknown' : 'http2';
  const end = bytes.indexOf(LINE_FEED);
  if (end !== -1) return REQUEST_LINE.test(bytes.toString('latin1', 0, end)) ? 'http' : 'other';
  if (bytes.length > LONGEST_REQUEST_LINE) return 'other';
  return REQUEST_LINE_BEGINS.test(bytes.toString('latin1').replace(/\r$/, '')) ? 'unknown' : 'other';
}
