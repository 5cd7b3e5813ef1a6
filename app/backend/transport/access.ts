import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Why a request to the control port is not answered. */
export interface Refusal {
  readonly status: 400 | 401 | 403;
  readonly message: string;
}

/** Codes that wait to be traded; the oldest is forgotten first. */
const MAX_CODES = 64;
const SECRET_BYTES = 24;

/**
 * Who may use the control port. One token for the life of the backend; one-time codes that a page trades for it, so that
 * the token never stands in a URL.
 */
export class Access {
  readonly token = randomBytes(SECRET_BYTES).toString('base64url');
  readonly #codes = new Set<string>();

  /** A new code, good for one trade. */
  createCode(): string {
    const code = randomBytes(SECRET_BYTES).toString('base64url');
    this.#codes.add(code);
    const [oldest] = this.#codes;
    if (this.#codes.size > MAX_CODES && oldest !== undefined) this.#codes.delete(oldest);
    return code;
  }

  /** @returns the token, once for each code; null for any other */
  tradeCode(code: string): string | null {
    for (const known of this.#codes) {
      if (!sameSecret(known, code)) continue;
      this.#codes.delete(known);
      return this.token;
    }
    return null;
  }

  isToken(offered: string | null): boolean {
    return offered !== null && sameSecret(this.token, offered);
  }
}

function sameSecret(known: string, offered: string): boolean {
  const knownBytes = Buffer.from(known);
  const offeredBytes = Buffer.from(offered);
  return knownBytes.length === offeredBytes.length && timingSafeEqual(knownBytes, offeredBytes);
}

/**
 * Refuses requests under a name that is not this port's own: with DNS rebinding a page of another site reaches us under
 * its own name. Accepted are `localhost` and the very address that was connected to, with the right port.
 */
export function refuseHost(request: IncomingMessage): Refusal | null {
  const { localAddress, localPort } = request.socket;
  const host = request.headers.host ?? '';
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(host);
  const name = (match?.[1] ?? match?.[2] ?? '').toLowerCase();
  const port = Number(match?.[3] ?? 80);
  const ours = name === 'localhost' || (isIP(name) !== 0 && plainAddress(name) === plainAddress(localAddress ?? ''));
  if (ours && port === localPort) return null;
  return { status: 403, message: `Weir's control port does not answer under the name ${JSON.stringify(host)}.` };
}

/** IPv4 addresses that are mapped into IPv6 in their plain form. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
}

/**
 * Refuses requests that a page of another site makes: a foreign `Origin`, or a browser's own word that the request
 * crossed sites. Programs that are no browsers send neither.
 */
export function refuseForeignSite(request: IncomingMessage): Refusal | null {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const sameOrigin = origin === undefined || origin === `http://${request.headers.host ?? ''}`;
  if (sameOrigin && (site === undefined || site === 'same-origin')) return null;
  return { status: 403, message: 'Only the page that this control port serves may make this request.' };
}

/** The token of an `Authorization: Bearer` field; null without one. */
export function bearerToken(request: IncomingMessage): string | null {
  const match = /^Bearer ([\w-]+)$/i.exec(request.headers.authorization ?? '');
  return match?.[1] ?? null;
}
