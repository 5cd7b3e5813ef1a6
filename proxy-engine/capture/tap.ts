import type { AnomalyCode } from '../model/anomaly-code.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { ExchangeKind, MessageSide } from '../model/exchange.ts';
import type { ConnectionId, ExchangeId } from '../model/ids.ts';
import type { ProtocolName } from '../model/protocol-name.ts';
import type { Timing } from '../model/timing.ts';
import type { TlsFacts } from '../model/tls-facts.ts';

/** Facts of one transport connection, recorded once; exchanges refer to it by id. */
export interface ConnectionRecord {
  readonly id: ConnectionId;
  readonly side: 'client' | 'origin';
  /** `address:port` of the peer. */
  readonly address: string;
  readonly protocol: ProtocolName;
  readonly tls: TlsFacts | null;
}

/** The first record of an exchange: what is known when its request head (or its failure) is. */
export interface BeginRecord {
  readonly id: ExchangeId;
  readonly kind: ExchangeKind;
  /** Microseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly clientConnection: ConnectionId;
  /** Stream of HTTP/2 that it came on; 0 and unsaid are none. */
  readonly clientStream?: number;
  readonly clientAddress: string;
  readonly clientProtocol: ProtocolName;
  readonly scheme: 'http' | 'https' | 'tcp' | 'tls' | 'udp';
  readonly host: string;
  readonly port: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Head as received; empty for tunnels, relays and failures before a request. */
  readonly head: Buffer;
  /** Head as forwarded, when it differs; else null. */
  readonly sentHead: Buffer | null;
}

/** A frame of an HTTP/2 connection, without its payload. */
export interface FrameRecord {
  /** Its number among the frames of its connection, from 1. */
  readonly sequence: number;
  /** By Weir. */
  readonly sent: boolean;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Octets of the payload. */
  readonly length: number;
}

export interface ResponseRecord {
  readonly status: number;
  readonly head: Buffer;
  readonly sentHead: Buffer | null;
}

export interface EndRecord {
  readonly timing: Timing;
  readonly requestBodyBytes: number;
  readonly responseBodyBytes: number;
  readonly error: ExchangeError | null;
  readonly anomalies: readonly AnomalyCode[];
  /** A whole response was received and forwarded. */
  readonly complete: boolean;
  /** Transfer framing of the bodies as forwarded, when it differs from what was received. */
  readonly sentRequestFraming: 'as-received' | 'identity' | 'chunked';
  readonly sentResponseFraming: 'as-received' | 'identity' | 'chunked';
}

/** What a stream of messages goes on without, because the store lagged or a limit was reached. */
export interface GapRecord {
  /** Microseconds since the Unix epoch. */
  readonly time: number;
  readonly bytes: number;
  /** Frames or datagrams; those that were cut count. */
  readonly messages: number;
  /** Nothing more of this side is recorded. */
  readonly rest: boolean;
}

/**
 * Where the pipeline copies what passes. Every method copies what it keeps before it returns, never blocks and never
 * throws. Calls for one exchange come in the order begin, … , end; body bytes of both sides interleave freely.
 */
export interface Tap {
  /** False: recording is paused or capture is off; the pipeline skips every other call for exchanges that begin now. */
  readonly recording: boolean;
  connection(record: ConnectionRecord): void;
  /**
   * A frame of a connection that was told. Frames are the first that is left out when the store lags; their numbers say so.
   * @param record borrowed
   * @param bytes what is kept of its payload, from `start` to `end`; the first 64 bytes of it
   */
  frame(connection: ConnectionId, record: FrameRecord, bytes: Buffer, start: number, end: number): void;
  begin(record: BeginRecord): void;
  /** The origin connection that serves it, once known, and its first known address (for the row). */
  origin(id: ExchangeId, connection: ConnectionId, address: string, protocol: ProtocolName, reused: boolean): void;
  /** The stream of its origin's connection, where that speaks HTTP/2; again with a retry. */
  originStream(id: ExchangeId, stream: number): void;
  /** The head as forwarded, when it was not known at `begin`. */
  sentRequestHead(id: ExchangeId, head: Buffer): void;
  informational(id: ExchangeId, head: Buffer): void;
  response(id: ExchangeId, record: ResponseRecord): void;
  /**
   * Bytes of a body, without transfer framing. Behind the handshake of a WebSocket: its frames, in pieces of any size, from
   * whichever version of HTTP carries them.
   */
  payload(id: ExchangeId, side: MessageSide, bytes: Buffer, start: number, end: number): void;
  /** One datagram, which is a message and a part of the body. */
  datagram(id: ExchangeId, side: MessageSide, bytes: Buffer, start: number, end: number): void;
  framing(id: ExchangeId, side: MessageSide, bytes: Buffer, start: number, end: number): void;
  trailers(id: ExchangeId, side: MessageSide, bytes: Buffer): void;
  /**
   * True while a bulk body would be recorded no further because the store lags: whoever reads it should rest until credit
   * comes back. Never true for short bodies.
   */
  congested(id: ExchangeId, side: MessageSide): boolean;
  /**
   * Gives a body up that has waited long enough: the rest of it passes uncaptured; of a stream of messages what comes until
   * the store has caught up.
   */
  cut(id: ExchangeId, side: MessageSide): void;
  end(id: ExchangeId, record: EndRecord): void;
}

/** The way from the engine's thread to the store's: whole buffers, handed over for good. */
export interface CapturePort {
  /** Takes ownership of the buffer (it is transferred). */
  post(batch: ArrayBuffer): void;
}

/** What capture had to leave out since the engine began, in the order in which it degrades. */
export interface CaptureLosses {
  readonly truncatedBodies: number;
  readonly droppedBodies: number;
  readonly droppedExchanges: number;
}
