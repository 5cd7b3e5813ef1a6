import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import * as der from './der.ts';

/** Longest common name (RFC 5280 appendix A.1, ub-common-name). */
const MAX_COMMON_NAME = 64;

/** Longest name that is put into a leaf. Host names end at 253; hostile ones do not. */
const MAX_NAME = 1_024;

/** What a leaf is made out to when the wanted name cannot stand in a certificate. */
export const UNUSABLE_NAME = 'unusable-name.weir.test';

/** The name that one leaf is forged for. */
export interface LeafName {
  /** Canonical text: the cache key, and what a person sees. */
  readonly text: string;
  /** GeneralName (RFC 5280 §4.2.1.6). */
  readonly generalName: der.Der;
  /** Null when the name is too long for the subject. */
  readonly commonName: string | null;
}

/**
 * Brings what a client asked for (SNI, CONNECT host, address) into the form in which a certificate names it: lower case,
 * without brackets, zone or trailing dot, IDN as A-labels. Never throws: a name that no certificate can hold becomes
 * `UNUSABLE_NAME`, which the client then refuses.
 */
export function leafName(wanted: string): LeafName {
  const text = canonicalName(wanted);
  const address = addressOctets(text);
  const generalName =
    address === null ? der.primitiveTag(2, Buffer.from(text, 'latin1')) : der.primitiveTag(7, address);
  return { text, generalName, commonName: text.length <= MAX_COMMON_NAME ? text : null };
}

/** The canonical text alone; cheap for names that already have it. */
export function canonicalName(wanted: string): string {
  if (PLAIN_NAME.test(wanted)) return wanted;
  const bare = wanted.replace(/^\[(.*)\]$/, '$1');
  const address = bare.replace(ZONE, '');
  if (isIPv6(address)) return new URL(`http://[${address}]`).hostname.slice(1, -1);
  const name = bare.replace(/\.+$/, '');
  const ascii = NON_ASCII.test(name) ? domainToASCII(name) : name.toLowerCase();
  return ascii.length <= MAX_NAME && PRINTABLE.test(ascii) ? ascii : UNUSABLE_NAME;
}

const PLAIN_NAME = /^[a-z0-9_-](?:[a-z0-9_.-]{0,250}[a-z0-9_-])?$/;
/** RFC 4007 §11: `fe80::1%eth0`; certificates know no zones. */
const ZONE = /%[^%]*$/;
const NON_ASCII = /[^\0-\x7f]/;
const PRINTABLE = /^[!-~]+$/;

/** 4 or 16 octets, or null for a host name. */
function addressOctets(text: string): Buffer | null {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  if (!isIPv6(text)) return null;
  const [head = '', tail] = text.split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0);
  const octets = Buffer.alloc(16);
  [...before, ...zeros, ...after].forEach((group, index) => octets.writeUInt16BE(group, index * 2));
  return octets;
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
