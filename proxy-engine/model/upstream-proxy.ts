/** A proxy between Weir and origins. */
export interface UpstreamProxy {
  /** `https` is HTTP over TLS to the proxy itself; `socks5` lets the proxy resolve names. */
  readonly scheme: 'http' | 'https' | 'socks5';
  /** Lower case, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Null where the proxy asks for none. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

/** One line of the setting `upstreamRules`. */
export interface UpstreamRule {
  /** Hosts that it is for, as in the setting `noProxy`. */
  readonly pattern: string;
  /** Null to reach them without a proxy. */
  readonly proxy: UpstreamProxy | null;
}

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1_080 } as const;
const PROXY_URL =
  /^(https?|socks5h?):\/\/(?:([^:@/\s]*)(?::([^@/\s]*))?@)?(\[[0-9a-f:.]+\]|[^:/@[\]\s]+)(?::(\d{1,5}))?\/?$/i;

/**
 * Reads the URL of a proxy: `http`, `https`, `socks5` or `socks5h`, with user and password where it wants some.
 *
 * @returns null when it is none of them
 */
export function parseProxyUrl(text: string): UpstreamProxy | null {
  const match = PROXY_URL.exec(text.trim());
  const [, scheme = '', user, password = '', host = '', portText] = match ?? [];
  if (match === null) return null;
  const kind = scheme.toLowerCase().startsWith('socks') ? 'socks5' : scheme.toLowerCase() === 'http' ? 'http' : 'https';
  const port = portText === undefined ? DEFAULT_PORTS[kind] : Number(portText);
  if (port < 1 || port > 65_535) return null;
  const decoded = user === undefined ? null : decodeCredentials(user, password);
  if (user !== undefined && decoded === null) return null;
  return { scheme: kind, host: host.replace(/^\[|\]$/g, '').toLowerCase(), port, credentials: decoded };
}

/** Reads `PATTERN URL` or `PATTERN direct`; null for anything else. */
export function parseUpstreamRule(text: string): UpstreamRule | null {
  const [pattern, target, ...others] = text.trim().split(/\s+/);
  if (pattern === undefined || target === undefined || others.length > 0) return null;
  if (target.toLowerCase() === 'direct') return { pattern, proxy: null };
  const proxy = parseProxyUrl(target);
  return proxy === null ? null : { pattern, proxy };
}

function decodeCredentials(user: string, password: string): UpstreamProxy['credentials'] {
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return null;
  }
}
