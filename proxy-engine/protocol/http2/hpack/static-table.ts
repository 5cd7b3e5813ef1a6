import { HeaderEntry } from './header-entry.ts';

/** The static table (RFC 7541, Appendix A) as name and value in turn; its first entry has index 1. */
const FIELDS = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language', ''],
  ['accept-ranges', ''],
  ['accept', ''],
  ['access-control-allow-origin', ''],
  ['age', ''],
  ['allow', ''],
  ['authorization', ''],
  ['cache-control', ''],
  ['content-disposition', ''],
  ['content-encoding', ''],
  ['content-language', ''],
  ['content-length', ''],
  ['content-location', ''],
  ['content-range', ''],
  ['content-type', ''],
  ['cookie', ''],
  ['date', ''],
  ['etag', ''],
  ['expect', ''],
  ['expires', ''],
  ['from', ''],
  ['host', ''],
  ['if-match', ''],
  ['if-modified-since', ''],
  ['if-none-match', ''],
  ['if-range', ''],
  ['if-unmodified-since', ''],
  ['last-modified', ''],
  ['link', ''],
  ['location', ''],
  ['max-forwards', ''],
  ['proxy-authenticate', ''],
  ['proxy-authorization', ''],
  ['range', ''],
  ['referer', ''],
  ['refresh', ''],
  ['retry-after', ''],
  ['server', ''],
  ['set-cookie', ''],
  ['strict-transport-security', ''],
  ['transfer-encoding', ''],
  ['user-agent', ''],
  ['vary', ''],
  ['via', ''],
  ['www-authenticate', ''],
] as const;

/** Entries of the static table; index 0 is not used. */
export const STATIC_ENTRIES: readonly HeaderEntry[] = [
  new HeaderEntry('', ''),
  ...FIELDS.map(([name, value]) => new HeaderEntry(name, value)),
];

/** Index of the last static entry; dynamic entries come after it. */
export const STATIC_SIZE = FIELDS.length;

/** First static index of each name. */
export const STATIC_NAMES: ReadonlyMap<string, number> = new Map(
  FIELDS.map(([name], at): [string, number] => [name, at + 1]).reverse(),
);

/** Static index of each name with a value, keyed by `name\0value`. */
export const STATIC_FIELDS: ReadonlyMap<string, number> = new Map(
  FIELDS.map(([name, value], at): [string, number] => [`${name}\0${value}`, at + 1]),
);
