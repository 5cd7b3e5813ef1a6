import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Dial, type DialFailure } from './dialer.ts';
import { HostResolver } from './resolver.ts';

let server: Server;
let port: number;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterEach(() => {
  server.close();
});

/** A resolver that gives every name these addresses. */
function knows(...addresses: string[]): HostResolver {
  const answer = (_host: string, _options: unknown, done: (error: null, found: unknown) => void): void => {
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return new HostResolver({ lookup: answer as unknown as typeof lookup });
}

const LIMITS = { resolve: 1_000, connect: 5_000 };

function dial(
  resolver: HostResolver,
  to: number,
  isOwn: (address: string) => boolean = () => false,
  limits = LIMITS,
): Promise<Socket | DialFailure> {
  return new Promise((resolve) => {
    const refuse = (address: string): DialFailure | null =>
      isOwn(address) ? { code: 'loop.self', message: `${address} is our own.` } : null;
    new Dial('name.test', to, limits, resolver, refuse, {
      onResolved: () => undefined,
      onConnected: resolve,
      onFailed: resolve,
    });
  });
}

/** An address of the documentation's range (RFC 5737): connections to it go nowhere, or are refused by the system. */
const NOWHERE = '192.0.2.1';

describe('a dial', () => {
  test('reaches a host whose first address leads nowhere by its second', async () => {
    const socket = (await dial(knows(NOWHERE, '127.0.0.1'), port)) as Socket;
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  test('goes on to the next address at once when one refuses', async () => {
    const since = performance.now();
    const socket = (await dial(knows('::1', '127.0.0.1'), port)) as Socket;
    expect(socket.remoteAddress).toBe('127.0.0.1');
    expect(performance.now() - since).toBeLessThan(200);
    socket.destroy();
  });

  test('gives the socket away paused, half-open and without listeners', async () => {
    const socket = (await dial(knows('127.0.0.1'), port)) as Socket;
    expect(socket.isPaused()).toBe(true);
    expect(socket.allowHalfOpen).toBe(true);
    expect(socket.listenerCount('error')).toBe(0);
    socket.destroy();
  });

  test('fails with the last reason when every address refuses', async () => {
    server.close();
    expect(await dial(knows('127.0.0.1', '127.0.0.2'), port)).toMatchObject({ code: 'connect.refused' });
  });

  test('never connects to one of our own listeners', async () => {
    let connections = 0;
    server.on('connection', () => (connections += 1));
    expect(await dial(knows('127.0.0.1'), port, (address) => address === '127.0.0.1')).toMatchObject({
      code: 'loop.self',
    });
    expect(connections).toBe(0);
  });

  test('that is cancelled tells nobody', async () => {
    const cancelled = new Dial('name.test', port, LIMITS, knows('127.0.0.1'), () => null, {
      onResolved: () => undefined,
      onConnected: () => {
        throw new Error('Nobody waits any more.');
      },
      onFailed: () => {
        throw new Error('Nobody waits any more.');
      },
    });
    cancelled.cancel();
    const socket = (await dial(knows('127.0.0.1'), port)) as Socket;
    socket.destroy();
  });
});
