import type { ConnectionRecord } from '../capture/tap.ts';
import type { InternalPage } from '../model/engine-config.ts';
import type { ErrorCode, ErrorPhase, ErrorSide, ExchangeError } from '../model/error-code.ts';
import type { MessageSide } from '../model/exchange.ts';
import { writeAnswer, writeResponseHead, type ResponseHead } from '../protocol/http1/index.ts';
import type { ExchangeHead } from './broken-head.ts';
import type { PipelineContext } from './context.ts';
import { errorPage } from './error-page.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import { answerStatus, failure } from './failures.ts';
import type { Http1Client } from './http1-client.ts';
import type { Http1Origin } from './http1-origin.ts';
import type { LinkFailure } from './link.ts';
import type { OriginRoute, OriginWaiter } from './origins.ts';
import type { PacedSource } from './pacing.ts';
import { planUrl, type RequestPlan } from './plan-request.ts';
import { RequestFeed } from './request-feed.ts';
import { Tunnel } from './tunnel.ts';

const NOTHING = Buffer.alloc(0);

/** Methods that may be repeated without harm (RFC 9110 §9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * One request and its response, or its failure, between an HTTP/1 client and an HTTP/1 origin. Every exchange gets a
 * response or an error, never both, and ends exactly once: by the response's end, by `fail`, or by the client's going.
 */
export class Exchange implements OriginWaiter, PacedSource {
  readonly client: Http1Client;
  readonly record: ExchangeRecord;
  readonly head: ExchangeHead;
  requestDone = false;
  /** The client speaks HTTP/1.0 and gets a chunked body without its framing, ended by the connection's end. */
  unframed = false;
  readonly #context: PipelineContext;
  readonly #plan: RequestPlan;
  readonly #feed: RequestFeed;
  #route: OriginRoute | null = null;
  #origin: Http1Origin | null = null;
  #cancelDial: (() => void) | null = null;
  #keepAlive: boolean;
  #retried = false;
  #responseStarted = false;
  #responseDone = false;
  #responseIsFramed = true;
  #originStays = false;
  #pinned = false;
  #over = false;

  constructor(
    context: PipelineContext,
    client: Http1Client,
    record: ExchangeRecord,
    head: ExchangeHead,
    plan: RequestPlan,
  ) {
    this.#context = context;
    this.client = client;
    this.record = record;
    this.head = head;
    this.#plan = plan;
    this.#keepAlive = head.keepAlive;
    this.#feed = new RequestFeed(context.settings.limits.retryBodyBytes);
    if (head.anomalies.length > 0) record.addAnomalies(head.anomalies);
    if (plan.anomaly !== null) record.anomaly(plan.anomaly);
  }

  get isOver(): boolean {
    return this.#over;
  }

  // ---- the client's side -------------------------------------------------------------------------------------------

  /**
   * Does what was planned. Called once, after the segment that brought the head has been read.
   *
   * @param wire body bytes that came with the head, or null
   */
  start(wire: Buffer | null): void {
    const { action } = this.#plan;
    switch (action.kind) {
      case 'forward':
        this.#feed.begin(action.sentHead);
        if (wire !== null) this.#feed.add(wire);
        this.#connect(action.route);
        break;
      case 'page':
        this.#answerPage(action.page);
        break;
      case 'last-hop':
        this.#answerLastHop();
        break;
      case 'refuse':
        this.#failWith(action.error);
        break;
      case 'connect':
        break;
    }
  }

  /** More body bytes, framed as received. */
  onRequestWire(wire: Buffer): void {
    if (this.#over) return;
    this.touch();
    this.#feed.add(wire);
    if (this.#origin !== null) this.#flush(this.#origin);
    if (!this.#requestFlows()) this.client.pause();
  }

  onRequestEnd(): void {
    this.requestDone = true;
    if (this.#over) return;
    if (this.#origin !== null) this.record.markSent();
    if (this.#responseDone) this.#complete();
  }

  onOriginDrain(): void {
    if (this.#requestFlows()) this.client.resume();
  }

  onClientDrain(): void {
    if (this.responseFlows()) this.#origin?.link.resume();
  }

  onPaceRelieved(side: MessageSide): void {
    if (side === 'request') this.onOriginDrain();
    else this.onClientDrain();
  }

  /** Whether more of the response may be read: the client takes it and the store keeps up. */
  responseFlows(): boolean {
    return !this.client.link.full && !this.#context.pacing.holds(this, 'response');
  }

  #requestFlows(): boolean {
    if (this.requestDone) return true;
    return !this.#feed.isFull && !(this.#origin?.link.full ?? false) && !this.#context.pacing.holds(this, 'request');
  }

  /** The client is gone. */
  onClientGone(): void {
    if (this.#over) return;
    if (this.#responseDone) {
      this.#keepAlive = false;
      this.#complete();
      return;
    }
    const error = this.requestDone
      ? failure('client.cancelled', 'The client closed its connection before the response was complete.')
      : failure('client.cut-short', 'The client closed its connection before its request was complete.');
    this.#end(error);
    this.client.onExchangeOver(false);
  }

  /** Bytes moved: the idle clock starts anew. */
  touch(): void {
    this.client.touch();
  }

  onTimeout(
    code: 'timeout.first-byte' | 'timeout.idle' | 'timeout.total',
    milliseconds: number,
    setting: string,
  ): void {
    const stuckClient = code === 'timeout.idle' && (!this.requestDone || this.client.link.full);
    const what = code === 'timeout.total' ? 'The exchange was not complete' : 'Nothing moved';
    this.fail(
      code,
      `${what} within ${String(milliseconds)} ms (setting timeouts.${setting}).`,
      stuckClient ? { side: 'client' } : {},
    );
  }

  // ---- the origin's side -------------------------------------------------------------------------------------------

  onResolved(): void {
    this.record.markResolved();
  }

  onTcpConnected(): void {
    this.record.markConnected();
  }

  onOrigin(origin: Http1Origin): void {
    this.#cancelDial = null;
    if (origin.link.secure) this.record.markSecure();
    this.#attach(origin, false);
  }

  onOriginFailed(error: ExchangeError, connection: ConnectionRecord | null): void {
    this.#cancelDial = null;
    if (connection !== null) this.record.origin({ record: connection, isRecorded: false }, false);
    this.#failWith(error);
  }

  /** The origin has begun to answer. */
  onFirstByte(): void {
    this.record.markFirstByte();
    this.client.onAnswered();
  }

  onInformational(head: ResponseHead): void {
    if (this.#over) return;
    this.record.informational(head);
    if (this.head.minorVersion === 0) return;
    this.sendToClient(
      writeResponseHead(head, { clientMinorVersion: 1, keepAlive: true, relayUpgrade: false, appendedLines: '' }),
    );
  }

  /** Returns the head to send to the client. */
  onResponseHead(head: ResponseHead): Buffer | null {
    if (this.#over) return null;
    this.#responseStarted = true;
    if (head.anomalies.length > 0) this.record.addAnomalies(head.anomalies);
    if (!this.requestDone) this.record.anomaly('early-response');
    const { minorVersion } = this.head;
    this.#responseIsFramed = head.framing !== 'until-close';
    this.#originStays = head.keepAlive && this.#responseIsFramed;
    if (minorVersion === 0 && head.framing === 'chunked') {
      this.unframed = true;
      this.#responseIsFramed = false;
      this.record.sentResponseFraming = 'identity';
    }
    // An origin that answers early and then closes wants no more of the body: the client has to be told so.
    if (!this.#responseIsFramed || this.#context.draining || (!this.requestDone && !head.keepAlive))
      this.#keepAlive = false;
    if (head.status === 401 && challengesConnection(head)) this.#pinned = true;
    const sent = writeResponseHead(head, {
      clientMinorVersion: minorVersion,
      keepAlive: this.#keepAlive,
      relayUpgrade: head.status === 426,
      appendedLines: this.#context.settings.forwardedFields ? 'Via: 1.1 weir\r\n' : '',
    });
    this.record.response(head.status, head.bytes, sent === head.bytes ? null : sent);
    return sent;
  }

  onResponsePayload(bytes: Buffer, start: number, end: number): void {
    if (this.#over) return;
    this.record.payload('response', bytes, start, end);
    if (this.unframed) this.sendToClient(bytes.subarray(start, end));
  }

  sendToClient(bytes: Buffer): void {
    if (this.#over) return;
    this.#context.counters.bytesToClient += bytes.length;
    this.client.link.write(bytes);
  }

  /** @param stray bytes came after the response's end */
  onResponseEnd(status: number, stray: boolean): void {
    if (this.#over) return;
    this.#responseDone = true;
    if (stray) {
      this.#originStays = false;
      const bodyless = this.head.method === 'HEAD' || status === 204 || status === 304;
      this.record.anomaly(bodyless ? 'body-on-bodyless-response' : 'bytes-after-response');
    }
    if (this.requestDone || !this.#keepAlive) this.#complete();
    else this.#originStays = false;
  }

  /** A 101 came. Returns whether it is one that was asked for; then `onSwitched` follows. */
  onSwitch(head: ResponseHead): boolean {
    if (this.#over) return false;
    if (this.#plan.action.kind !== 'forward' || !this.#plan.action.upgrades) {
      this.fail(
        'http1.unexpected-101',
        'The origin answered 101 Switching Protocols to a request that did not ask for it.',
      );
      return false;
    }
    this.#responseStarted = true;
    const sent = writeResponseHead(head, {
      clientMinorVersion: 1,
      keepAlive: true,
      relayUpgrade: true,
      appendedLines: '',
    });
    this.record.response(101, head.bytes, sent === head.bytes ? null : sent);
    this.sendToClient(sent);
    return true;
  }

  /** The connection belongs to another protocol from here on. `rest` is what the origin sent behind its 101. */
  onSwitched(rest: Buffer): void {
    const origin = this.#origin;
    if (this.#over || origin === null) return;
    this.#over = true;
    this.#origin = null;
    origin.unassign();
    const early = this.client.leave();
    const tunnel = new Tunnel(this.#context, this.record, this.client.link, origin.link, { recordsBytes: true });
    tunnel.start(early, rest);
  }

  /** The origin connection ended before the response did. */
  onOriginLost(reason: LinkFailure | null): void {
    const origin = this.#origin;
    if (this.#over || origin === null) return;
    this.#origin = null;
    origin.discard(false);
    if (this.#responseDone) {
      this.#keepAlive = false;
      this.#complete();
    } else if (origin.answered) {
      this.fail(
        this.#responseStarted ? 'origin.cut-short' : 'origin.closed-early',
        `The origin ${reason === null ? 'closed' : 'reset'} the connection in the middle of its response.`,
      );
    } else if (this.#mayRetry(origin)) {
      this.#retry();
    } else if (reason?.code.includes('CERTIFICATE_REQUIRED') ?? false) {
      // TLS 1.3 servers say so after the handshake (RFC 8446 §4.4.2.4).
      this.fail(
        'tls.origin-wants-certificate',
        `${origin.route.host} asks for a client certificate, and none is set for it.`,
      );
    } else {
      this.fail('origin.closed-early', this.#lostMessage(origin, reason));
    }
  }

  // ---- ends --------------------------------------------------------------------------------------------------------

  /** Ends the exchange with an error: answers it if an answer can still be sent, else cuts the response. */
  fail(code: ErrorCode, message: string, at?: { readonly side?: ErrorSide; readonly phase?: ErrorPhase }): void {
    this.#failWith(failure(code, message, at));
  }

  #answerPage(page: InternalPage): void {
    const fields: [string, string][] = [
      ['Content-Type', page.contentType],
      ['Cache-Control', 'no-store'],
      ['X-Content-Type-Options', 'nosniff'],
    ];
    if (page.fileName !== null) fields.push(['Content-Disposition', `attachment; filename="${page.fileName}"`]);
    this.#answer(page.status, fields, page.body);
  }

  /** We are the last hop: TRACE gets its request back without what is secret, OPTIONS gets an empty answer. */
  #answerLastHop(): void {
    if (this.head.method === 'OPTIONS') {
      this.#answer(200, [], NOTHING);
      return;
    }
    const lines = this.head.bytes.toString('latin1').split('\r\n');
    const open = lines.filter((line) => !/^(authorization|proxy-authorization|cookie)\s*:/i.test(line));
    this.#answer(200, [['Content-Type', 'message/http']], Buffer.from(open.join('\r\n'), 'latin1'));
  }

  /** Answers in the origin's place and ends the exchange. */
  #answer(status: number, fields: readonly (readonly [string, string])[], body: Uint8Array): void {
    const keepAlive = this.#keepAlive && this.requestDone && !this.#context.draining;
    const bytes = this.#writeAnswer(status, fields, body, keepAlive);
    const bodyAt = bytes.indexOf('\r\n\r\n') + 4;
    this.record.response(status, bytes.subarray(0, bodyAt), null);
    if (bodyAt < bytes.length) this.record.payload('response', bytes, bodyAt, bytes.length);
    this.sendToClient(bytes);
    this.#over = true;
    this.record.end(null, true);
    this.client.onExchangeOver(keepAlive);
  }

  #failWith(error: ExchangeError): void {
    if (this.#over) return;
    const status = answerStatus(error.code);
    this.#end(error);
    if (this.#responseStarted || status === null) {
      this.client.cut(this.#responseIsFramed);
      return;
    }
    const keepAlive = this.#keepAlive && this.requestDone && !this.#context.draining;
    const page = errorPage(error, planUrl(this.#plan), this.head.get('accept'));
    const fields = [
      ['Content-Type', page.contentType],
      ['Cache-Control', 'no-store'],
      ['x-weir-error', error.code],
    ] as const;
    const bytes = this.#writeAnswer(status, fields, page.body, keepAlive);
    this.#context.counters.bytesToClient += bytes.length;
    this.client.link.write(bytes);
    this.client.onExchangeOver(keepAlive);
  }

  #writeAnswer(
    status: number,
    fields: readonly (readonly [string, string])[],
    body: Uint8Array,
    keepAlive: boolean,
  ): Buffer {
    const { method, minorVersion } = this.head;
    return writeAnswer({ status, fields, body, requestMethod: method, keepAlive, clientMinorVersion: minorVersion });
  }

  #end(error: ExchangeError): void {
    this.#over = true;
    this.#cancelDial?.();
    this.#cancelDial = null;
    this.#origin?.discard(true);
    this.#origin = null;
    this.#context.pacing.forget(this);
    this.record.end(error, false);
  }

  #complete(): void {
    this.#over = true;
    const origin = this.#origin;
    this.#origin = null;
    this.#context.pacing.forget(this);
    this.record.end(null, true);
    if (origin !== null) {
      origin.unassign();
      if (!this.#originStays || !this.requestDone) origin.discard(!this.requestDone);
      else if (this.#pinned || authenticatesConnection(this.head)) this.client.pin(origin);
      else this.#context.origins.release(origin);
    }
    this.client.onExchangeOver(this.#keepAlive);
  }

  // ---- sending -----------------------------------------------------------------------------------------------------

  #connect(route: OriginRoute): void {
    this.#route = route;
    const origin = this.client.takePinned(route) ?? this.#context.origins.take(route);
    if (origin !== null) this.#attach(origin, true);
    else this.#dial(route);
  }

  #dial(route: OriginRoute): void {
    const cancel = this.#context.origins.dial(route, this);
    // The dial may have failed before it returned.
    if (!this.#over) this.#cancelDial = cancel;
  }

  #attach(origin: Http1Origin, reused: boolean): void {
    this.#origin = origin;
    origin.assign(this, this.head.method);
    this.record.origin(origin, reused);
    this.#feed.mayRepeat = reused && !this.#retried;
    this.#flush(origin);
    if (this.requestDone) this.record.markSent();
    if (this.#requestFlows()) this.client.resume();
    else this.client.pause();
  }

  #flush(origin: Http1Origin): void {
    this.#context.counters.bytesToOrigin += this.#feed.flush(origin.link);
  }

  #mayRetry(origin: Http1Origin): boolean {
    return origin.uses > 1 && !this.#retried && this.#feed.isWhollyHeld && IDEMPOTENT.has(this.head.method);
  }

  #retry(): void {
    const route = this.#route;
    if (route === null) return;
    this.#retried = true;
    this.record.forgetAttempt();
    this.#feed.rewind();
    this.#dial(route);
  }

  #lostMessage(origin: Http1Origin, reason: LinkFailure | null): string {
    const how = reason === null ? 'closed the connection' : `broke the connection (${reason.code})`;
    if (origin.uses === 1) return `The origin ${how} without an answer.`;
    const why = IDEMPOTENT.has(this.head.method)
      ? this.#retried
        ? 'it had been sent again once already'
        : 'its body was too long to be held (setting limits.retryBodyBytes)'
      : `${this.head.method} must not be sent twice`;
    return `The origin ${how}, which earlier exchanges had used, without an answer; the request was not sent again because ${why}.`;
  }
}

/** NTLM and Negotiate authenticate a connection, not a request (RFC 4559): nobody else may use it afterwards. */
function challengesConnection(head: ResponseHead): boolean {
  for (let index = 0; index < head.fieldCount; index += 1) {
    if (
      head.fieldName(index).toLowerCase() === 'www-authenticate' &&
      /^(ntlm|negotiate)\b/i.test(head.fieldValue(index))
    )
      return true;
  }
  return false;
}

function authenticatesConnection(head: ExchangeHead): boolean {
  const authorization = head.get('authorization');
  return authorization !== null && /^(ntlm|negotiate)\b/i.test(authorization);
}
