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
  /** A stream of HTTP/2 that stays open and carries messages of `sends` bytes both ways at once, `DUPLEX_WINDOW` under way. */
  readonly duplex: boolean;
  /** Reads 16 KiB of an answer, waits this long, and reads on, ms; 0 reads as it comes. */
  readonly readPauseMs: number;
  /** Each connection names a host in TLS that nobody has named before. */
  readonly newNames: boolean;
  /** Between client and product lies a link of 5 ms each way that now and then stalls. */
  readonly lossy: boolean;
  /** Further connections that made one request and say nothing more while the others work. */
  readonly idle: number;
}

/** Messages of a duplex stream that are under way at once. */
export const DUPLEX_WINDOW = 4;

/** How a load gets to its origin: by a reverse proxy or a relay, or through an explicit proxy. */
export type Way =
  | { readonly kind: 'direct' }
  /** A tunnel by CONNECT or SOCKS 5 (by name), or a proxy request with its absolute URL; `origin` is `host:port`. */
  | { readonly kind: 'connect' | 'socks5' | 'request'; readonly origin: string };

/** One load on one port, the argument of the generator's process. */
export interface GeneratorPlan {
  readonly workload: Workload;
  readonly port: number;
  readonly way: Way;
  /** Authority of the requests. */
  readonly host: string;
  readonly connections: number;
  /** Streams of each HTTP/2 connection. */
  readonly streams: number;
  /** Operations a second over all connections, begun by the clock; null begins each when the one before is answered. */
  readonly rate: number | null;
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
  /** HTTP/1 over TLS. */
  readonly tls: number;
  /** HTTP/2 over TLS. */
  readonly h2: number;
  /** HTTP/2 by prior knowledge. */
  readonly h2c: number;
  readonly tcp: number;
  readonly udp: number;
}
