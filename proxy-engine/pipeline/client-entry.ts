import type { ConnectionRecord } from '../capture/tap.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { ConnectionId } from '../model/ids.ts';
import type { HandedOver } from './link.ts';
import type { OriginRoute } from './origins.ts';

/** A fixed place that every request of a connection goes to. */
export interface FixedDestination {
  readonly route: OriginRoute;
  /** Host of the row: what the client asked for, which may be a name where the route has an address. */
  readonly host: string;
  /** Host field to send; null keeps the client's (inside CONNECT it knows best). */
  readonly hostField: string | null;
  /** Put before each path; empty or without a slash at its end. */
  readonly basePath: string;
  /** The magic host: answered from the internal pages, never forwarded. */
  readonly internal: boolean;
}

/** A client's wish to have a tunnel. */
export interface ConnectRequest {
  readonly host: string;
  readonly port: number;
  /** When it began, microseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Members of Via that go on with what comes out of the tunnel; empty for none. */
  readonly via: string;
}

/** What is known of a client connection, and what its requests mean. */
export interface ClientEntry {
  readonly id: ConnectionId;
  /** `address:port` of the client. */
  readonly address: string;
  /** Another machine's: the addresses of this machine alone are closed to it. */
  readonly restricted: boolean;
  /** Every request is refused by this; null for clients that are welcome. */
  readonly refusal: ExchangeError | null;
  /** Null on a proxy listener: each request names its own. */
  readonly destination: FixedDestination | null;
  /** `h2` or `h2c`; null for HTTP/1, where each request says its minor version. */
  readonly protocol: 'h2' | 'h2c' | null;
  /** The connection's record; made when the first exchange on it is recorded. */
  record(): ConnectionRecord;
  /** The tap has the connection's record. */
  isRecorded: boolean;
  /**
   * Called when CONNECT may have its tunnel: what is handed over is no longer HTTP. A stream of HTTP/2 was answered already.
   * Null where CONNECT makes no sense.
   */
  readonly onConnect: ((request: ConnectRequest, client: HandedOver) => void) | null;
}
