import type { ConnectionRecord } from '../capture/tap.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { failure } from '../pipeline/failures.ts';
import { DEAF } from '../pipeline/link.ts';
import type { OriginProtocol, OriginRoute } from '../pipeline/origins.ts';
import { remoteAddress } from './addresses.ts';
import type { DialObserver } from './dialer.ts';
import type { OriginTls, SecureOrigin } from './origin-tls.ts';
import type { Outbound } from './outbound.ts';
import { SocketLink } from './socket-link.ts';

/** What a dial tells. Ends with one of the last two calls, unless given up. */
export interface OriginDialObserver {
  onResolved(): void;
  onTcpConnected(): void;
  onConnected(origin: SecureOrigin): void;
  /** @param connection as far as it came, for the record; null when there was none */
  onFailed(error: ExchangeError, connection: ConnectionRecord | null): void;
}

/** Opens a connection to an origin, TLS included where its route wants it. Returns a way to give up. */
export function dialOrigin(
  context: PipelineContext,
  outbound: Outbound,
  tls: OriginTls,
  route: OriginRoute,
  offered: readonly OriginProtocol[],
  observer: OriginDialObserver,
): () => void {
  let cancelled = false;
  let cancelTls: () => void = () => undefined;
  const options = { restricted: route.restricted, toProxy: route.forwardLines !== null, via: route.via };
  const dialObserver: DialObserver = {
    onResolved: () => {
      observer.onResolved();
    },
    onConnected: (socket) => {
      observer.onTcpConnected();
      if (route.scheme === 'https') {
        cancelTls = tls.secure(context, route, socket, offered, {
          onSecure: (origin) => {
            observer.onConnected(origin);
          },
          onSecureFailed: (error, connection) => {
            observer.onFailed(error, connection);
          },
        });
        return;
      }
      const id = context.takeConnectionId();
      const address = remoteAddress(socket);
      const name = route.priorKnowledge ? 'h2c' : 'http/1.1';
      observer.onConnected({
        id,
        link: new SocketLink(socket, DEAF),
        protocol: route.priorKnowledge ? 'h2' : 'http/1.1',
        describe: () => ({ id, side: 'origin', address, protocol: name, tls: null }),
      });
    },
    onFailed: ({ code, message }) => {
      if (!cancelled) observer.onFailed(failure(code, message), null);
    },
  };
  const cancelDial = outbound.dial(route.host, route.port, dialObserver, options);
  return () => {
    cancelled = true;
    cancelDial();
    cancelTls();
  };
}
