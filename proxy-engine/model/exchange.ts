import type { AnomalyCode } from './anomaly-code.ts';
import type { ExchangeError } from './error-code.ts';
import type { ConnectionId, ExchangeId, SessionId } from './ids.ts';
import type { LlmSummary } from './llm.ts';
import type { ProtocolName } from './protocol-name.ts';
import type { Timing } from './timing.ts';
import type { TlsFacts } from './tls-facts.ts';

export type ExchangeKind = 'http' | 'websocket' | 'tunnel' | 'tcp' | 'udp';

/** Direction of bytes: a request travels `toOrigin`, its response `toClient`. */
export type Direction = 'toOrigin' | 'toClient';

export type MessageSide = 'request' | 'response';

/** `active` while bytes may still come; `complete` after a whole response; `failed` otherwise. */
export type ExchangeState = 'active' | 'complete' | 'failed';

/**
 * How much of the bodies was kept: `whole`; `truncated` (a limit or a lagging store cut them); `none` (not recorded by
 * choice or because the store could not keep up).
 */
export type BodyCapture = 'whole' | 'truncated' | 'none';

/** One row of the list. Everything that the list, its filters on plain columns and `weir list --json` need. */
export interface ExchangeSummary {
  readonly id: ExchangeId;
  readonly session: SessionId;
  readonly kind: ExchangeKind;
  readonly state: ExchangeState;
  /** Microseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Microseconds; null while active. */
  readonly duration: number | null;
  /** As sent; empty for tunnels and relays. */
  readonly method: string;
  readonly scheme: 'http' | 'https' | 'tcp' | 'tls' | 'udp';
  /** Lower case, without brackets or port. */
  readonly host: string;
  readonly port: number;
  /** Path and query as sent; empty for tunnels and relays. */
  readonly path: string;
  readonly status: number | null;
  /** Media type of the response without parameters, lower case; null when unknown. */
  readonly mediaType: string | null;
  readonly client: { readonly address: string; readonly protocol: ProtocolName };
  readonly origin: { readonly address: string | null; readonly protocol: ProtocolName | null };
  /** Bytes of the bodies without transfer framing, still content-encoded, as they passed (not as stored). */
  readonly requestBodyBytes: number;
  readonly responseBodyBytes: number;
  readonly error: ExchangeError | null;
  readonly anomalies: readonly AnomalyCode[];
  readonly bodies: BodyCapture;
  /** 0 for none, else 1 to 6. */
  readonly label: number;
  readonly pinned: boolean;
  /** A person wrote a comment on it. */
  readonly commented: boolean;
  /** Name of the program at the client's end of the connection; null when it is not on this computer or not found. */
  readonly program: string | null;
  /** Name of the GraphQL operation; null for anything else and for one without a name. */
  readonly operation: string | null;
  /** Of a call of a language model that is over; null for anything else. */
  readonly llm: LlmSummary | null;
  /** Messages so far: of a WebSocket, an event stream, gRPC, a stream of Connect, or datagrams. */
  readonly messages: number;
  /** `grpc-status` of the answer, or the number of the code that ended a stream of Connect; null when none was told. */
  readonly grpcStatus: number | null;
  /** The exchange that this one repeats, which may be deleted by now; null for what a client sent by itself. */
  readonly replayOf: ExchangeId | null;
}

/** A field as on the wire: name in its case, value without surrounding white space, bytes as latin1. */
export type HeaderField = readonly [name: string, value: string];

/** One side of an exchange as the detail pane shows it. */
export interface MessageDetail {
  /** Start line without its line end, latin1; empty for HTTP/2, whose pseudo-fields (`:method`, `:status`) stand first among the headers. */
  readonly startLine: string;
  readonly headers: readonly HeaderField[];
  /** What Weir forwarded, when it differs from what it received; else null. */
  readonly sent: { readonly startLine: string; readonly headers: readonly HeaderField[] } | null;
  readonly trailers: readonly HeaderField[];
  readonly bodyBytes: number;
  /** Stored bytes of the body, content-encoded; may be fewer than `bodyBytes`. */
  readonly storedBytes: number;
  /** Content-Encoding tokens in order of application, lower case. */
  readonly contentEncoding: readonly string[];
  readonly mediaType: string | null;
  readonly charset: string | null;
}

/** Facts of one transport connection. */
export interface ConnectionFacts {
  readonly id: ConnectionId;
  readonly address: string;
  readonly protocol: ProtocolName;
  readonly tls: TlsFacts | null;
  /** Stream of HTTP/2 that carries the exchange; null without streams, and before it is known. */
  readonly stream: number | null;
  /** Origin only: an earlier exchange had used it. */
  readonly reused: boolean;
  /** Client only: the program at the other end, when it is of this computer and was found. */
  readonly program: { readonly name: string; readonly pid: number; readonly path: string } | null;
}

export interface ExchangeDetail {
  readonly summary: ExchangeSummary;
  readonly request: MessageDetail | null;
  readonly response: MessageDetail | null;
  /** Heads of 1xx responses, in order. */
  readonly informational: readonly { readonly startLine: string; readonly headers: readonly HeaderField[] }[];
  readonly timing: Timing;
  readonly clientConnection: ConnectionFacts | null;
  readonly originConnection: ConnectionFacts | null;
  readonly comment: string;
}
