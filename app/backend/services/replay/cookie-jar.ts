import type { HeaderField } from '#contract';
import { valueOf, withField, without, type RequestPlace } from './request-parts.ts';

interface Cookie {
  readonly name: string;
  readonly value: string;
  /** Lower case, without a leading dot. */
  readonly domain: string;
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
}

const COOKIE = new Set(['cookie']);

/** Cookies of one replay: what its answers set, for the requests that follow (RFC 6265 §5). It is forgotten with it. */
export class CookieJar {
  #cookies: readonly Cookie[] = [];

  /** Takes the Set-Cookie fields of an answer. One that names a foreign domain is ignored; one that has expired deletes. */
  learn(place: RequestPlace, fields: readonly HeaderField[], now: number): void {
    for (const [name, value] of fields) {
      if (name.toLowerCase() === 'set-cookie') this.#set(place, value, now);
    }
  }

  /** The fields of a request with the cookies that are known for its place; those of the same name are replaced. */
  apply(place: RequestPlace, fields: readonly HeaderField[]): readonly HeaderField[] {
    const known = this.#cookies.filter((cookie) => isFor(cookie, place));
    if (known.length === 0) return fields;
    const pairs = new Map(pairsOf(valueOf(fields, 'cookie') ?? ''));
    for (const { name, value } of known) pairs.set(name, value);
    const text = [...pairs].map(([name, value]) => (name === '' ? value : `${name}=${value}`)).join('; ');
    return withField(fields, ['Cookie', text]);
  }

  #set(place: RequestPlace, text: string, now: number): void {
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
    const [first] = pairsOf(pair);
    if (first === undefined) return;
    const [name, value] = first;
    const settings = new Map(
      attributes.map((attribute): [string, string] => {
        const equals = attribute.indexOf('=');
        return equals < 0
          ? [attribute.toLowerCase(), '']
          : [attribute.slice(0, equals).trim().toLowerCase(), attribute.slice(equals + 1).trim()];
      }),
    );
    const wanted = (settings.get('domain') ?? '').replace(/^\./, '').toLowerCase();
    const hostOnly = wanted === '' || wanted === place.host;
    if (!hostOnly && !place.host.endsWith(`.${wanted}`)) return;
    const path = settings.get('path') ?? '';
    const cookie: Cookie = {
      name,
      value,
      domain: hostOnly ? place.host : wanted,
      hostOnly: wanted === '',
      path: path.startsWith('/') ? path : defaultPath(place.target),
      secure: settings.has('secure'),
    };
    const others = this.#cookies.filter(
      (other) => other.name !== name || other.domain !== cookie.domain || other.path !== cookie.path,
    );
    this.#cookies = isExpired(settings, now) ? others : [...others, cookie];
  }
}

/** The request without any cookie. */
export function withoutCookies(fields: readonly HeaderField[]): readonly HeaderField[] {
  return without(fields, COOKIE);
}

function pairsOf(text: string): [string, string][] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      return equals < 0 ? ['', part] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
    });
}

function isExpired(settings: ReadonlyMap<string, string>, now: number): boolean {
  const age = settings.get('max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  const expires = Date.parse(settings.get('expires') ?? '');
  return !Number.isNaN(expires) && expires <= now;
}

function isFor(cookie: Cookie, place: RequestPlace): boolean {
  if (cookie.secure && place.scheme !== 'https') return false;
  const sameHost = place.host === cookie.domain;
  if (!sameHost && (cookie.hostOnly || !place.host.endsWith(`.${cookie.domain}`))) return false;
  const path = place.target.split('?', 1)[0] ?? '/';
  return path === cookie.path || path.startsWith(cookie.path.endsWith('/') ? cookie.path : `${cookie.path}/`);
}

/** RFC 6265 §5.1.4. */
function defaultPath(target: string): string {
  const path = target.split('?', 1)[0] ?? '/';
  const last = path.lastIndexOf('/');
  return last <= 0 ? '/' : path.slice(0, last);
}
