import type { HeaderField } from '#contract';

/** A cookie as a request carries it, or as a response sets it. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** Attributes in words, as `Path=/` or `Secure`; empty for a request's. */
  readonly attributes: readonly string[];
  /** What browsers will not do with it, or what it lays open, in sentences. */
  readonly warnings: readonly string[];
}

/** Longest name and value together that browsers take, bytes (RFC 6265bis §5.6). */
const MOST_BYTES = 4_096;

/** Cookies of a request's `Cookie` fields, in order. */
export function requestCookies(headers: readonly HeaderField[]): readonly Cookie[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, value]) => value.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => ({ ...splitPair(pair), attributes: [], warnings: [] }));
}

/**
 * Cookies that a response sets, each with what a browser will make of it (RFC 6265bis §5.6, §5.7).
 * @param secure the response came over TLS
 * @param host that it came from, lower case
 */
export function responseCookies(headers: readonly HeaderField[], secure: boolean, host: string): readonly Cookie[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'set-cookie')
    .map(([, value]) => {
      const [first = '', ...rest] = value.split(';').map((part) => part.trim());
      const pair = splitPair(first);
      const attributes = rest.filter((part) => part !== '');
      return { ...pair, attributes, warnings: warningsOf(pair, attributes, secure, host) };
    });
}

function warningsOf(
  { name, value }: { readonly name: string; readonly value: string },
  attributes: readonly string[],
  secure: boolean,
  host: string,
): string[] {
  const given = new Map(attributes.map((text) => [splitPair(text).name.toLowerCase(), splitPair(text).value]));
  const isSecure = given.has('secure');
  const sameSite = given.get('samesite')?.toLowerCase();
  const domain = given.get('domain')?.toLowerCase().replace(/^\./, '');
  const warnings: string[] = [];
  if (name === '' && value === '') warnings.push('It is empty, and browsers ignore it.');
  if (name.length + value.length > MOST_BYTES) warnings.push('It is longer than 4,096 bytes, and browsers ignore it.');
  if (isSecure && !secure) warnings.push('Secure over plain HTTP: browsers ignore it.');
  if (name.startsWith('__Secure-') && !isSecure) warnings.push('A __Secure- name without Secure: browsers ignore it.');
  if (name.startsWith('__Host-') && (!isSecure || given.get('path') !== '/' || domain !== undefined)) {
    warnings.push('A __Host- name wants Secure, Path=/ and no Domain: browsers ignore it.');
  }
  if (sameSite === 'none' && !isSecure) warnings.push('SameSite=None without Secure: browsers ignore it.');
  if (sameSite !== undefined && !['none', 'lax', 'strict'].includes(sameSite)) {
    warnings.push('An unknown SameSite counts as Lax.');
  }
  if (domain !== undefined && domain !== '' && host !== domain && !host.endsWith(`.${domain}`)) {
    warnings.push(`Domain is not ${host} or above it: browsers ignore it.`);
  }
  const expires = given.get('expires');
  if (expires !== undefined && !given.has('max-age') && Number.isNaN(Date.parse(expires))) {
    warnings.push('Expires cannot be read, so it ends with the browser’s session.');
  }
  if (!isSecure && secure) warnings.push('Without Secure it also travels over plain HTTP.');
  if (!given.has('httponly') && /sess|token|auth|sid\b/i.test(name)) {
    warnings.push('Without HttpOnly scripts of the page can read it.');
  }
  return warnings;
}

function splitPair(text: string): { name: string; value: string } {
  const equals = text.indexOf('=');
  if (equals < 0) return { name: text, value: '' };
  return { name: text.slice(0, equals).trim(), value: text.slice(equals + 1).trim() };
}
