import { holdRoom, returnRoom } from '../base/bulk-rooms.ts';
import type { Placed } from '../base/live-list.ts';
import type { Answer, ResponseHead, ResponseHeadChanges } from '../protocol/http1/index.ts';
import { Http2Error } from '../protocol/http2/index.ts';
import type { HeaderToSend, Http2Head, Http2Stream } from '../protocol/http2/index.ts';
import type { ConnectRequest } from './client-entry.ts';
import type { ClientLeg, SentAnswer } from './client-leg.ts';
import { Exchange } from './exchange.ts';
import { ExchangeDeadlines } from './exchange-deadlines.ts';
import { ExchangeRecord } from './exchange-record.ts';
import { chunk, CHUNK_END, chunkHead, LAST_CHUNK, lastChunk } from './chunks.ts';
import { http2ResponseFields, http2SwitchFields, type Http2Request, recordForm, trailerFields } from './http2-heads.ts';
import { http2ErrorName } from '../model/http2-names.ts';
import type { Http2Client } from './http2-client.ts';
import type { Http1Origin } from './http1-origin.ts';
import { handedOver, Http2StreamLink } from './http2-stream-link.ts';
import type { HandedOver } from './link.ts';
import { rowKind } from './plan-request.ts';

/** A response that waits for its client's window stops its origin at this many bytes. */
const QUEUED_BYTES = 65_536;
/** A longer chunk is not copied for the sake of its framing. */
const COPIED_CHUNK_BYTES = 4_096;
const NOTHING = Buffer.alloc(0);

/** One stream of an HTTP/2 client: the client leg of one exchange. */
export class Http2ClientStream implements ClientLeg, Placed {
  place = -1;
  readonly unframed = true;
  readonly #client: Http2Client;
  readonly #stream: Http2Stream<Http2ClientStream>;
  readonly #request: Http2Request;
  readonly #deadlines: ExchangeDeadlines;
  #exchange: Exchange | null;
  /** Body bytes that came before `start`, in the form of HTTP/1; null afterwards. */
  #early: Buffer[] | null = [];
  /** Reads of which a part is in `#early`. */
  #earlyReads: Buffer[] = [];
  #requestDone: boolean;
  #paused = false;
  /** Bytes of the body that were taken and not given back as window. */
  #owed = 0;
  /** Body bytes of the request still to come by its declared length, and the end of it, held until trailers may follow. */
  #requestLeft: number;
  #lastWire: Buffer | null = null;
  #lastRead: Buffer | null = null;
  /** Body bytes still to come by the response's declared length, or -1. */
  #bodyLeft = -1;
  #trailers: readonly HeaderToSend[] | null = null;
  #responseEnded = false;
  #over = false;
  /** The stream as a transport, where its request may make it one. */
  readonly #transport: Http2StreamLink<Http2ClientStream> | null;
  /** A tunnel is asked for, and may be had. */
  readonly #connect: ConnectRequest | null;
  /** The stream is no longer HTTP. */
  #left = false;

  constructor(client: Http2Client, stream: Http2Stream<Http2ClientStream>, head: Http2Head, endStream: boolean) {
    const { context, entry } = client;
    this.#client = client;
    this.#stream = stream;
    stream.withoutBody = head.method === 'HEAD';
    const isConnect = head.method === 'CONNECT';
    this.#requestDone = endStream || isConnect;
    const { request, plan } = client.plans.plan(head, !endStream && !isConnect);
    this.#request = request;
    this.#requestLeft = head.contentLength;
    const errorCode = head.protocol === '' ? Http2Error.connectError : Http2Error.cancel;
    this.#transport = isConnect
      ? new Http2StreamLink(client, stream, endStream, errorCode, () => {
          this.#end();
        })
      : null;
    this.#deadlines = new ExchangeDeadlines(context);
    this.#deadlines.begin();
    client.onStreamBegun(this);
    if (plan.action.kind === 'connect') {
      const { host, port, via } = plan.action;
      this.#connect = { host, port, via, startedAt: context.clock.micros() };
      this.#exchange = null;
      return;
    }
    this.#connect = null;
    const record = new ExchangeRecord(context, context.clock.micros());
    if (record.recorded) {
      const { scheme, host, port, path } = plan;
      record.begin(entry, {
        kind: rowKind(request),
        scheme,
        host,
        port,
        method: head.method,
        path,
        head: request.bytes,
        sentHead: null,
        clientProtocol: entry.protocol ?? 'h2',
        stream: stream.id,
      });
    }
    this.#exchange = new Exchange(context, this, record, request, plan);
  }

  // ---- what the connection tells -----------------------------------------------------------------------------------

  /** The segment that brought the head has been read. */
  start(): void {
    const exchange = this.#exchange;
    const early = this.#early;
    this.#early = null;
    if (this.#connect !== null && !this.#over) this.#openTunnel(this.#connect);
    if (exchange === null || early === null) return;
    exchange.requestDone = this.#requestDone;
    exchange.start(early.length === 0 ? null : Buffer.concat(early));
    for (const read of this.#earlyReads) returnRoom(read);
    this.#earlyReads = [];
    this.#giveBack();
  }

  onData(bytes: Buffer, start: number, end: number, endStream: boolean): void {
    const exchange = this.#exchange;
    if (this.#transport !== null) {
      // Whoever gets these bytes may keep them.
      holdRoom(bytes);
      this.#transport.receive(bytes, start, end, endStream);
      return;
    }
    this.#owed += end - start;
    if (exchange !== null) {
      exchange.record.payload('request', bytes, start, end);
      const isChunked = this.#request.isChunked;
      this.#requestLeft -= end - start;
      if (isChunked) this.#takeChunk(bytes, start, end, endStream);
      else if (end > start) {
        holdRoom(bytes);
        if (this.#requestLeft === 0 && !endStream) {
          this.#lastWire = bytes.subarray(start, end);
          this.#lastRead = bytes;
        } else this.#takeWire(bytes.subarray(start, end), bytes);
      }
      if (endStream) this.#endRequest();
    }
    this.#giveBack();
  }

  /** @param lines the trailer section */
  onTrailers(lines: Buffer): void {
    const exchange = this.#exchange;
    if (this.#transport !== null) {
      // Nothing but DATA belongs on such a stream (RFC 9113 §8.5).
      this.#client.connection.reset(this.#stream, Http2Error.protocolError);
      this.onReset(Http2Error.protocolError, false, 'Trailers came on a stream that CONNECT opened.');
      return;
    }
    if (exchange === null) return;
    if (lines.length > 0) exchange.record.trailers('request', lines);
    if (this.#request.isChunked) this.#takeWire(lastChunk(lines), null);
    else if (lines.length > 0) exchange.onRequestTrailers(lines);
    this.#endRequest();
  }

  onReset(code: number, byPeer: boolean, reason: string): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    if (this.#left) {
      this.#transport?.receiveReset(code, byPeer, reason);
    } else if (exchange !== null) {
      if (byPeer) exchange.onClientGone(reason === '' ? `reset its stream (${http2ErrorName(code)})` : reason, code);
      else if (this.#client.connection.failure === null) exchange.fail('http2.malformed-request', reason);
      else exchange.fail('http2.client-connection', reason);
    }
    this.#end();
  }

  /** What was queued for want of window is sent. */
  onDrained(): void {
    if (this.#left) this.#transport?.onDrained();
    else if (this.#exchange !== null) this.#exchange.onClientDrain();
    else this.#endWhenSent();
  }

  onLinkDrain(): void {
    if (this.#left) this.#transport?.onDrained();
    else this.#exchange?.onClientDrain();
  }

  // ---- its time -----------------------------------------------------------------------------------------------------

  /** Coarse milliseconds at which `onDeadline` is to be called. */
  get deadline(): number {
    return this.#left ? Infinity : this.#deadlines.next;
  }

  onDeadline(): void {
    if (this.#exchange !== null) this.#deadlines.expire(this.#exchange);
    else this.#reset(Http2Error.cancel);
  }

  stop(): void {
    this.#exchange?.fail('weir.stopped', 'Weir was stopped before the exchange was complete.');
    if (!this.#over && !this.#left) this.#reset(Http2Error.cancel);
  }

  // ---- the client leg ----------------------------------------------------------------------------------------------

  get full(): boolean {
    return this.#stream.queuedBytes > QUEUED_BYTES || this.#client.link.full;
  }

  touch(): void {
    this.#deadlines.touch();
  }

  onAnswered(): void {
    this.#deadlines.onAnswered();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#giveBack();
  }

  inform(head: ResponseHead): void {
    this.#sendHead(http2ResponseFields(head, ''), false);
  }

  head(head: ResponseHead, { appendedLines }: ResponseHeadChanges): Buffer {
    if (head.status === 101) return this.#headForSwitch(head);
    const hasBody = head.framing !== 'none' && !(head.framing === 'length' && head.contentLength === 0);
    this.#bodyLeft = head.framing === 'length' ? head.contentLength : -1;
    if (!hasBody) this.#responseEnded = true;
    const wantsForm = this.#exchange?.record.recorded === true;
    const form = this.#client.responseHeads.send(this.#stream, head, appendedLines, !hasBody, wantsForm);
    this.#client.flushSoon();
    return form ?? NOTHING;
  }

  send(bytes: Buffer, spent: Buffer | null): void {
    if (this.#bodyLeft !== -1) this.#bodyLeft -= bytes.length;
    this.#sendData(bytes, this.#bodyLeft === 0 && this.#trailers === null, spent);
  }

  trailers(lines: Buffer): void {
    this.#trailers = trailerFields(lines);
  }

  finish(): void {
    if (this.#responseEnded) return;
    const trailers = this.#trailers;
    if (trailers === null || trailers.length === 0) {
      this.#sendData(NOTHING, true);
      return;
    }
    this.#responseEnded = true;
    this.#client.connection.sendTrailers(this.#stream, trailers);
    this.#client.flushSoon();
  }

  answer({ status, fields, body, requestMethod }: Answer): SentAnswer {
    const all = [{ name: ':status', value: String(status) }];
    for (const [name, value] of fields)
      all.push({ name: name.toLowerCase(), value: value.replace(/[\0-\x1f\x7f]/g, ' ') });
    all.push({ name: 'content-length', value: String(body.length) });
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const hasBody = bytes.length > 0 && requestMethod !== 'HEAD';
    this.#sendHead(all, !hasBody);
    if (hasBody) this.#sendData(bytes, true);
    return { head: recordForm(all), body: hasBody ? bytes : NOTHING };
  }

  cut(_framed: boolean, code: number | null): void {
    this.#exchange = null;
    this.#reset(code ?? Http2Error.internalError);
  }

  onExchangeOver(): void {
    this.#exchange = null;
    this.#deadlines.onAnswered();
    this.#deadlines.touch();
    this.#endWhenSent();
  }

  refusesSwitch(head: ResponseHead): string | null {
    const { webSocketKey } = this.#request;
    if (webSocketKey === null) return null;
    if (head.get('sec-websocket-accept') === this.#client.context.webSocketAccept(webSocketKey)) return null;
    return 'The Sec-WebSocket-Accept of the origin does not answer the key that Weir sent for its client of HTTP/2.';
  }

  leave(): HandedOver {
    if (this.#transport === null) throw new Error('Only CONNECT makes a transport of a stream (RFC 9113 §8.5).');
    this.#left = true;
    this.#exchange = null;
    return handedOver(this.#transport);
  }

  pin(origin: Http1Origin): void {
    // Nobody else may use a connection that was authenticated, and a stream's client has no connection of its own.
    origin.discard(false);
  }

  takePinned(): null {
    return null;
  }

  // ---- inside ------------------------------------------------------------------------------------------------------

  #openTunnel(request: ConnectRequest): void {
    this.#sendHead([{ name: ':status', value: '200' }], false);
    const client = this.leave();
    this.#client.entry.onConnect?.(request, client);
  }

  #headForSwitch(head: ResponseHead): Buffer {
    const fields = http2SwitchFields(head);
    this.#sendHead(fields, false);
    return recordForm(fields);
  }

  #takeChunk(bytes: Buffer, start: number, end: number, isLast: boolean): void {
    if (end - start > COPIED_CHUNK_BYTES) {
      this.#takeWire(chunkHead(end - start), null);
      holdRoom(bytes);
      this.#takeWire(bytes.subarray(start, end), bytes);
      this.#takeWire(CHUNK_END, null);
      if (isLast) this.#takeWire(LAST_CHUNK, null);
    } else if (end > start) this.#takeWire(chunk(bytes, start, end, isLast), null);
    else if (isLast) this.#takeWire(LAST_CHUNK, null);
  }

  /** @param read what was held for the sake of `wire`, or null */
  #takeWire(wire: Buffer, read: Buffer | null): void {
    if (this.#early === null) {
      this.#exchange?.onRequestWire(wire, read);
      return;
    }
    this.#early.push(wire);
    if (read !== null) this.#earlyReads.push(read);
  }

  #endRequest(): void {
    const last = this.#lastWire;
    this.#lastWire = null;
    if (last !== null) this.#takeWire(last, this.#lastRead);
    this.#lastRead = null;
    this.#requestDone = true;
    if (this.#early === null) this.#exchange?.onRequestEnd();
  }

  #giveBack(): void {
    if (this.#paused || this.#owed === 0 || this.#early !== null) return;
    this.#client.connection.consume(this.#stream, this.#owed);
    this.#owed = 0;
    this.#client.flushSoon();
  }

  #sendHead(fields: readonly HeaderToSend[], end: boolean): void {
    if (end) this.#responseEnded = true;
    this.#client.connection.sendHead(this.#stream, fields, end);
    this.#client.flushSoon();
  }

  #sendData(bytes: Buffer, end: boolean, spent: Buffer | null = null): void {
    if (this.#responseEnded) return;
    if (end) this.#responseEnded = true;
    this.#client.connection.sendData(this.#stream, bytes, 0, bytes.length, end, spent);
    this.#client.flushSoon();
  }

  /** The exchange is over: so is the stream once its queue is empty. A request that still comes is not wanted any more. */
  #endWhenSent(): void {
    if (this.#stream.closed) this.#end();
    else if (this.#stream.queuedBytes === 0) this.#reset(Http2Error.noError);
  }

  #reset(code: number): void {
    this.#client.connection.reset(this.#stream, code);
    this.#client.flushSoon();
    this.#end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#client.onStreamOver(this);
  }
}
