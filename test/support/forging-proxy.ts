import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { LeafForge } from '../../proxy-engine/pki/index.ts';
import { ClientHelloReader } from '../../proxy-engine/protocol/tls-hello/index.ts';

/** A proxy that answers every CONNECT itself, with a leaf of the forge: the smallest thing that a client can verify. */
export interface ForgingProxy {
  readonly port: number;
  /** What each handshake came to, in order. */
  readonly handshakes: readonly { readonly name: string; readonly resumed: boolean }[];
  /** First line of whatever was asked of the proxy, in order. */
  readonly asked: readonly string[];
  /** Resolves when a handshake for that name is done. */
  handshake(name: string): Promise<void>;
  /** Resolves when a client refused the leaf for that name. */
  refused(name: string): Promise<'refused'>;
  close(): Promise<void>;
}

const BODY = 'verified';

export function startForgingProxy(forge: LeafForge): Promise<ForgingProxy> {
  const handshakes: { name: string; resumed: boolean }[] = [];
  const asked: string[] = [];
  const refusals = new Set<string>();
  const done = new EventEmitter();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {
      socket.destroy();
    });
    socket.once('data', (head) => {
      asked.push(head.toString('latin1').split('\r\n', 1)[0] ?? '');
      const target = /^CONNECT (.+):\d+ HTTP/.exec(head.toString('latin1'))?.[1] ?? 'no-connect.test';
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      intercept(socket, target);
    });
  });

  function intercept(socket: Socket, target: string): void {
    const reader = new ClientHelloReader();
    const pieces: Buffer[] = [];
    const look = (piece: Buffer): void => {
      pieces.push(piece);
      const result = reader.receive(piece);
      if (result.kind === 'incomplete') return;
      socket.off('data', look);
      socket.pause();
      if (result.kind !== 'hello') {
        socket.destroy();
        return;
      }
      socket.unshift(Buffer.concat(pieces));
      const name = result.hello.sni ?? target;
      const tls = new TLSSocket(socket, { isServer: true, secureContext: forge.leafFor(name).context });
      tls.on('error', () => {
        refusals.add(name);
        done.emit(`refused ${name}`);
        socket.destroy();
      });
      tls.on('secure', () => {
        handshakes.push({ name, resumed: tls.isSessionReused() });
        done.emit(name);
      });
      tls.on('data', () => {
        tls.end(
          `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`,
        );
      });
    };
    socket.on('data', look);
  }

  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        handshakes,
        asked,
        handshake: async (name) => {
          if (!handshakes.some((handshake) => handshake.name === name)) await once(done, name);
        },
        refused: async (name) => {
          if (!refusals.has(name)) await once(done, `refused ${name}`);
          return 'refused';
        },
        close: () =>
          new Promise((done) => {
            server.close(() => {
              done();
            });
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}
