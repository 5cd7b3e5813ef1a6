import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ListenerConfig, ListenerInfo } from '../model/engine-config.ts';
import type { Doorkeeping } from './doorkeeping.ts';
import { modeText } from './mode-text.ts';
import { readConnections } from './socket-reader.ts';
import { ListenError } from './listen-error.ts';
import { UdpRelay, type UdpMode } from './udp-relay.ts';

/** A listening socket and what it was asked to be. */
export interface OpenListener {
  readonly config: ListenerConfig;
  readonly info: ListenerInfo;
  /** Stops accepting; connections go on. */
  readonly close: () => void;
}

/**
 * Opens one listener.
 *
 * @param shared several workers listen on the same port (SO_REUSEPORT). A second sharer succeeds in silence, so whoever
 *   starts the workers must have taken the port for itself alone before
 * @throws ListenError
 */
export async function openListener(
  config: ListenerConfig,
  shared: boolean,
  onConnection: (socket: Socket) => void,
): Promise<OpenListener> {
  const server = await listen(config, shared, onConnection);
  const address = server.address() as AddressInfo;
  return {
    config,
    info: { mode: modeText(config.mode), address: address.address, port: address.port },
    close: () => {
      // Its callback waits for every connection; the port is free as soon as `close` has been called.
      server.close();
    },
  };
}

/** Opens a listener for datagrams. Closing it ends its sessions, since nothing could answer them any more. */
export async function openUdpListener(
  keeping: Doorkeeping,
  config: ListenerConfig,
  mode: UdpMode,
  shared: boolean,
): Promise<OpenListener> {
  try {
    const relay = await UdpRelay.open(keeping, mode, config.host, config.port, shared);
    return {
      config,
      info: { mode: modeText(mode), ...relay.address },
      close: () => {
        relay.close();
      },
    };
  } catch (error: unknown) {
    throw new ListenError(config.host, config.port, error as NodeJS.ErrnoException);
  }
}

function listen(config: ListenerConfig, reusePort: boolean, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, onConnection);
    const fail = (error: NodeJS.ErrnoException): void => {
      reject(new ListenError(config.host, config.port, error));
    };
    server.once('error', fail);
    try {
      server.listen({ host: config.host, port: config.port, reusePort, backlog: 1_024 }, () => {
        server.off('error', fail);
        // Later errors concern single connections that could not be accepted (too many open files): others go on.
        server.on('error', () => undefined);
        if (readConnections(server, onConnection)) server.removeListener('connection', onConnection);
        resolve(server);
      });
    } catch (error: unknown) {
      fail(error as NodeJS.ErrnoException);
    }
  });
}
