import type { ExchangeSummary } from '../../proxy-engine/model/exchange.ts';

/** `scheme://host[:port]path` with the port where it is not the scheme's own. */
export function exchangeUrl({ scheme, host, port, path }: ExchangeSummary): string {
  const name = host.includes(':') ? `[${host}]` : host;
  const usual = (scheme === 'http' && port === 80) || (scheme === 'https' && port === 443);
  // The target of OPTIONS * and of CONNECT is no path.
  const tail = path === '' || path.startsWith('/') ? path : `/${path}`;
  return `${scheme}://${name}${usual ? '' : `:${String(port)}`}${tail}`;
}

/**
 * A text of at most so many characters (UTF-16 code units), with an ellipsis in the middle where more were there: of a URL,
 * host and last segment tell the most.
 */
export function shortenMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const after = Math.floor((most - 1) / 2);
  const begin = text.slice(0, most - 1 - after).replace(/[\ud800-\udbff]$/, '');
  const end = text.slice(text.length - after).replace(/^[\udc00-\udfff]/, '');
  return `${begin}…${end}`;
}

/** ISO 8601 with six digits after the second. @param microseconds since the Unix epoch */
export function isoMicroseconds(microseconds: number): string {
  const whole = Math.floor(microseconds);
  const rest = ((whole % 1_000) + 1_000) % 1_000;
  return new Date((whole - rest) / 1_000).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
