import type { ExchangeError } from '../model/error-code.ts';
import { Http2Error } from '../protocol/http2/index.ts';
import { failure } from './failures.ts';
import { http2ErrorName } from '../model/http2-names.ts';
import type { LinkFailure, StreamReset } from './link.ts';

/** Methods that may be repeated without harm (RFC 9110 §9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Where an exchange stands when its origin connection, or its stream, ends before the response does. */
export interface LossFacts {
  readonly host: string;
  readonly method: string;
  /** Some byte of an answer had come. */
  readonly answered: boolean;
  /** A final response's head had come. */
  readonly responseStarted: boolean;
  /** The request was sent again once already. */
  readonly retried: boolean;
  /** Everything that was sent can be sent again. */
  readonly isWhollyHeld: boolean;
  /** The connection had waited for an exchange, and may have been closed meanwhile. */
  readonly pooled: boolean;
  /** Exchanges that it has carried, this one included. */
  readonly uses: number;
}

/** What becomes of the exchange: another attempt, or its end. */
export type LossVerdict =
  | {
      readonly kind: 'retry';
      /** By a connection that nobody used before. */
      readonly afresh: boolean;
      /** The origin wants HTTP/1.1. */
      readonly http1: boolean;
    }
  | { readonly kind: 'fail'; readonly error: ExchangeError; readonly resetCode: number | null };

/** Judges the loss of an origin (RFC 9110 §9.2.2, RFC 9113 §8.7). */
export function judgeLoss(reason: LinkFailure | null, facts: LossFacts): LossVerdict {
  if (reason?.reset !== undefined) return judgeReset(reason.reset, reason.message, facts);
  if (facts.answered) {
    const { farewell } = reason ?? {};
    const how =
      reason === null ? 'closed' : farewell === undefined ? 'reset' : `said ${http2ErrorName(farewell)} and ended`;
    const code = facts.responseStarted ? 'origin.cut-short' : 'origin.closed-early';
    // Other errors judge the connection, which is none of the client's.
    const resetCode = farewell === Http2Error.cancel ? farewell : null;
    return fail(failure(code, `The origin ${how} the connection in the middle of its response.`), resetCode);
  }
  const isWorn = facts.pooled || facts.uses > 1;
  if (isWorn && !facts.retried && facts.isWhollyHeld && IDEMPOTENT.has(facts.method)) {
    return { kind: 'retry', afresh: true, http1: false };
  }
  if (reason?.code.includes('CERTIFICATE_REQUIRED') ?? false) {
    // TLS 1.3 servers say so after the handshake (RFC 8446 §4.4.2.4).
    const message = `${facts.host} asks for a client certificate, and takes none that it was shown.`;
    return fail(failure('tls.origin-wants-certificate', message));
  }
  return fail(failure('origin.closed-early', lostMessage(reason, facts)));
}

/** The origin's stream of HTTP/2 was reset, by it or because of it. */
function judgeReset({ code, byPeer, withConnection }: StreamReset, message: string, facts: LossFacts): LossVerdict {
  const isUnprocessed = byPeer && (code === Http2Error.refusedStream || code === Http2Error.http11Required);
  if (isUnprocessed && !facts.responseStarted && !facts.retried && facts.isWhollyHeld) {
    // The origin has not looked at it, so that even a POST may be sent once more.
    return { kind: 'retry', afresh: false, http1: code === Http2Error.http11Required };
  }
  if (facts.responseStarted) return fail(failure('origin.cut-short', message), code);
  if (!byPeer) return fail(failure(withConnection ? 'http2.origin-connection' : 'http2.malformed-response', message));
  if (!isUnprocessed) return fail(failure('http2.reset', message), code);
  const why = whyNotAgain(facts);
  return fail(failure('http2.refused', `${message} The request was not sent again because ${why}.`), code);
}

function fail(error: ExchangeError, resetCode: number | null = null): LossVerdict {
  return { kind: 'fail', error, resetCode };
}

function whyNotAgain({ retried }: LossFacts): string {
  return retried
    ? 'it had been sent again once already'
    : 'its body was too long to be held (setting limits.retryBodyBytes)';
}

function lostMessage(reason: LinkFailure | null, facts: LossFacts): string {
  const how = reason === null ? 'closed the connection' : `broke the connection (${reason.code})`;
  if (facts.uses === 1) return `The origin ${how} without an answer.`;
  const why = IDEMPOTENT.has(facts.method) ? whyNotAgain(facts) : `${facts.method} must not be sent twice`;
  return `The origin ${how}, which earlier exchanges had used, without an answer; the request was not sent again because ${why}.`;
}
