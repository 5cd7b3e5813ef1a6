import type { Answer, ResponseHead, ResponseHeadChanges } from '../protocol/http1/index.ts';
import type { Http1Origin } from './http1-origin.ts';
import type { HandedOver } from './link.ts';
import type { OriginRoute } from './origins.ts';

/** An answer of ours as it went out, for the record. */
export interface SentAnswer {
  readonly head: Buffer;
  readonly body: Buffer;
}

/** The client of one exchange, whichever version of HTTP it speaks. */
export interface ClientLeg {
  /** Responses go without the framing of HTTP/1: `send` gets payload, and `finish` says that it is whole. */
  readonly unframed: boolean;
  /** More waits to be sent than the leg wants to hold; the exchange's `onClientDrain` follows. */
  readonly full: boolean;
  /** Bytes of the exchange moved. */
  touch(): void;
  /** The origin's answer has begun. */
  onAnswered(): void;
  /** Stop and restart the reading of the request's body. */
  pause(): void;
  resume(): void;
  inform(head: ResponseHead): void;
  /**
   * A final response's head. A leg with framing returns the bytes to send, so that they can leave together with the first
   * bytes of the body; an unframed one has sent it and returns the form for the record.
   */
  head(head: ResponseHead, changes: ResponseHeadChanges): Buffer;
  send(bytes: Buffer, spent: Buffer | null): void;
  /** The trailer section of an unframed response; sent by `finish`. */
  trailers(lines: Buffer): void;
  /** Why an origin's 101 cannot be passed on to this client, in a sentence; null when it can. */
  refusesSwitch(head: ResponseHead): string | null;
  /** The response is whole. */
  finish(): void;
  /** Answers in the origin's place. */
  answer(answer: Answer): SentAnswer;
  /**
   * Ends a response in its middle, so that the client can tell.
   *
   * @param framed the response's end would have been told by its framing
   * @param code error code of HTTP/2 by which the origin ended it, or null
   */
  cut(framed: boolean, code: number | null): void;
  /** The exchange is over and everything of it has been written. */
  onExchangeOver(keepAlive: boolean): void;
  /** HTTP is over on this leg; the link stays as it is. */
  leave(): HandedOver;
  /** Keeps an origin connection for this client alone. */
  pin(origin: Http1Origin): void;
  takePinned(route: OriginRoute): Http1Origin | null;
}
