import type { ConnectionRecord } from '../capture/tap.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { Http1Origin } from './http1-origin.ts';

/** Where requests go, and all that decides whether two of them may share a connection. Equal routes are one object. */
export interface OriginRoute {
  readonly scheme: 'http' | 'https';
  /** Name or address that is connected to: lower case, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Name that TLS asks for and verifies; `host` unless the client's own ClientHello named another. */
  readonly serverName: string;
  /** HTTP/2 is spoken without TLS and without asking (RFC 9113 §3.3). */
  readonly priorKnowledge: boolean;
  /** It is for clients of other machines, to whom the addresses of this machine alone are closed. */
  readonly restricted: boolean;
  /** Members of Via that upstream proxies are told beside ours; empty for none. */
  readonly via: string;
  /**
   * Field lines that an upstream proxy wants with each request, which it gets in absolute form (RFC 9112 §3.2.2); null where
   * the connection leads to the origin itself, if only through a tunnel.
   */
  readonly forwardLines: string | null;
}

/** What a route depends on beside its scheme and its place. */
export interface RouteOptions {
  /** Name for TLS; the host when absent. */
  readonly serverName?: string;
  readonly priorKnowledge?: boolean;
  readonly restricted?: boolean;
  readonly via?: string;
  /** Through a tunnel even where an upstream proxy would forward requests: they switch protocols. */
  readonly tunnelled?: boolean;
}

/** What an origin speaks. */
export type OriginProtocol = 'h2' | 'http/1.1';

/** What an exchange hears while its origin connection is made. Ends with one of the last two calls. */
export interface OriginWaiter {
  onResolved(): void;
  onTcpConnected(): void;
  /** The connection is made anew for this one alone; the earlier way to give up is void. */
  onRedialled(cancel: () => void): void;
  onOrigin(origin: Http1Origin): void;
  /** @param connection the connection as far as it came, for the record; null when there was none */
  onOriginFailed(error: ExchangeError, connection: ConnectionRecord | null): void;
}

/** The origin side of the house: routes, idle connections, new connections. */
export interface Origins {
  /** The route to a place; equal ones are one object. */
  route(scheme: 'http' | 'https', host: string, port: number, options: RouteOptions): OriginRoute;
  /** The origin has said that it wants HTTP/1.1 for some request (RFC 9113 §7): it gets nothing else from here on. */
  requireHttp1(route: OriginRoute): void;
  /**
   * Whether extended CONNECT is worth being offered to the clients of a route: not when its origin speaks HTTP/2 alone and is
   * known not to take it.
   *
   * @param route null where each request names its own
   */
  mayUpgrade(route: OriginRoute | null): boolean;
  /**
   * The idle connection that was used last, or a stream on one that is shared; null when there is none.
   *
   * @param upgradesBy the request wants to switch protocols: by Upgrade on a connection of HTTP/1.1 that is its own, or by
   *   extended CONNECT on a stream; null for other requests
   */
  take(route: OriginRoute, upgradesBy: OriginProtocol | null): Http1Origin | null;
  /**
   * Opens a connection; `waiter` may be called before this returns. Returns a way to give up.
   *
   * @param upgradesBy as for `take`, but here it is a wish: the origin decides
   */
  dial(route: OriginRoute, waiter: OriginWaiter, upgradesBy: OriginProtocol | null): () => void;
  /** Takes a connection back that can carry another exchange. */
  release(origin: Http1Origin): void;
  /** An idle connection ended or spoke out of turn. */
  forget(origin: Http1Origin): void;
}
