import type { InternalPage } from '../model/engine-config.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { Answer } from '../protocol/http1/index.ts';
import type { ExchangeHead } from './broken-head.ts';
import { errorPage } from './error-page.ts';

const PROXY_AUTHENTICATION_REQUIRED = 407;
/** What a client of the proxy has to show (RFC 7617). */
const PROXY_CHALLENGE = ['Proxy-Authenticate', 'Basic realm="Weir", charset="UTF-8"'] as const;

/** What Weir says in an origin's place. */
export type OwnAnswer = Pick<Answer, 'status' | 'fields' | 'body'>;

/** One of Weir's own pages. */
export function pageAnswer({ status, contentType, fileName, body }: InternalPage): OwnAnswer {
  const fields: [string, string][] = [
    ['Content-Type', contentType],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
  ];
  if (fileName !== null) fields.push(['Content-Disposition', `attachment; filename="${fileName}"`]);
  return { status, fields, body };
}

/** We are the last hop: TRACE gets its request back without what is secret, OPTIONS gets an empty answer. */
export function lastHopAnswer({ method, bytes }: ExchangeHead): OwnAnswer {
  if (method === 'OPTIONS') return { status: 200, fields: [], body: Buffer.alloc(0) };
  const lines = bytes.toString('latin1').split('\r\n');
  const open = lines.filter((line) => !/^(authorization|proxy-authorization|cookie)\s*:/i.test(line));
  const body = Buffer.from(open.join('\r\n'), 'latin1');
  return { status: 200, fields: [['Content-Type', 'message/http']], body };
}

/**
 * A failure, as a page or as the client accepts it.
 *
 * @param url what was asked for, for a person
 */
export function failureAnswer(status: number, error: ExchangeError, url: string, accept: string | null): OwnAnswer {
  const page = errorPage(error, url, accept);
  const fields: (readonly [string, string])[] = [
    ['Content-Type', page.contentType],
    ['Cache-Control', 'no-store'],
    ['x-weir-error', error.code],
  ];
  if (status === PROXY_AUTHENTICATION_REQUIRED) fields.push(PROXY_CHALLENGE);
  return { status, fields, body: page.body };
}
