import type { Placed } from '../base/live-list.ts';
import {
  createRequestDecoder,
  type Http1Decoder,
  type Http1Limits,
  type Http1Sink,
  type RequestHead,
} from '../protocol/http1/index.ts';
import { Http2Error } from '../protocol/http2/index.ts';
import type { HeaderToSend, Http2Head, Http2Stream } from '../protocol/http2/index.ts';
import { chunk, LAST_CHUNK, lastChunk } from './chunks.ts';
import type { StreamTranslation } from './http1-origin.ts';
import { http2ErrorName } from '../model/http2-names.ts';
import {
  announcesTrailers,
  http2RequestFields,
  recordForm,
  responseForm,
  trailerFields,
  writeHttp1Response,
  writeHttp1Switch,
  type InnerFraming,
} from './http2-heads.ts';
import type { Http2Origin } from './http2-origin.ts';
import { Http2StreamLink } from './http2-stream-link.ts';
import { DEAF, type Link, type LinkHandler, type StreamReset } from './link.ts';

/** A request that waits for its origin's window stops its client at this many bytes. */
const QUEUED_BYTES = 65_536;
const NOTHING = Buffer.alloc(0);

/**
 * One stream to an HTTP/2 origin, in the shape of a connection that speaks HTTP/1: what is written to it is a request of
 * HTTP/1 and goes out as frames, and what the origin answers is told as a response of HTTP/1.
 */
export class Http2OriginStream implements Link, StreamTranslation, Http1Sink<RequestHead>, Placed {
  place = -1;
  handler: LinkHandler = DEAF;
  readonly ended = false;
  readonly connection: Http2Origin;
  sentHead: Buffer | null = null;
  receivedHead: Buffer | null = null;
  strippedSpace = false;
  readonly #decoder: Http1Decoder<RequestHead>;
  #stream: Http2Stream<Http2OriginStream> | null = null;
  #method = '';
  /** Body bytes of the request still to come by its declared length, or -1. */
  #left = -1;
  #trailers: readonly HeaderToSend[] = [];
  #requestEnded = false;
  #paused = false;
  #owed = 0;
  #framing: InnerFraming = 'none';
  #over = false;
  /** Body octets of the response still to come by its declared length, or -1. */
  #responseLeft = -1;
  /** The end of a body of declared length, held until it is known whether trailers follow. */
  #lastBytes: Buffer | null = null;
  #lateTrailers: Buffer | null = null;
  /** What an extended CONNECT asks for, as Upgrade has it, and the key of its handshake. */
  #upgrade: { readonly protocol: string; readonly key: string | null } | null = null;
  /** The stream as a transport, once the origin has said yes. */
  #transport: Http2StreamLink<Http2OriginStream> | null = null;

  constructor(connection: Http2Origin, limits: Http1Limits) {
    this.connection = connection;
    this.#decoder = createRequestDecoder(limits, { bareLineFeed: false });
  }

  // ---- the link ----------------------------------------------------------------------------------------------------

  get full(): boolean {
    return (this.#stream?.queuedBytes ?? 0) > QUEUED_BYTES || this.connection.link.full;
  }

  get secure(): boolean {
    return this.connection.link.secure;
  }

  write(bytes: Buffer): void {
    if (this.#over) return;
    this.#decoder.receive(bytes, 0, this);
    if (this.#decoder.phase === 'failed') {
      // What a client of HTTP/1 sent was judged before; its body may yet turn out malformed.
      this.#lose(
        { code: Http2Error.internalError, byPeer: false, withConnection: false },
        this.#decoder.failure?.message ?? 'The request cannot be translated.',
      );
      return;
    }
    this.connection.flushSoon();
  }

  writeAll(parts: readonly Buffer[], bytes: number): void {
    // What waits for window is kept as it is.
    this.write(Buffer.concat(parts, bytes));
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#giveBack();
  }

  finish(): void {
    // The request's framing has said so.
  }

  close(): void {
    this.reset();
  }

  cut(): void {
    this.reset();
  }

  reset(code: number = Http2Error.cancel): void {
    this.handler = DEAF;
    const stream = this.#stream;
    if (stream !== null && !(stream.localEnded && stream.remoteEnded)) {
      this.connection.connection.reset(stream, code);
      this.connection.flushSoon();
    }
    this.#end();
  }

  get streamId(): number {
    return this.#stream?.id ?? 0;
  }

  onceUpgradesKnown(tell: (takesUpgrades: boolean) => void): void {
    this.connection.onceKnown(() => {
      tell(this.connection.takesUpgrades === true);
    });
  }

  takeTrailers(): Buffer | null {
    const trailers = this.#lateTrailers;
    this.#lateTrailers = null;
    return trailers;
  }

  announceTrailers(lines: Buffer): void {
    this.#trailers = trailerFields(lines);
  }

  leave(): Link {
    return this.#transport ?? this;
  }

  // ---- the request, from HTTP/1 ------------------------------------------------------------------------------------

  onHead(head: RequestHead): void {
    const { route, connection } = this.connection;
    this.#method = head.method;
    const hasBody = head.framing === 'chunked' || head.contentLength > 0;
    this.#left = head.framing === 'length' ? head.contentLength : -1;
    this.#requestEnded = !hasBody;
    if (head.upgrade !== null) this.#upgrade = { protocol: head.upgrade, key: head.get('sec-websocket-key') };
    const fields = http2RequestFields(head, route.scheme, route.host, route.port);
    this.sentHead = recordForm(fields);
    this.#stream = connection.open(fields, !hasBody && this.#upgrade === null, this);
    if (this.#stream === null) {
      this.#lose(
        { code: Http2Error.refusedStream, byPeer: true, withConnection: false },
        'The origin takes no more streams on this connection.',
      );
      return;
    }
    this.#stream.withoutBody = head.method === 'HEAD';
  }

  onPayload(bytes: Buffer, start: number, end: number): void {
    if (this.#left !== -1) this.#left -= end - start;
    this.#send(bytes, start, end, this.#left === 0 && this.#trailers.length === 0);
  }

  onFraming(): void {
    // HTTP/2 has a framing of its own.
  }

  onWire(): void {
    // The payload was sent.
  }

  onTrailers(lines: Buffer): void {
    this.#trailers = trailerFields(lines);
  }

  onEnd(): void {
    if (this.#requestEnded || this.#stream === null) return;
    if (this.#trailers.length === 0) {
      this.#send(NOTHING, 0, 0, true);
      return;
    }
    this.#requestEnded = true;
    this.connection.connection.sendTrailers(this.#stream, this.#trailers);
  }

  #send(bytes: Buffer, start: number, end: number, isLast: boolean): void {
    if (this.#stream === null || this.#requestEnded) return;
    if (isLast) this.#requestEnded = true;
    this.connection.connection.sendData(this.#stream, bytes, start, end, isLast);
  }

  // ---- the response, to HTTP/1 -------------------------------------------------------------------------------------

  receiveHead(head: Http2Head, endStream: boolean): void {
    this.receivedHead = responseForm(head);
    this.strippedSpace = head.strippedSpace;
    const { status } = head;
    if (this.#upgrade !== null && status >= 200 && status < 300) {
      this.#switch(head, endStream);
      return;
    }
    const isBodyless = status < 200 || status === 204 || status === 304 || this.#method === 'HEAD';
    const isChunked = head.contentLength === -1 || announcesTrailers(head);
    if (!isBodyless) this.#framing = endStream ? 'none' : isChunked ? 'chunked' : 'length';
    if (this.#framing === 'length') this.#responseLeft = head.contentLength;
    const addLength = !isBodyless && endStream && head.contentLength === -1;
    this.handler.onBytes(writeHttp1Response(head, this.#framing, addLength));
    if (endStream) this.#responseDone();
  }

  receiveData(bytes: Buffer, start: number, end: number, endStream: boolean): void {
    if (this.#transport !== null) {
      this.#transport.receive(bytes, start, end, endStream);
      return;
    }
    const isChunked = this.#framing === 'chunked';
    this.#owed += end - start;
    if (this.#framing === 'length') {
      this.#responseLeft -= end - start;
      if (this.#responseLeft === 0 && !endStream) {
        this.#lastBytes = bytes.subarray(start, end);
        this.#giveBack();
        return;
      }
      this.#tellLast();
    }
    if (end > start && this.#framing !== 'none') {
      this.handler.onBytes(isChunked ? chunk(bytes, start, end, endStream) : bytes.subarray(start, end));
    } else if (isChunked && endStream) this.handler.onBytes(LAST_CHUNK);
    if (endStream) this.#responseDone();
    else this.#giveBack();
  }

  /** @param lines the trailer section */
  receiveTrailers(lines: Buffer): void {
    if (this.#transport !== null) {
      // Nothing but DATA belongs on such a stream (RFC 9113 §8.5).
      this.#transport.reset(Http2Error.protocolError);
      return;
    }
    if (this.#framing === 'chunked') this.handler.onBytes(lastChunk(lines));
    else if (lines.length > 0) this.#lateTrailers = lines;
    this.#tellLast();
    this.#responseDone();
  }

  /** @param isTransport the whole connection ended, by the origin */
  receiveReset(code: number, byPeer: boolean, reason: string, isTransport: boolean): void {
    if (this.#transport !== null) {
      this.#transport.receiveReset(code, byPeer, reason);
      return;
    }
    // By its declared length the response is whole.
    this.#tellLast();
    if (this.#over) return;
    if (isTransport) {
      const handler = this.handler;
      this.handler = DEAF;
      this.#end();
      const { farewell } = this.connection;
      handler.onClosed({ code: 'ECONNRESET', message: reason, ...(farewell === null ? {} : { farewell }) });
      return;
    }
    const message = byPeer
      ? `The origin reset the stream (${http2ErrorName(code)}${reason === '' ? '' : `: ${reason}`}).`
      : reason;
    this.#lose({ code, byPeer, withConnection: this.connection.connection.failure !== null }, message);
  }

  /** What was queued for want of window is sent, or the connection takes more again. */
  onDrained(): void {
    if (this.#transport !== null) this.#transport.onDrained();
    else this.handler.onDrain();
  }

  /** The origin said yes to an extended CONNECT: the stream is a transport from here on (RFC 8441 §4). */
  #switch(head: Http2Head, endStream: boolean): void {
    if (this.#upgrade === null || this.#stream === null) return;
    const { protocol, key } = this.#upgrade;
    this.#transport = new Http2StreamLink(this.connection, this.#stream, endStream, Http2Error.cancel, () => {
      this.#end();
    });
    const accept = key === null ? null : this.connection.webSocketAccept(key);
    this.handler.onBytes(writeHttp1Switch(head, protocol, accept));
  }

  /** Hands over what was held of a body of declared length. */
  #tellLast(): void {
    const bytes = this.#lastBytes;
    this.#lastBytes = null;
    if (bytes !== null) this.handler.onBytes(bytes);
  }

  /** The request may still be under way; what comes of it is nobody's business once the response is whole. */
  #responseDone(): void {
    if (this.#stream?.localEnded ?? true) this.#end();
  }

  #lose(reset: StreamReset, message: string): void {
    const handler = this.handler;
    this.handler = DEAF;
    if (this.#stream !== null && !this.#stream.closed) this.connection.connection.reset(this.#stream, reset.code);
    this.#end();
    handler.onClosed({ code: http2ErrorName(reset.code), message, reset });
  }

  #giveBack(): void {
    if (this.#paused || this.#owed === 0 || this.#stream === null) return;
    this.connection.connection.consume(this.#stream, this.#owed);
    this.#owed = 0;
    this.connection.flushSoon();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.connection.onStreamOver(this);
  }
}
