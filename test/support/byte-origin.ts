import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { originCertificate } from './origin-certificates.ts';

/** An origin that keeps the exact bytes of each connection, and answers whenever the bytes end as `ending` says. */
export interface ByteOrigin {
  readonly port: number;
  /** What each connection sent so far. */
  readonly connections: readonly Buffer[];
  close(): Promise<void>;
}

/** @param ending of a whole request, latin1 */
export async function startByteOrigin(scheme: 'http' | 'https', ending: string): Promise<ByteOrigin> {
  const connections: Buffer[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    const index = connections.push(Buffer.alloc(0)) - 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      const all = Buffer.concat([connections[index] ?? Buffer.alloc(0), bytes]);
      connections[index] = all;
      if (!all.toString('latin1').endsWith(ending)) return;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    });
  };
  const server: Server =
    scheme === 'http'
      ? createServer(serve)
      : createTlsServer({ ...originCertificate('localhost'), ALPNProtocols: ['http/1.1'] }, serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
