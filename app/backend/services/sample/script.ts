import type { AnomalyCode, ExchangeError, HeaderField, MessageSide } from '#contract';

/** Client programs of the sample; each has its own connections and handshake. */
export type SampleClient = 'browser' | 'app' | 'terminal' | 'watcher';

/** Milliseconds that each phase took. Without `connect` the exchange rides on an earlier connection. */
export interface Phases {
  readonly dns?: number;
  readonly connect?: number;
  readonly tls?: number;
  readonly send?: number;
  readonly wait: number;
  readonly receive: number;
}

export type SampleCoding = 'gzip' | 'br' | 'zstd' | 'deflate';

export interface ScriptedBody {
  /** Decoded bytes. */
  readonly bytes: Buffer;
  readonly coding?: SampleCoding;
  /** How it is delimited on the wire; a length by default. */
  readonly framing?: 'length' | 'chunked' | 'until-close';
  /** Only this many of the encoded bytes arrived. */
  readonly cutAt?: number;
  /** Damages the encoded bytes from this offset on. */
  readonly damagedAt?: number;
  readonly trailers?: readonly HeaderField[];
}

export interface ScriptedResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly HeaderField[];
  readonly body?: ScriptedBody;
  /** Heads of 1xx responses that came first. */
  readonly informational?: readonly { readonly startLine: string; readonly headers: readonly HeaderField[] }[];
  /** Fields that the origin sent and Weir did not forward (hop-by-hop). */
  readonly hopByHop?: readonly HeaderField[];
}

/** Bytes of a stream, and when they pass. */
export interface StreamPiece {
  /** Milliseconds since the exchange began. */
  readonly at: number;
  readonly side: MessageSide;
  readonly bytes: Buffer;
}

/** One exchange of the invented shop, in the words of the story; the player turns it into calls on a tap. */
export interface ScriptedExchange {
  /** Milliseconds since the sample began. */
  readonly at: number;
  readonly client: SampleClient;
  readonly kind?: 'http' | 'tunnel' | 'websocket';
  /** HTTP/2 on both legs; HTTP/1.1 by default. */
  readonly protocol?: 'h2';
  readonly method: string;
  readonly url: string;
  readonly headers?: readonly HeaderField[];
  readonly body?: ScriptedBody;
  /** Absent while pending and when it failed before an answer. */
  readonly response?: ScriptedResponse;
  readonly phases: Phases;
  readonly error?: ExchangeError;
  readonly anomalies?: readonly AnomalyCode[];
  /** Never ends. */
  readonly pending?: boolean;
  /** Bytes each way of a tunnel. */
  /** What passes bit by bit, instead of a body at once. */
  readonly stream?: readonly StreamPiece[];
  readonly streamTrailers?: readonly HeaderField[];
  readonly tunnelBytes?: { readonly toOrigin: number; readonly toClient: number };
}
