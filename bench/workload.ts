/** What a generator does over and over on each connection (HTTP/2: on each stream). */
export interface Workload {
  readonly protocol: 'http1' | 'http2' | 'websocket' | 'tcp' | 'udp';
  readonly path: string;
  /** Body of each request, or size of each message, bytes. */
  readonly sends: number;
  /** TLS towards the product (in an explicit proxy: through it, towards the origin). */
  readonly tls: boolean;
  /** A new connection for each operation. */
  readonly fresh: boolean;
  /** gRPC: content type, length prefix, and the status in the trailers counts. */
  readonly grpc: boolean;
}

/** One load on one port, the argument of the generator's process. */
export interface GeneratorPlan {
  readonly workload: Workload;
  readonly port: number;
  /** `host:port` for CONNECT; null speaks to `port` directly. */
  readonly connectTo: string | null;
  /** Authority of the requests. */
  readonly host: string;
  readonly connections: number;
  /** Streams of each HTTP/2 connection. */
  readonly streams: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** Lines that a generator prints, in this order; `live` any number of times. */
export type GeneratorLine =
  | { readonly type: 'warm' }
  /** Operations since the last such line. */
  | { readonly type: 'live'; readonly operations: number }
  | { readonly type: 'measured' }
  | ({ readonly type: 'result' } & GeneratorResult);

export interface GeneratorResult {
  readonly operations: number;
  readonly errors: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Ports of the origin's process. */
export interface OriginPorts {
  /** HTTP/1 and WebSocket. */
  readonly plain: number;
  readonly tls: number;
  /** HTTP/2 by prior knowledge. */
  readonly h2c: number;
  readonly tcp: number;
  readonly udp: number;
}
