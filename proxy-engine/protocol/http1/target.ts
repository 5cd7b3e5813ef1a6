import { defaultPort, formatAuthority, parseAuthority, parseConnectAuthority } from './authority.ts';
import type { Authority } from './authority.ts';

/** The four forms of a request target (RFC 9112 §3.2). */
export type TargetForm = 'origin' | 'absolute' | 'authority' | 'asterisk';

/** Where a request wants to go, from its target and its Host field. */
export interface RequestTarget {
  readonly form: TargetForm;
  /** Absolute form only (`ws` counts as `http`, `wss` as `https`), else null. */
  readonly scheme: 'http' | 'https' | null;
  /** Lower case, IDN as A-labels, IPv6 without brackets. Of the target, else of Host; empty when neither names one. */
  readonly host: string;
  /** As named, else the scheme's default in absolute form; null when neither the target nor Host names one. */
  readonly port: number | null;
  /** What an origin is sent: path and query, or `*`; empty in authority form. */
  readonly path: string;
  /** Host and port for a forwarded Host field: the target's as written (IDN as A-labels), else Host's value. */
  readonly authority: string;
  /** The target names another authority than the Host field does; the target wins. */
  readonly differsFromHost: boolean;
}

const SCHEMES: ReadonlyMap<string, 'http' | 'https'> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
]);

/** What stands in a request target that names no host. */
const NOWHERE: RequestTarget = {
  form: 'origin',
  scheme: null,
  host: '',
  port: null,
  path: '',
  authority: '',
  differsFromHost: false,
};

/**
 * Reads a request target.
 * @param host value of the Host field, already found valid, or null
 * @returns null when the target is in none of the forms, or in one that the method does not allow
 * @see RFC 9112 §3.2
 */
export function parseTarget(method: string, target: string, host: string | null): RequestTarget | null {
  if (method === 'CONNECT') return authorityForm(target, host);
  if (target.startsWith('/')) return originTarget(target, host);
  if (target === '*') return method === 'OPTIONS' ? { ...fromHost(host), form: 'asterisk', path: '*' } : null;
  return absoluteForm(method, target, host);
}

/** Reads a target that is a path; `host` is the Host field's value, already found valid, or null. */
export function originTarget(path: string, host: string | null): RequestTarget {
  return { ...fromHost(host), form: 'origin', path };
}

function fromHost(host: string | null): RequestTarget {
  const named = host === null ? null : parseAuthority(host);
  if (host === null || named === null) return NOWHERE;
  return { ...NOWHERE, host: named.host, port: named.port, authority: host };
}

function authorityForm(target: string, host: string | null): RequestTarget | null {
  const named = parseConnectAuthority(target);
  if (named === null) return null;
  const hostField = host === null ? null : parseAuthority(host);
  return {
    ...NOWHERE,
    form: 'authority',
    host: named.host,
    port: named.port,
    authority: target,
    // Many clients leave the port out of CONNECT's Host field.
    differsFromHost:
      hostField !== null &&
      (hostField.host !== named.host || (hostField.port !== null && hostField.port !== named.port)),
  };
}

function absoluteForm(method: string, target: string, host: string | null): RequestTarget | null {
  const colon = target.indexOf('://');
  const scheme = colon < 0 ? undefined : SCHEMES.get(target.slice(0, colon).toLowerCase());
  if (scheme === undefined) return null;
  const start = colon + 3;
  const end = authorityEnd(target, start);
  const text = target.slice(start, end);
  const named = parseAuthority(text);
  if (named === null) return null;
  const rest = target.slice(end);
  const port = named.port ?? defaultPort(scheme);
  return {
    form: 'absolute',
    scheme,
    host: named.host,
    port,
    path: originForm(method, rest),
    authority: isAscii(text) ? text : formatAuthority(named.host, port, scheme),
    differsFromHost: host !== null && host !== text && differs(host, named.host, port, scheme),
  };
}

function authorityEnd(target: string, start: number): number {
  for (let index = start; index < target.length; index++) {
    const character = target.charCodeAt(index);
    if (character === 0x2f || character === 0x3f || character === 0x23) return index;
  }
  return target.length;
}

/** Path and query of an absolute target; an empty path is `/`, or `*` for OPTIONS (RFC 9112 §3.2.1, §3.2.4). */
function originForm(method: string, rest: string): string {
  if (rest === '') return method === 'OPTIONS' ? '*' : '/';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function differs(hostField: string, host: string, port: number, scheme: 'http' | 'https'): boolean {
  const named: Authority | null = parseAuthority(hostField);
  return named === null || named.host !== host || (named.port ?? defaultPort(scheme)) !== port;
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
