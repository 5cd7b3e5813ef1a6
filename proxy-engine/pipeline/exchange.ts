import type { ConnectionRecord } from '../capture/tap.ts';
import type { ErrorCode, ErrorPhase, ErrorSide, ExchangeError } from '../model/error-code.ts';
import type { MessageSide } from '../model/exchange.ts';
import type { ResponseHead } from '../protocol/http1/index.ts';
import { offersHttp3, withoutHttp3 } from '../protocol/http1/index.ts';
import type { ExchangeHead } from './broken-head.ts';
import { authenticatesConnection, challengesConnection } from './connection-authentication.ts';
import type { PipelineContext } from './context.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import { answerStatus, failure } from './failures.ts';
import type { ClientLeg, SentAnswer } from './client-leg.ts';
import type { Http1Origin, StreamTranslation } from './http1-origin.ts';
import type { LinkFailure } from './link.ts';
import { judgeLoss } from './lost-origin.ts';
import type { OriginProtocol, OriginRoute, OriginWaiter } from './origins.ts';
import { failureAnswer, lastHopAnswer, pageAnswer, type OwnAnswer } from './own-answers.ts';
import type { PacedSource } from './pacing.ts';
import { planUrl, type RequestPlan } from './plan-request.ts';
import { RequestFeed } from './request-feed.ts';
import { Tunnel } from './tunnel.ts';

const PROXY_AUTHENTICATION_REQUIRED = 407;

/**
 * One request and its response, or its failure. Inside, messages have the form of HTTP/1: a leg that speaks HTTP/2 translates,
 * so that two legs of HTTP/1 cost nothing. Every exchange gets a
 * response or an error, never both, and ends exactly once: by the response's end, by `fail`, or by the client's going.
 */
export class Exchange implements OriginWaiter, PacedSource {
  readonly client: ClientLeg;
  readonly record: ExchangeRecord;
  readonly head: ExchangeHead;
  requestDone = false;
  /** The client gets the payload alone: by HTTP/2, or a chunked body by HTTP/1.0, ended by the connection's end. */
  unframed: boolean;
  readonly #context: PipelineContext;
  readonly #plan: RequestPlan;
  readonly #feed: RequestFeed;
  #route: OriginRoute | null = null;
  #origin: Http1Origin | null = null;
  #cancelDial: (() => void) | null = null;
  #keepAlive: boolean;
  #pooled = false;
  #retried = false;
  /** What waits of the request leaves at the end of this turn. */
  #flushing = false;
  /** Trailers that wait for the origin. */
  #requestTrailers: Buffer | null = null;
  #responseStarted = false;
  #responseDone = false;
  #responseIsFramed = true;
  #originStays = false;
  #pinned = false;
  #over = false;

  constructor(
    context: PipelineContext,
    client: ClientLeg,
    record: ExchangeRecord,
    head: ExchangeHead,
    plan: RequestPlan,
  ) {
    this.#context = context;
    this.client = client;
    this.record = record;
    this.head = head;
    this.#plan = plan;
    this.unframed = client.unframed;
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
   * @param spent what was read once, if nobody keeps any of it but for `wire`
   */
  start(wire: Buffer | null, spent: Buffer | null = null): void {
    const { action } = this.#plan;
    switch (action.kind) {
      case 'forward':
        this.#feed.begin(action.sentHead);
        if (wire !== null) this.#feed.add(wire, spent);
        this.#connect(action.route);
        break;
      case 'page':
        this.#answer(pageAnswer(action.page));
        break;
      case 'last-hop':
        this.#answer(lastHopAnswer(this.head));
        break;
      case 'refuse':
        this.#failWith(action.error);
        break;
      case 'connect':
        break;
    }
  }

  /**
   * More body bytes, framed as received.
   *
   * @param spent what was read once, if nobody keeps any of it but for `wire`
   */
  onRequestWire(wire: Buffer, spent: Buffer | null): void {
    if (this.#over) return;
    this.touch();
    this.#feed.add(wire, spent);
    if (this.#origin !== null) this.#flushSoon(this.#origin);
    if (!this.#requestFlows()) this.client.pause();
  }

  /** Trailers follow a request body of declared length, whose last bytes come next. */
  onRequestTrailers(lines: Buffer): void {
    if (this.#over) return;
    this.#requestTrailers = lines;
    if (this.#origin !== null) this.#announceTrailers(this.#origin, lines);
  }

  #announceTrailers({ translation }: Http1Origin, lines: Buffer): void {
    if (translation === null) this.record.anomaly('trailers-dropped');
    else translation.announceTrailers(lines);
  }

  onRequestEnd(): void {
    this.requestDone = true;
    if (this.#over) return;
    if (this.#origin !== null) {
      if (!this.#feed.isEmpty) this.#flush(this.#origin);
      this.record.markSent();
    }
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
    return !this.client.full && !this.#context.pacing.holds(this, 'response');
  }

  #requestFlows(): boolean {
    if (this.requestDone) return true;
    return !this.#feed.isFull && !(this.#origin?.link.full ?? false) && !this.#context.pacing.holds(this, 'request');
  }

  /**
   * The client is gone.
   *
   * @param how what it did, for the record
   * @param code error code of HTTP/2 by which it reset its stream, or null
   */
  onClientGone(how = 'closed its connection', code: number | null = null): void {
    if (this.#over) return;
    if (this.#responseDone) {
      this.#keepAlive = false;
      this.#complete();
      return;
    }
    const error = this.requestDone
      ? failure('client.cancelled', `The client ${how} before the response was complete.`)
      : failure('client.cut-short', `The client ${how} before its request was complete.`);
    this.#end(error, code);
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
    const stuckClient = code === 'timeout.idle' && (!this.requestDone || this.client.full);
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

  onRedialled(cancel: () => void): void {
    // The dial may have ended before it returned.
    if (this.#over || this.#origin !== null) return;
    this.#cancelDial = cancel;
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
    this.record.informational(this.#origin?.translation?.receivedHead ?? head.bytes);
    if (this.head.minorVersion === 0) return;
    this.client.inform(head);
  }

  /** Returns the head to send to the client. */
  onResponseHead(head: ResponseHead): Buffer | null {
    if (this.#over) return null;
    if (head.status === PROXY_AUTHENTICATION_REQUIRED && (this.#route?.forwardLines ?? null) !== null) {
      // It is for us and not for the client, whose own credentials never go that far.
      this.fail(
        'upstream-proxy.credentials',
        'The upstream proxy wants another user and password; they stand in its URL (setting upstreamProxy).',
      );
      return null;
    }
    this.#responseStarted = true;
    this.#feed.forget();
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
    const sent = this.client.head(this.#heedHttp3(head), {
      clientMinorVersion: minorVersion,
      keepAlive: this.#keepAlive,
      relayUpgrade: head.status === 426,
      appendedLines: this.#context.settings.forwardedFields ? 'Via: 1.1 weir\r\n' : '',
    });
    const translation = this.#origin?.translation ?? null;
    if (translation !== null || this.client.unframed) this.#recordTranslated(head, sent, translation);
    else this.record.response(head.status, head.bytes, sent === head.bytes ? null : sent);
    return this.client.unframed ? null : sent;
  }

  /** Flags an offer of HTTP/3, which would lead clients past Weir, and takes it out where the user wants that. */
  #heedHttp3(head: ResponseHead): ResponseHead {
    if (!offersHttp3(head)) return head;
    this.record.anomaly('http3-offered');
    return this.#context.settings.stripHttp3Offers ? withoutHttp3(head, this.head.method) : head;
  }

  /** The record of a response of which one leg speaks HTTP/2. */
  #recordTranslated(head: ResponseHead, sent: Buffer, translation: StreamTranslation | null): void {
    if (!this.record.recorded) return;
    const received = translation?.receivedHead ?? head.bytes;
    if (translation?.strippedSpace ?? false) this.record.anomaly('outer-space');
    if (head.framing === 'chunked' && (translation === null) === this.client.unframed) {
      this.record.sentResponseFraming = this.client.unframed ? 'identity' : 'chunked';
    }
    this.record.response(head.status, received, sent.equals(received) ? null : sent);
  }

  onResponseTrailers(lines: Buffer): void {
    if (this.#over) return;
    this.record.trailers('response', lines);
    if (this.client.unframed) this.client.trailers(lines);
  }

  /** Trailers beside a declared length pass from HTTP/2 to HTTP/2 alone. */
  onTrailersAfterLength(lines: Buffer): void {
    this.onResponseTrailers(lines);
    if (!this.client.unframed) this.record.anomaly('trailers-dropped');
  }

  /** @param spent what was read once, if nobody keeps any of it after this call */
  onResponsePayload(bytes: Buffer, start: number, end: number, spent: Buffer | null): void {
    if (this.#over) return;
    this.record.payload('response', bytes, start, end);
    if (this.unframed) this.sendToClient(bytes.subarray(start, end), spent);
  }

  /** @param spent what was read once, if nobody keeps any of it after this call */
  sendToClient(bytes: Buffer, spent: Buffer | null = null): void {
    if (this.#over) return;
    this.#context.counters.bytesToClient += bytes.length;
    this.client.send(bytes, spent);
  }

  /** @param stray bytes came after the response's end */
  onResponseEnd(status: number, stray: boolean): void {
    if (this.#over) return;
    this.#responseDone = true;
    this.client.finish();
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
    const refusal = this.client.refusesSwitch(head);
    if (refusal !== null) {
      this.fail('websocket.accept', refusal);
      return false;
    }
    this.#responseStarted = true;
    const sent = this.client.head(head, {
      clientMinorVersion: 1,
      keepAlive: true,
      relayUpgrade: true,
      appendedLines: '',
    });
    const received = this.#origin?.translation?.receivedHead ?? head.bytes;
    // By HTTP/2 the yes to an extended CONNECT is 200 (RFC 8441 §4).
    this.record.response(received === head.bytes ? 101 : 200, received, sent.equals(received) ? null : sent);
    if (!this.client.unframed) this.sendToClient(sent);
    return true;
  }

  /** The connection belongs to another protocol from here on. `rest` is what the origin sent behind its 101. */
  onSwitched(rest: Buffer): void {
    const origin = this.#origin;
    if (this.#over || origin === null) return;
    this.#over = true;
    this.#origin = null;
    const { link, early } = this.client.leave();
    const tunnel = new Tunnel(this.#context, this.record, link, origin.leave(), { recordsBytes: true });
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
      return;
    }
    const { answered, route, uses } = origin;
    const verdict = judgeLoss(reason, {
      host: route.host,
      method: this.head.method,
      answered,
      responseStarted: this.#responseStarted,
      retried: this.#retried,
      isWhollyHeld: this.#feed.isWhollyHeld,
      pooled: this.#pooled,
      uses,
    });
    if (verdict.kind === 'fail') {
      this.#failWith(verdict.error, verdict.resetCode);
      return;
    }
    if (verdict.http1) this.#context.origins.requireHttp1(route);
    this.#retry(verdict.afresh);
  }

  // ---- ends --------------------------------------------------------------------------------------------------------

  /** Ends the exchange with an error: answers it if an answer can still be sent, else cuts the response. */
  fail(code: ErrorCode, message: string, at?: { readonly side?: ErrorSide; readonly phase?: ErrorPhase }): void {
    this.#failWith(failure(code, message, at));
  }

  /** Answers in the origin's place and ends the exchange. */
  #answer(answer: OwnAnswer): void {
    const keepAlive = this.#keepAlive && this.requestDone && !this.#context.draining;
    const sent = this.#sendAnswer(answer, keepAlive);
    this.record.response(answer.status, sent.head, null);
    if (sent.body.length > 0) this.record.payload('response', sent.body, 0, sent.body.length);
    this.#over = true;
    this.record.end(null, true);
    this.client.onExchangeOver(keepAlive);
  }

  /** @param resetCode error code of HTTP/2 by which the origin ended it, or null */
  #failWith(error: ExchangeError, resetCode: number | null = null): void {
    if (this.#over) return;
    const status = answerStatus(error.code);
    this.#end(error);
    if (this.#responseStarted || status === null || (resetCode !== null && this.client.unframed)) {
      this.client.cut(this.#responseIsFramed, resetCode);
      return;
    }
    const keepAlive = this.#keepAlive && this.requestDone && !this.#context.draining;
    this.#sendAnswer(failureAnswer(status, error, planUrl(this.#plan), this.head.get('accept')), keepAlive);
    this.client.onExchangeOver(keepAlive);
  }

  #sendAnswer(answer: OwnAnswer, keepAlive: boolean): SentAnswer {
    const { method, minorVersion } = this.head;
    const sent = this.client.answer({ ...answer, requestMethod: method, keepAlive, clientMinorVersion: minorVersion });
    this.#context.counters.bytesToClient += sent.head.length + sent.body.length;
    return sent;
  }

  #end(error: ExchangeError, resetCode: number | null = null): void {
    this.#over = true;
    this.#cancelDial?.();
    this.#cancelDial = null;
    this.#origin?.discard(true, resetCode);
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
    const origin = this.client.takePinned(route) ?? this.#context.origins.take(route, this.#upgradesBy(route));
    if (origin !== null) this.#attach(origin, true);
    else this.#dial(route);
  }

  /**
   * By what an origin is asked to switch protocols: as the client has asked, if the origin can, so that the handshake passes
   * as it is. Null for requests that do not ask for it.
   */
  #upgradesBy(route: OriginRoute): OriginProtocol | null {
    if (this.#plan.action.kind !== 'forward' || !this.#plan.action.upgrades) return null;
    return this.client.unframed || route.priorKnowledge ? 'h2' : 'http/1.1';
  }

  #dial(route: OriginRoute): void {
    const cancel = this.#context.origins.dial(route, this, this.#upgradesBy(route));
    // The dial may have ended before it returned.
    if (!this.#over && this.#origin === null) this.#cancelDial = cancel;
  }

  /** @param pooled it has waited for an exchange, and may have been closed meanwhile */
  #attach(origin: Http1Origin, pooled: boolean): void {
    this.#origin = origin;
    this.#pooled = pooled;
    origin.assign(this, this.head.method);
    this.record.origin(origin.recordable, origin.uses > 1);
    if (this.#requestTrailers !== null) this.#announceTrailers(origin, this.#requestTrailers);
    this.#feed.mayRepeat = (pooled || origin.translation !== null) && !this.#retried;
    this.#flush(origin);
    if (this.record.recorded) this.#recordSentHead(origin);
    if (this.requestDone) this.record.markSent();
    if (this.#requestFlows()) this.client.resume();
    else this.client.pause();
  }

  /** A head that goes out in another form than it came was not known before the origin was. */
  #recordSentHead({ translation }: Http1Origin): void {
    if (translation !== null) {
      this.record.sentRequestFraming = this.client.unframed ? 'as-received' : 'identity';
      const { sentHead, streamId } = translation;
      if (streamId !== 0) this.record.originStream(streamId);
      if (sentHead !== null && !sentHead.equals(this.head.bytes)) this.record.sentRequestHead(sentHead);
    } else if (this.client.unframed && this.#plan.action.kind === 'forward') {
      if (this.head.isChunked ?? false) this.record.sentRequestFraming = 'chunked';
      this.record.sentRequestHead(this.#plan.action.sentHead);
    }
  }

  /** What one read brought in pieces, as TLS and HTTP/2 do, leaves in one write. */
  #flushSoon(origin: Http1Origin): void {
    // A stream of HTTP/2 gathers its frames itself.
    if (origin.translation !== null || this.#feed.isBulk) {
      this.#flush(origin);
      return;
    }
    if (this.#flushing) return;
    this.#flushing = true;
    this.#context.soon(() => {
      this.#flushing = false;
      if (this.#over || this.#origin !== origin || this.#feed.isEmpty) return;
      this.#flush(origin);
      if (!this.#requestFlows()) this.client.pause();
    });
  }

  #flush(origin: Http1Origin): void {
    this.#context.counters.bytesToOrigin += this.#feed.flush(origin.link);
  }

  /** @param afresh by a connection that nobody used before */
  #retry(afresh: boolean): void {
    const route = this.#route;
    if (route === null) return;
    this.#retried = true;
    this.record.forgetAttempt();
    this.#feed.rewind();
    if (afresh) this.#dial(route);
    else this.#connect(route);
  }
}
