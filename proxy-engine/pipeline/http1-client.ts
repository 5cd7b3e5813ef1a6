import {
  createRequestDecoder,
  REMEMBERED_BYTES,
  writeAnswer,
  writeRequestHead,
  writeResponseHead,
  type Answer,
  type Http1Decoder,
  type Http1Sink,
  type RequestHead,
  type ResponseHead,
  type ResponseHeadChanges,
} from '../protocol/http1/index.ts';
import type { ErrorCode } from '../model/error-code.ts';
import type { ClientEntry, ConnectRequest } from './client-entry.ts';
import type { ClientLeg, SentAnswer } from './client-leg.ts';
import type { PipelineContext } from './context.ts';
import { brokenHead, type ExchangeHead } from './broken-head.ts';
import { Exchange } from './exchange.ts';
import { ExchangeDeadlines } from './exchange-deadlines.ts';
import { ExchangeRecord } from './exchange-record.ts';
import { failure } from './failures.ts';
import type { Http1Origin } from './http1-origin.ts';
import { deadlineAfter, type Mortal } from './lifetimes.ts';
import { DEAF, type HandedOver, type Link, type LinkHandler } from './link.ts';
import type { OriginRoute } from './origins.ts';
import { planRefused, planRequest, rowKind, type RequestPlan } from './plan-request.ts';

/** Pipelined bytes that wait for their turn stop the reading of a client here. */
const HELD_BYTES = 262_144;
const NOTHING = Buffer.alloc(0);

/** A request that was planned, and what its plan rests on. */
interface PlannedHead {
  readonly head: RequestHead;
  readonly plan: RequestPlan;
  readonly settings: PipelineContext['settings'];
  readonly loopMarker: string | null;
}

/**
 * An HTTP/1 connection from a client: reads requests one after another, gives each to an exchange, and lets the next one
 * begin when the exchange is over, so that pipelined requests are answered in order (RFC 9112 §9.3.2).
 */
export class Http1Client implements ClientLeg, LinkHandler, Http1Sink<RequestHead>, Mortal {
  readonly unframed = false;
  deadline: number;
  readonly link: Link;
  readonly entry: ClientEntry;
  readonly #context: PipelineContext;
  readonly #decoder: Http1Decoder<RequestHead>;
  #exchange: Exchange | null = null;
  /** The exchange starts at the end of the segment that brought its head, so that head and body leave together. */
  #starts = false;
  #connect: ConnectRequest | null = null;
  #wire: Buffer | null = null;
  /** The read that brought `#wire`, where nobody keeps any other part of it. */
  #spent: Buffer | null = null;
  /** What is being read is the first message of its segment. */
  #isFirst = false;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #consuming = false;
  #paused = false;
  #ended = false;
  #left = false;
  #forgotten = false;
  readonly #deadlines: ExchangeDeadlines;
  #headBegan = false;
  #pinned: Http1Origin | null = null;
  #last: PlannedHead | null = null;

  constructor(context: PipelineContext, link: Link, entry: ClientEntry) {
    this.#context = context;
    this.link = link;
    this.entry = entry;
    this.#decoder = createRequestDecoder(context.settings.limits, {
      bareLineFeed: context.settings.tolerateBareLineFeed,
    });
    this.#deadlines = new ExchangeDeadlines(context);
    this.deadline = deadlineAfter(context.clock.coarse, context.settings.timeouts.keepAlive);
    link.handler = this;
    context.lifetimes.add(this);
  }

  // ---- the link ----------------------------------------------------------------------------------------------------

  onBytes(bytes: Buffer): void {
    if (this.#exchange?.requestDone ?? false) this.#hold(bytes);
    else this.#consume(bytes);
  }

  onDrain(): void {
    this.#exchange?.onClientDrain();
  }

  onEof(): void {
    this.#ended = true;
    const exchange = this.#exchange;
    if (exchange === null) {
      if (this.#decoder.midMessage)
        this.#refuse('client.cut-short', 'The client closed its connection in the middle of a request head.');
      else this.#close();
    } else if (!this.#context.settings.clientHalfClose || !exchange.requestDone) {
      exchange.onClientGone();
    }
  }

  onClosed(): void {
    this.#exchange?.onClientGone();
    this.#forget();
  }

  onDeadline(): void {
    const exchange = this.#exchange;
    if (exchange !== null) {
      this.#deadlines.expire(exchange);
    } else if (this.#decoder.midMessage) {
      const { requestHead } = this.#context.settings.timeouts;
      this.#refuse(
        'timeout.request-head',
        `The request head was not complete within ${String(requestHead)} ms (setting timeouts.requestHead).`,
      );
    } else {
      this.#close();
    }
  }

  // ---- exchanges ---------------------------------------------------------------------------------------------------

  /** Bytes of the current exchange moved. */
  touch(): void {
    this.#deadlines.touch();
    this.deadline = this.#deadlines.next;
  }

  /** The origin's answer has begun: from here on only the idle and the total time count. */
  onAnswered(): void {
    this.#deadlines.onAnswered();
  }

  get full(): boolean {
    return this.link.full;
  }

  inform(head: ResponseHead): void {
    this.link.write(
      writeResponseHead(head, { clientMinorVersion: 1, keepAlive: true, relayUpgrade: false, appendedLines: '' }),
    );
  }

  head(head: ResponseHead, changes: ResponseHeadChanges): Buffer {
    return writeResponseHead(head, changes);
  }

  send(bytes: Buffer, spent: Buffer | null): void {
    this.link.write(bytes, spent);
  }

  trailers(): void {
    // They are part of the framing that was forwarded.
  }

  refusesSwitch(): null {
    // The client made the request for it and judges the answer.
    return null;
  }

  finish(): void {
    // The framing has said so.
  }

  answer(answer: Answer): SentAnswer {
    const bytes = writeAnswer(answer);
    this.link.write(bytes);
    const bodyAt = bytes.indexOf('\r\n\r\n') + 4;
    return { head: bytes.subarray(0, bodyAt), body: bytes.subarray(bodyAt) };
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.link.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.link.resume();
  }

  /** Keeps an origin connection for this client alone. */
  pin(origin: Http1Origin): void {
    this.#pinned = origin;
  }

  takePinned(route: OriginRoute): Http1Origin | null {
    const origin = this.#pinned;
    if (origin === null || origin.route !== route || origin.isGone) return null;
    this.#pinned = null;
    return origin;
  }

  /** The current exchange is over and everything of it has been written. */
  onExchangeOver(keepAlive: boolean): void {
    this.#exchange = null;
    if (!keepAlive) {
      this.#close();
      return;
    }
    this.deadline = deadlineAfter(this.#context.clock.coarse, this.#context.settings.timeouts.keepAlive);
    if (!this.#consuming) this.#consumeHeld();
  }

  /** Ends the connection in the middle of a response, so that the client can tell. */
  cut(framed: boolean): void {
    this.#forget();
    // A framed response that ends too soon shows by itself; an end of TLS would look clean.
    if (framed && !this.link.secure) this.link.close();
    else this.link.cut();
  }

  leave(): HandedOver {
    this.#left = true;
    this.#exchange = null;
    const held = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#forget();
    return { link: this.link, early: held };
  }

  drain(): void {
    if (this.#exchange === null && !this.#decoder.midMessage && this.#heldBytes === 0) this.#close();
  }

  stop(): void {
    const exchange = this.#exchange;
    if (exchange === null) this.#close();
    else exchange.fail('weir.stopped', 'Weir was stopped before the exchange was complete.');
  }

  // ---- the decoder -------------------------------------------------------------------------------------------------

  onHead(head: RequestHead): void {
    const context = this.#context;
    this.#headBegan = false;
    const plan = this.#repeatedPlan(head) ?? planRequest(context, this.entry, head, writeRequestHead);
    if (plan.action.kind === 'connect') {
      const { host, port, via } = plan.action;
      this.#connect = { host, port, via, startedAt: context.clock.micros() };
      return;
    }
    if (this.#last?.plan !== plan) this.#remember(head, plan);
    this.#open(head, plan);
    this.#starts = true;
  }

  /** Keeps the plan of a head that the decoder keeps too, on a connection whose requests all lead to one place. */
  #remember(head: RequestHead, plan: RequestPlan): void {
    const { settings, loopMarker } = this.#context;
    const mayRepeat = this.entry.destination !== null && head.bytes.length <= REMEMBERED_BYTES;
    this.#last = mayRepeat ? { head, plan, settings, loopMarker } : null;
  }

  /** The plan of the request before, if this one is the same and the way is still the same. */
  #repeatedPlan(head: RequestHead): RequestPlan | null {
    const last = this.#last;
    if (last?.head !== head) return null;
    const { settings, loopMarker } = this.#context;
    if (last.settings !== settings || last.loopMarker !== loopMarker) return null;
    const { action } = last.plan;
    return action.kind === 'forward' && !action.upgrades ? last.plan : null;
  }

  onPayload(bytes: Buffer, start: number, end: number): void {
    this.#exchange?.record.payload('request', bytes, start, end);
  }

  onFraming(bytes: Buffer, start: number, end: number): void {
    this.#exchange?.record.framing('request', bytes, start, end);
  }

  onWire(bytes: Buffer, start: number, end: number): void {
    this.#wire = bytes.subarray(start, end);
    this.#spent = this.#isFirst && end === bytes.length ? bytes : null;
  }

  onTrailers(bytes: Buffer): void {
    this.#exchange?.record.trailers('request', bytes);
  }

  onEnd(): void {
    // Seen by the decoder's phase once `receive` has returned.
  }

  // ---- inside ------------------------------------------------------------------------------------------------------

  #open(head: ExchangeHead, plan: RequestPlan): void {
    const context = this.#context;
    const record = new ExchangeRecord(context, context.clock.micros());
    if (record.recorded) {
      const { action, scheme, host, port, path } = plan;
      const sentHead = action.kind === 'forward' && action.sentHead !== head.bytes ? action.sentHead : null;
      const clientProtocol = head.minorVersion === 0 ? 'http/1.0' : 'http/1.1';
      record.begin(this.entry, {
        kind: rowKind(head),
        scheme,
        host,
        port,
        method: head.method,
        path,
        head: head.bytes,
        sentHead,
        clientProtocol,
      });
    }
    this.#exchange = new Exchange(context, this, record, head, plan);
    this.#deadlines.begin();
    this.deadline = this.#deadlines.next;
  }

  #consume(bytes: Buffer): void {
    const decoder = this.#decoder;
    this.#consuming = true;
    let at = 0;
    while (at < bytes.length && !this.#left) {
      if (decoder.phase === 'done') decoder.next();
      this.#isFirst = at === 0;
      at = decoder.receive(bytes, at, this);
      if (decoder.phase === 'failed') {
        this.#onMalformed();
        break;
      }
      const done = decoder.phase === 'done';
      this.#advance(done);
      if (this.#connect !== null) {
        this.#leaveForTunnel(this.#connect, bytes.subarray(at));
        break;
      }
      if (!done) {
        this.#waitForHead();
        break;
      }
      if (this.#exchange !== null || this.#left) {
        if (at < bytes.length) this.#hold(bytes.subarray(at));
        break;
      }
    }
    this.#consuming = false;
  }

  /** Hands what the decoder found in one segment to the exchange. */
  #advance(done: boolean): void {
    const exchange = this.#exchange;
    if (exchange === null) return;
    const wire = this.#wire;
    const spent = this.#spent;
    this.#wire = null;
    this.#spent = null;
    if (this.#starts) {
      this.#starts = false;
      exchange.requestDone = done;
      exchange.start(wire, spent);
    } else {
      if (wire !== null) exchange.onRequestWire(wire, spent);
      if (done) exchange.onRequestEnd();
    }
    if (done) this.resume();
  }

  #waitForHead(): void {
    if (this.#exchange !== null || this.#headBegan || !this.#decoder.midMessage) return;
    this.#headBegan = true;
    this.deadline = deadlineAfter(this.#context.clock.coarse, this.#context.settings.timeouts.requestHead);
  }

  #leaveForTunnel(request: ConnectRequest, rest: Buffer): void {
    this.leave();
    this.entry.onConnect?.(request, { link: this.link, early: rest });
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > HELD_BYTES) this.pause();
  }

  #consumeHeld(): void {
    while (this.#held.length > 0 && this.#exchange === null && !this.#left) {
      const held = this.#held.length === 1 ? (this.#held[0] ?? NOTHING) : Buffer.concat(this.#held);
      this.#held = [];
      this.#heldBytes = 0;
      this.#consume(held);
    }
    if (this.#exchange !== null || this.#left) return;
    this.resume();
    if (this.#ended) this.#close();
  }

  #onMalformed(): void {
    const refusal = this.#decoder.failure;
    const code = refusal?.code ?? 'http1.request-line';
    const message = refusal?.message ?? 'This is not HTTP/1.';
    if (this.#exchange === null) this.#refuse(code, message);
    else this.#exchange.fail(code, message);
  }

  /** Records and answers a request whose head never became one. */
  #refuse(code: ErrorCode, message: string): void {
    const head = brokenHead(this.#decoder.partialHead);
    this.#open(head, planRefused(this.entry, head.target, failure(code, message)));
    this.#starts = false;
    this.#exchange?.start(null);
  }

  #close(): void {
    this.#forget();
    this.link.close();
  }

  #forget(): void {
    if (this.#forgotten) return;
    this.#forgotten = this.#left = true;
    this.#context.lifetimes.remove(this);
    this.#pinned?.discard(false);
    this.#pinned = null;
    if (this.link.handler === this) this.link.handler = DEAF;
  }
}
