import type { HeaderEntry } from './hpack/header-entry.ts';

/** A head as HTTP/2 carries it: pseudo-fields by name, the others in wire order. */
export interface Http2Head {
  readonly method: string;
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  /** `:protocol` of an extended CONNECT (RFC 8441), else empty. */
  readonly protocol: string;
  /** 0 for requests. */
  readonly status: number;
  readonly fields: readonly HeaderEntry[];
  /** Declared body length, or -1. */
  readonly contentLength: number;
  /** Values whose surrounding white space was taken away, by setting (RFC 9113 §8.2.1 calls them malformed). */
  readonly strippedSpace: boolean;
}

export type HeadKind = 'request' | 'response' | 'trailers';

/** What is known of one entry, kept in its `marks`, so that entries of the tables are judged once. */
const Mark = { judged: 1, pseudo: 2, badName: 4, badValue: 8, outerSpace: 16, connection: 32, special: 64 } as const;

const TOKEN = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") TOKEN[character.charCodeAt(0)] = 1;

/** Fields that belong to one connection and make an HTTP/2 message malformed (RFC 9113 §8.2.2). */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function judge(entry: HeaderEntry): number {
  const { name, value } = entry;
  let marks: number = Mark.judged;
  const pseudo = name.charCodeAt(0) === 0x3a;
  if (pseudo) marks |= Mark.pseudo;
  if (name.length === (pseudo ? 1 : 0)) marks |= Mark.badName;
  for (let at = pseudo ? 1 : 0; at < name.length; at += 1) if (TOKEN[name.charCodeAt(at)] !== 1) marks |= Mark.badName;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    // Beside NUL, CR and LF the other controls, which no HTTP/1 peer could be given (RFC 9110 §5.5).
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) marks |= Mark.badValue;
  }
  if (isSpace(value.charCodeAt(0)) || isSpace(value.charCodeAt(value.length - 1))) marks |= Mark.outerSpace;
  if (CONNECTION_FIELDS.has(name) || (name === 'te' && value.toLowerCase() !== 'trailers')) marks |= Mark.connection;
  if (name === 'content-length' || name === 'host') marks |= Mark.special;
  entry.marks = marks;
  return marks;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

/** A message that RFC 9113 §8.1.1 calls malformed; `reason` is for a person. */
export class MalformedHead {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

interface PseudoFields {
  method: string | null;
  scheme: string | null;
  authority: string | null;
  path: string | null;
  protocol: string | null;
  status: string | null;
}

/**
 * Judges a decoded header list and takes it apart.
 *
 * @param tolerateSpace take white space around values away instead of refusing the message
 * @see RFC 9113 §8.2, §8.3, §8.5, RFC 8441 §4
 */
export function readHead(
  kind: HeadKind,
  entries: readonly HeaderEntry[],
  tolerateSpace: boolean,
): Http2Head | MalformedHead {
  const pseudo: PseudoFields = {
    method: null,
    scheme: null,
    authority: null,
    path: null,
    protocol: null,
    status: null,
  };
  let firstField = 0;
  let contentLength = -1;
  let host: string | null = null;
  let strip = false;
  let sawField = false;
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at];
    if (entry === undefined) break;
    const marks = entry.marks === 0 ? judge(entry) : entry.marks;
    if (marks === Mark.judged) {
      sawField = true;
      continue;
    }
    if ((marks & Mark.badName) !== 0) return new MalformedHead(`field name ${JSON.stringify(entry.name)}`);
    if ((marks & Mark.badValue) !== 0) return new MalformedHead(`control character in the value of ${entry.name}`);
    if ((marks & Mark.outerSpace) !== 0) {
      if (!tolerateSpace || (marks & Mark.pseudo) !== 0)
        return new MalformedHead(
          `white space around the value of ${entry.name}${kind === 'response' ? ' (setting stripOuterSpace takes it away)' : ''}`,
        );
      strip = true;
    }
    if ((marks & Mark.connection) !== 0) return new MalformedHead(`connection field ${entry.name}`);
    if ((marks & Mark.pseudo) !== 0) {
      if (sawField) return new MalformedHead(`${entry.name} after ordinary fields`);
      const fault = takePseudo(kind, entry, pseudo);
      if (fault !== null) return fault;
      firstField = at + 1;
      continue;
    }
    sawField = true;
    if (entry.name === 'content-length') {
      const length = parseLength(entry.value.trim());
      if (length === -1 || (contentLength !== -1 && contentLength !== length))
        return new MalformedHead('content-length');
      contentLength = length;
    } else if (entry.name === 'host') {
      if (host !== null && host !== entry.value) return new MalformedHead('several different host fields');
      host = entry.value;
    }
  }
  const fault = kind === 'request' ? checkRequest(pseudo, host) : kind === 'response' ? checkStatus(pseudo) : null;
  if (fault !== null) return fault;
  const ordinary = firstField === 0 ? entries : entries.slice(firstField);
  return {
    method: pseudo.method ?? '',
    scheme: pseudo.scheme ?? '',
    authority: pseudo.authority ?? host ?? '',
    path: pseudo.path ?? '',
    protocol: pseudo.protocol ?? '',
    status: Number(pseudo.status ?? 0),
    fields: strip ? ordinary.map(withoutOuterSpace) : ordinary,
    contentLength,
    strippedSpace: strip,
  };
}

function withoutOuterSpace(entry: HeaderEntry): HeaderEntry {
  const value = entry.value.replace(/^[\t ]+|[\t ]+$/g, '');
  return value === entry.value
    ? entry
    : Object.assign(Object.create(Object.getPrototypeOf(entry) as object) as HeaderEntry, {
        name: entry.name,
        value,
        sensitive: entry.sensitive,
        marks: 0,
      });
}

function takePseudo(kind: HeadKind, entry: HeaderEntry, into: PseudoFields): MalformedHead | null {
  const key = entry.name.slice(1);
  const known = kind === 'request' ? REQUEST_PSEUDO.has(key) : kind === 'response' && key === 'status';
  if (!known) return new MalformedHead(`${entry.name} does not belong here`);
  const field = key as keyof PseudoFields;
  if (into[field] !== null) return new MalformedHead(`${entry.name} twice`);
  into[field] = entry.value;
  return null;
}

const REQUEST_PSEUDO: ReadonlySet<string> = new Set(['method', 'scheme', 'authority', 'path', 'protocol']);

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const NOT_IN_AUTHORITY = /[\x00-\x20\x7f/?#\\,]/;

function checkRequest(pseudo: PseudoFields, host: string | null): MalformedHead | null {
  const { method, scheme, authority, path, protocol } = pseudo;
  if (method === null || method === '') return new MalformedHead(':method is missing');
  if (!METHOD.test(method)) return new MalformedHead(':method is not a token');
  if (authority?.includes('@') === true) return new MalformedHead('user information in :authority');
  if (NOT_IN_AUTHORITY.test(authority ?? host ?? '')) return new MalformedHead(':authority is not an authority');
  if (path !== null && /[\x00-\x20\x7f]/.test(path)) return new MalformedHead('white space in :path');
  if (authority !== null && host !== null && authority.toLowerCase() !== host.toLowerCase()) {
    return new MalformedHead(':authority and host differ');
  }
  if (method === 'CONNECT' && protocol === null) {
    if (scheme !== null || path !== null) return new MalformedHead('CONNECT with :scheme or :path');
    return authority === null || authority === '' ? new MalformedHead('CONNECT without :authority') : null;
  }
  if (scheme === null || scheme === '') return new MalformedHead(':scheme is missing');
  if (path === null || path === '') return new MalformedHead(':path is missing or empty');
  if (protocol !== null && method !== 'CONNECT') return new MalformedHead(':protocol without CONNECT');
  const asterisk = path === '*' && method === 'OPTIONS';
  if ((scheme === 'http' || scheme === 'https') && !path.startsWith('/') && !asterisk)
    return new MalformedHead(':path is not a path');
  return null;
}

function checkStatus(pseudo: PseudoFields): MalformedHead | null {
  if (pseudo.status === null || !/^[1-9]\d\d$/.test(pseudo.status)) return new MalformedHead(':status');
  // 101 has no meaning in HTTP/2 (RFC 9113 §8.6).
  return pseudo.status === '101' ? new MalformedHead('status 101') : null;
}

/** A length in octets, or -1. */
function parseLength(text: string): number {
  if (!/^\d+$/.test(text)) return -1;
  const length = Number(text);
  return Number.isSafeInteger(length) ? length : -1;
}
