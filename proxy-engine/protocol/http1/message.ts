import type { AnomalyCode } from '../../model/anomaly-code.ts';
import type { ErrorCode } from '../../model/error-code.ts';
import type { ResponseHeadChanges } from './changes.ts';
import type { RequestTarget } from './target.ts';

/** How the body of one message is delimited (RFC 9112 §6.3). */
export type BodyFraming = 'none' | 'length' | 'chunked' | 'until-close';

/** Bounds of one decoder; named as the engine's limits, so that an error can name the setting. */
export interface Http1Limits {
  readonly requestLineBytes: number;
  readonly headBytes: number;
  readonly fields: number;
  readonly chunkExtensionBytes: number;
}

export interface Http1Tolerance {
  /** Forward and flag heads whose lines end in a bare line feed, instead of refusing them. */
  readonly bareLineFeed: boolean;
}

/** Where the start line and the fields of a head stand in its bytes, and what they are; for the writers of this folder. */
export interface FieldTable {
  /** `SPAN.size` numbers a field: where its name and value begin and end, and its `FIELD` bit (or 0). */
  readonly spans: readonly number[];
  readonly count: number;
  /** Union of the fields' `FIELD` bits. */
  readonly kinds: number;
  /** Union of `IRREGULAR` bits: irregularities that were tolerated and must not be forwarded. */
  readonly irregular: number;
  /** Offset after the start line's last byte, without its line end. */
  readonly startLineEnd: number;
  /** Offset of the empty line. */
  readonly fieldsEnd: number;
}

/**
 * The head of one message: the exact bytes and where each field stands in them. Nothing is turned into strings until
 * asked for, since most fields of most messages are only forwarded.
 */
export interface MessageHead {
  /** Start line to the empty line, inclusive, as received (its own copy; safe to keep). */
  readonly bytes: Buffer;
  readonly fieldCount: number;
  readonly table: FieldTable;
  /** What the Connection fields name, in lower case and order. */
  readonly connectionOptions: readonly string[];
  /** Minor version of HTTP/1: 0 or 1. */
  readonly minorVersion: 0 | 1;
  readonly framing: BodyFraming;
  /** Body bytes when `framing` is `length`, else 0. */
  readonly contentLength: number;
  /** The sender keeps the connection open after this message (RFC 9112 §9.3), as far as the head can say. */
  readonly keepAlive: boolean;
  readonly anomalies: readonly AnomalyCode[];
  /** Name of field `index` as sent, latin1. */
  fieldName(index: number): string;
  /** Value of field `index` without surrounding white space, latin1; obs-fold joined by one space. */
  fieldValue(index: number): string;
  /** Value of the first field of that name; `lowerName` in lower case. Null when absent. */
  get(lowerName: string): string | null;
  /** True when a field of that name exists. */
  has(lowerName: string): boolean;
}

export interface RequestHead extends MessageHead {
  readonly method: string;
  /** Request target as sent, latin1. */
  readonly target: string;
  /** Where the request wants to go: its target and its Host field read together. */
  readonly destination: RequestTarget;
  /** `Expect: 100-continue`, in any case. */
  readonly expectsContinue: boolean;
  /** The Upgrade field's value (without h2c) when Connection names it too; null otherwise and on HTTP/1.0. */
  readonly upgrade: string | null;
}

export interface ResponseHead extends MessageHead {
  readonly status: number;
  readonly reason: string;
  /** What it was last rewritten to, and for which changes: an origin that repeats a head has it written once. */
  rewritten: { readonly changes: ResponseHeadChanges; readonly bytes: Buffer } | null;
}

/**
 * What a decoder calls while it reads. Buffers are borrowed: copy what outlives the call. `onPayload` and `onFraming`
 * come in wire order and together cover exactly the range that a later `onWire` of the same `receive` names, so a relay
 * that changes nothing forwards `onWire` alone and a recorder keeps the other two.
 */
export interface Http1Sink<Head extends MessageHead> {
  onHead(head: Head): void;
  /** Body bytes without transfer framing. */
  onPayload(bytes: Buffer, start: number, end: number): void;
  /** Transfer framing: chunk-size lines, chunk ends, the last chunk, the trailer section with its final empty line. */
  onFraming(bytes: Buffer, start: number, end: number): void;
  /** One contiguous run of body section bytes, payload and framing, at most one call a `receive`. */
  onWire(bytes: Buffer, start: number, end: number): void;
  /** The trailer section's lines, when there is at least one field. Its bytes were part of `onFraming` too. */
  onTrailers(bytes: Buffer): void;
  /** The message is complete; `receive` returns right after. */
  onEnd(): void;
}

/** Why a decoder stopped for good. `status` is what a server answers (400, 414, 431, 501, 505; 502 for responses). */
export interface Http1Failure {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
}

/**
 * Decodes one message after another from one direction of one connection. Never touches a socket; never throws on input.
 */
export interface Http1Decoder<Head extends MessageHead> {
  readonly phase: 'head' | 'body' | 'done' | 'failed';
  readonly failure: Http1Failure | null;
  /** True when bytes of a head or body that is not complete were taken. False between messages. */
  readonly midMessage: boolean;
  /** The bytes of a head that is not complete yet (for the record of a refused or abandoned request). */
  readonly partialHead: Buffer;
  /**
   * Reads `bytes` from `start` and stops at the end of the message. Returns the offset after the last byte that
   * belongs to it; bytes after that are the next message's, or a tunnel's. Call `next` before reading on.
   */
  receive(bytes: Buffer, start: number, sink: Http1Sink<Head>): number;
  /** The peer ended its side. Ends an `until-close` body; otherwise mid-message is a cut (see `midMessage`). */
  receiveEof(sink: Http1Sink<Head>): void;
  /** Begins the next message. For responses `requestMethod` decides whether a body follows (HEAD, CONNECT). */
  next(requestMethod?: string): void;
}
