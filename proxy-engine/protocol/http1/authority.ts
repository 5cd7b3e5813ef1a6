import { toAsciiHost } from '../../base/punycode.ts';
import { HOST_NAME } from './characters.ts';

/** Host and port as one authority names them. */
export interface Authority {
  /** Lower case, IDN as A-labels, IPv6 without brackets. */
  readonly host: string;
  readonly port: number | null;
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const;

/**
 * Reads `host`, `host:port`, `[v6]` or `[v6]:port`, as latin1 off the wire (RFC 3986 §3.2).
 * @returns null when it is none of them: userinfo, path, list, zone identifier, port above 65535, empty host
 */
export function parseAuthority(text: string): Authority | null {
  if (text.startsWith('[')) {
    const close = text.indexOf(']');
    const address = text.slice(1, close).toLowerCase();
    return close < 0 || !isIpv6(address) ? null : withPort(address, text.slice(close + 1));
  }
  const colon = text.indexOf(':');
  const host = hostName(colon < 0 ? text : text.slice(0, colon));
  return host === null ? null : withPort(host, colon < 0 ? '' : text.slice(colon));
}

/**
 * Reads the target of CONNECT, which must name a port. An IPv6 address without brackets is understood by taking the last
 * colon as the port's.
 */
export function parseConnectAuthority(text: string): Authority | null {
  const colon = text.lastIndexOf(':');
  if (colon < 0) return null;
  const bare = text.slice(0, colon);
  const authority =
    !text.startsWith('[') && isIpv6(bare.toLowerCase())
      ? withPort(bare.toLowerCase(), text.slice(colon))
      : parseAuthority(text);
  return authority === null || authority.port === null || authority.port === 0 ? null : authority;
}

/** Writes a host (IPv6 gets brackets) and a port unless it is the scheme's default. */
export function formatAuthority(host: string, port: number, scheme: 'http' | 'https'): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === DEFAULT_PORTS[scheme] ? name : `${name}:${String(port)}`;
}

/** The port that a scheme implies. */
export function defaultPort(scheme: 'http' | 'https'): number {
  return DEFAULT_PORTS[scheme];
}

/** `suffix` is empty, a colon, or a colon and a port. */
function withPort(host: string, suffix: string): Authority | null {
  if (suffix === '' || suffix === ':') return { host, port: null };
  if (!/^:[0-9]{1,5}$/.test(suffix)) return null;
  const port = Number(suffix.slice(1));
  return port > 65_535 ? null : { host, port };
}

function hostName(text: string): string | null {
  if (text === '') return null;
  let isAscii = true;
  for (let index = 0; index < text.length; index++) {
    const byte = text.charCodeAt(index);
    if (HOST_NAME[byte] !== 1) return null;
    if (byte > 0x7f) isAscii = false;
  }
  if (isAscii) return text.toLowerCase();
  return toAsciiHost(Buffer.from(text, 'latin1').toString('utf8'));
}

/** An IPv6 address in lower case without zone (RFC 4291 §2.2, with a dotted IPv4 tail allowed). */
function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2 || !/^[0-9a-f:.]+$/.test(text)) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const tail = groups.at(-1) ?? '';
  const hasIpv4 = tail.includes('.');
  if (hasIpv4 && (!isIpv4(tail) || text.endsWith('::'))) return false;
  const plain = hasIpv4 ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return false;
  const size = plain.length + (hasIpv4 ? 2 : 0);
  return halves.length === 2 ? size <= 7 : size === 8;
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^[0-9]{1,3}$/.test(part) && Number(part) <= 255);
}
