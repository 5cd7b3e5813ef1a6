import type { ConnectionRecord } from '../capture/tap.ts';
import type { ConnectionId } from '../model/ids.ts';
import {
  createResponseDecoder,
  type Http1Decoder,
  type Http1Sink,
  type ResponseHead,
} from '../protocol/http1/index.ts';
import type { PipelineContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import type { RecordableConnection } from './exchange-record.ts';
import type { Link, LinkFailure, LinkHandler } from './link.ts';
import type { OriginRoute } from './origins.ts';

/** Up to this many bytes a head and the body behind it are copied into one write; above it two writes are cheaper. */
const JOIN_BYTES = 32_768;

/** What stands behind an origin connection that is one stream of HTTP/2 in truth. */
export interface StreamTranslation {
  /** The connection that carries the stream. */
  readonly connection: RecordableConnection;
  /** Number of the stream; 0 before it was opened. */
  readonly streamId: number;
  /** The request's head as it was sent, for the record; null before. */
  readonly sentHead: Buffer | null;
  /** The last response head as it came, informational ones too. */
  readonly receivedHead: Buffer | null;
  /** White space around its values was taken away. */
  readonly strippedSpace: boolean;
  /** Tells, once it is known, whether the origin takes extended CONNECT (RFC 8441 §3). */
  onceUpgradesKnown(tell: (takesUpgrades: boolean) => void): void;
  /** Trailers that follow a body of declared length, once, before the last of that body is told; null for none. */
  takeTrailers(): Buffer | null;
  /** The request's body of declared length is followed by trailers: said before its last bytes are written. */
  announceTrailers(lines: Buffer): void;
  /** The stream as the transport that an accepted extended CONNECT has made of it. */
  leave(): Link;
}

/**
 * An HTTP/1 connection to an origin: carries one exchange at a time, waits in the pool between two, and hands response
 * bytes to the exchange as they come.
 */
export class Http1Origin implements LinkHandler, Http1Sink<ResponseHead> {
  readonly link: Link;
  readonly route: OriginRoute;
  readonly id: ConnectionId;
  readonly translation: StreamTranslation | null;
  isRecorded = false;
  /** Exchanges that it has carried. */
  uses = 0;
  /** Coarse milliseconds at which it became idle. */
  idleSince = 0;
  /** Some byte of an answer to the current exchange has come. */
  answered = false;
  readonly #context: PipelineContext;
  readonly #decoder: Http1Decoder<ResponseHead>;
  readonly #describe: () => ConnectionRecord;
  #record: ConnectionRecord | null = null;
  #exchange: Exchange | null = null;
  #method = '';
  #status = 0;
  #gone = false;
  #switching = false;
  #informational = false;
  /** Head to send to the client with the first body bytes of the same segment; null when there is none. */
  #head: Buffer | null = null;
  /** Offset of an unchanged head in the segment that is being read, or -1: then head and body leave as they came. */
  #headAt = -1;
  #segmentStart = 0;
  #midSegment = false;

  /** @param describe makes the connection's record; called at most once, while the connection stands */
  constructor(
    context: PipelineContext,
    link: Link,
    route: OriginRoute,
    describe: () => ConnectionRecord,
    id: ConnectionId,
    translation: StreamTranslation | null = null,
  ) {
    this.#context = context;
    this.link = link;
    this.route = route;
    this.id = id;
    this.#describe = describe;
    this.translation = translation;
    this.#decoder = createResponseDecoder(context.settings.limits, {
      bareLineFeed: context.settings.tolerateBareLineFeed,
    });
    link.handler = this;
    if (translation === null) context.counters.originConnections += 1;
  }

  get record(): ConnectionRecord {
    return (this.#record ??= this.#describe());
  }

  /** Whose record an exchange refers to. */
  get recordable(): RecordableConnection {
    return this.translation?.connection ?? this;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** Begins to carry an exchange; the caller writes the request. */
  assign(exchange: Exchange, method: string): void {
    this.#exchange = exchange;
    this.#method = method;
    this.uses += 1;
    this.answered = false;
    this.#decoder.next(method);
  }

  /** What the connection, or the stream, is once HTTP is over on it. */
  leave(): Link {
    this.#exchange = null;
    return this.translation?.leave() ?? this.link;
  }

  /** The exchange is over as far as this connection goes. */
  unassign(): void {
    this.#exchange = null;
  }

  /**
   * Ends the connection; nothing is reported any more. `abort` makes sure that the origin stops working.
   *
   * @param code error code of HTTP/2 to reset the stream with, where it is one; null for CANCEL
   */
  discard(abort: boolean, code: number | null = null): void {
    this.#exchange = null;
    if (abort) this.link.reset(code ?? undefined);
    else this.link.close();
  }

  onBytes(bytes: Buffer): void {
    const exchange = this.#exchange;
    if (exchange === null) {
      // Nobody asked: whatever this is, it must never be taken for the next exchange's answer.
      this.#context.origins.forget(this);
      this.link.close();
      return;
    }
    if (!this.answered) {
      this.answered = true;
      exchange.onFirstByte();
    }
    exchange.touch();
    const trailers = this.translation?.takeTrailers() ?? null;
    if (trailers !== null) exchange.onTrailersAfterLength(trailers);
    let at = 0;
    while (at < bytes.length) {
      this.#segmentStart = at;
      this.#midSegment = this.#decoder.midMessage;
      at = this.#decoder.receive(bytes, at, this);
      this.#flushHead(bytes);
      if (this.#decoder.phase === 'failed') {
        this.#refuse(exchange);
        return;
      }
      if (this.#decoder.phase !== 'done') break;
      if (this.#switching) {
        exchange.onSwitched(bytes.subarray(at));
        return;
      }
      if (this.#informational) {
        this.#informational = false;
        this.#decoder.next(this.#method);
        continue;
      }
      exchange.onResponseEnd(this.#status, at < bytes.length);
      return;
    }
    if (!exchange.responseFlows()) this.link.pause();
  }

  onHead(head: ResponseHead): void {
    const exchange = this.#exchange;
    if (exchange === null) return;
    if (head.status === 101) {
      this.#switching = exchange.onSwitch(head);
      return;
    }
    if (head.status < 200) {
      this.#informational = true;
      exchange.onInformational(head);
      return;
    }
    this.#status = head.status;
    const sent = exchange.onResponseHead(head);
    // An unchanged head that came whole in this segment leaves together with the body bytes behind it, uncopied.
    if (sent === head.bytes && !this.#midSegment) this.#headAt = this.#segmentStart;
    this.#head = sent;
  }

  onPayload(bytes: Buffer, start: number, end: number): void {
    const exchange = this.#exchange;
    if (exchange === null) return;
    if (exchange.unframed) this.#flushHead(bytes);
    // What a stream of HTTP/2 brings is the connection's.
    const isWhole = this.#segmentStart === 0 && end === bytes.length && this.translation === null;
    exchange.onResponsePayload(bytes, start, end, isWhole && exchange.unframed ? bytes : null);
  }

  onFraming(bytes: Buffer, start: number, end: number): void {
    if (this.translation === null) this.#exchange?.record.framing('response', bytes, start, end);
  }

  onWire(bytes: Buffer, start: number, end: number): void {
    const exchange = this.#exchange;
    if (exchange === null || exchange.unframed) return;
    const head = this.#head;
    if (head === null) {
      const body = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
      exchange.sendToClient(body, body);
      return;
    }
    this.#head = null;
    const at = this.#placeHead(head, bytes, start);
    this.#headAt = -1;
    if (at !== -1) {
      exchange.sendToClient(bytes.subarray(at, end), this.#segmentStart === 0 ? bytes : null);
      return;
    }
    const body = bytes.subarray(start, end);
    if (body.length <= JOIN_BYTES) exchange.sendToClient(Buffer.concat([head, body]));
    else {
      exchange.sendToClient(head);
      exchange.sendToClient(body);
    }
  }

  /**
   * Makes the head to send stand right before the body in the segment that brought both, so that they leave together and
   * uncopied. An unchanged one does already; another one takes the received one's place if it is not longer.
   *
   * @returns where it begins, or -1 when there is no room for it
   */
  #placeHead(head: Buffer, bytes: Buffer, bodyAt: number): number {
    const at = bodyAt - head.length;
    if (at === this.#headAt) return at;
    // The head was copied when it was read, so its place is nobody's; bytes of a stream of HTTP/2 are not ours to change.
    if (this.#midSegment || at < this.#segmentStart || this.translation !== null) return -1;
    head.copy(bytes, at);
    return at;
  }

  onTrailers(bytes: Buffer): void {
    this.#exchange?.onResponseTrailers(bytes);
  }

  onEnd(): void {
    // Seen by the decoder's phase once `receive` has returned.
  }

  onDrain(): void {
    this.#exchange?.onOriginDrain();
  }

  onEof(): void {
    const exchange = this.#exchange;
    if (exchange === null) {
      this.#context.origins.forget(this);
      this.link.close();
      return;
    }
    if (!this.answered) {
      exchange.onOriginLost(null);
      return;
    }
    this.#decoder.receiveEof(this);
    if (this.#decoder.phase === 'failed') this.#refuse(exchange);
    else if (this.#decoder.phase === 'done' && !this.#informational) exchange.onResponseEnd(this.#status, false);
    else exchange.onOriginLost(null);
  }

  onClosed(failure: LinkFailure | null): void {
    if (this.#gone) return;
    this.#gone = true;
    if (this.translation === null) this.#context.counters.originConnections -= 1;
    const exchange = this.#exchange;
    if (exchange === null) this.#context.origins.forget(this);
    else exchange.onOriginLost(failure);
  }

  /** Sends a head that no body bytes came with. */
  #flushHead(bytes: Buffer): void {
    const head = this.#head;
    if (head === null) return;
    this.#head = null;
    const at = this.#headAt;
    this.#headAt = -1;
    this.#exchange?.sendToClient(at === -1 ? head : bytes.subarray(at, at + head.length));
  }

  #refuse(exchange: Exchange): void {
    const refusal = this.#decoder.failure;
    exchange.fail(
      refusal?.code ?? 'http1.response-head',
      refusal?.message ?? 'The origin sent something that is not HTTP/1.',
    );
  }
}
