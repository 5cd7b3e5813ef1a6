import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** Another program's proxy, as an office has one: it alone knows where hosts are. */
export interface ChainProxy {
  readonly port: number;
  /** The authorities that it was asked for by CONNECT, in order. */
  readonly asked: readonly string[];
  stop(): void;
}

/** @param ports on loopback, by the authority of each host that is known; others are refused */
export async function startChainProxy(ports: Readonly<Record<string, number>>): Promise<ChainProxy> {
  const asked: string[] = [];
  const server: Server = createServer((_request, response) => response.writeHead(502).end());
  const sockets = new Set<Socket>();
  // A browser that ends resets what it has open.
  const keep = (socket: Socket): void => {
    sockets.add(socket.on('error', () => socket.destroy()));
  };
  server.on('connection', keep);
  server.on('connect', ({ url = '' }, client) => {
    asked.push(url);
    const port = ports[url];
    if (port === undefined) {
      client.end('HTTP/1.1 502 Unknown Host\r\n\r\n');
      return;
    }
    const origin = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      origin.pipe(client).pipe(origin);
    });
    keep(origin);
    origin.once('close', () => client.destroy());
    client.once('close', () => origin.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
