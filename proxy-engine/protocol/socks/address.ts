import { toAsciiHost } from '../../base/punycode.ts';

/** A place as SOCKS names it. */
export interface SocksAddress {
  /** Name in lower case and ASCII, IPv4, or IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What an address field turned out to be. */
export type AddressResult =
  | { readonly kind: 'incomplete' }
  /** The type is none of RFC 1928 §5, so that its length is unknown too. */
  | { readonly kind: 'unknown-type' }
  /** It is a name that no host can have. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'address'; readonly address: SocksAddress; readonly end: number };

const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
const IPV4_BYTES = 4;
const IPV6_BYTES = 16;
const PORT_BYTES = 2;
const LONGEST_NAME = 255;

/** Reads ATYP, address and port from `at` on (RFC 1928 §5). */
export function readAddress(bytes: Buffer, at: number): AddressResult {
  const type = bytes[at];
  if (type === undefined) return { kind: 'incomplete' };
  if (type !== IPV4 && type !== NAME && type !== IPV6) return { kind: 'unknown-type' };
  const length = type === IPV4 ? IPV4_BYTES : type === IPV6 ? IPV6_BYTES : bytes[at + 1];
  if (length === undefined) return { kind: 'incomplete' };
  const start = type === NAME ? at + 2 : at + 1;
  const end = start + length + PORT_BYTES;
  if (bytes.length < end) return { kind: 'incomplete' };
  const field = bytes.subarray(start, start + length);
  const host = type === IPV4 ? ipv4Text(field) : type === IPV6 ? ipv6Text(field) : hostName(field);
  if (host === null) return { kind: 'malformed' };
  return { kind: 'address', address: { host, port: bytes.readUInt16BE(end - PORT_BYTES) }, end };
}

/**
 * Writes ATYP, address and port; a host that is no address goes as a name.
 *
 * @returns null when the name is longer than the 255 bytes that there is room for
 */
export function writeAddress({ host, port }: SocksAddress): Buffer | null {
  const address = parseIpv4(host) ?? parseIpv6(host);
  const portBytes = Buffer.from([port >> 8, port & 0xff]);
  if (address !== null) {
    return Buffer.concat([Buffer.from([address.length === IPV4_BYTES ? IPV4 : IPV6]), address, portBytes]);
  }
  const name = Buffer.from(host, 'latin1');
  if (name.length === 0 || name.length > LONGEST_NAME) return null;
  return Buffer.concat([Buffer.from([NAME, name.length]), name, portBytes]);
}

/** A name off the wire as the rest of Weir writes hosts; null when it cannot be one. */
export function hostName(bytes: Buffer): string | null {
  const text = bytes.toString('utf8').toLowerCase().replace(/\.$/, '');
  const address = parseIpv6(text);
  if (address !== null) return ipv6Text(address);
  if (text === '' || !/^[^\u0000-\u0020\u007f/\\?#@:[\]<>^|%"]+$/u.test(text)) return null;
  return toAsciiHost(text);
}

export function ipv4Text(bytes: Buffer): string {
  return bytes.join('.');
}

/** RFC 5952 §4: lower case, no leading zeros, the longest run of zero groups shortened. */
function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_unused, index) => bytes.readUInt16BE(index * 2));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (best.start === -1) return text(groups);
  return `${text(groups.slice(0, best.start))}::${text(groups.slice(best.start + best.length))}`;
}

/** The four bytes of an address in dotted form; null for any other text. */
export function parseIpv4(text: string): Buffer | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return null;
  const numbers = match.slice(1).map(Number);
  return numbers.every((number) => number <= 255) ? Buffer.from(numbers) : null;
}

/** The sixteen bytes of an address without brackets and zone (RFC 4291 §2.2); null for any other text. */
function parseIpv6(text: string): Buffer | null {
  const halves = text.split('::');
  if (!text.includes(':') || halves.length > 2) return null;
  const [head, tail] = halves.map(parseGroups);
  if (head === undefined || head === null || tail === null) return null;
  const groups =
    tail === undefined
      ? head
      : [...head, ...new Array<number>(Math.max(0, 8 - head.length - tail.length)).fill(0), ...tail];
  if (groups.length !== 8 || (tail !== undefined && head.length + tail.length > 7)) return null;
  const bytes = Buffer.alloc(IPV6_BYTES);
  groups.forEach((group, index) => bytes.writeUInt16BE(group, index * 2));
  return bytes;
}

/** Groups between two `::`; the last one may be written as IPv4. */
function parseGroups(text: string): number[] | null {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const embedded = index === parts.length - 1 ? parseIpv4(part) : null;
    if (embedded !== null) groups.push(embedded.readUInt16BE(0), embedded.readUInt16BE(2));
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return null;
  }
  return groups;
}
