import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RequestPlace } from './request-parts.ts';
import { createProtocolMemory, openTunnel } from './proxy-tunnel.ts';

const PLACE: RequestPlace = {
  scheme: 'https',
  host: 'origin.test',
  port: 443,
  authority: 'origin.test',
  target: '/',
};

let proxy: Server;

beforeEach(async () => {
  // It agrees to every tunnel, and nothing answers inside.
  proxy = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterEach(() => {
  proxy.close();
});

function open(beforeUse: () => Promise<void>, signal: AbortSignal): Promise<unknown> {
  const { port } = proxy.address() as AddressInfo;
  const entry = { host: '127.0.0.1', port, authorization: null, certificateAuthority: '' };
  return openTunnel(entry, PLACE, ['http/1.1'], createProtocolMemory(), beforeUse, signal);
}

test('a tunnel that is cancelled while its row is being announced ends with that, and breaks nothing else', async () => {
  const stop = new AbortController();
  const announced = async (): Promise<void> => {
    stop.abort();
    // The socket tells of its end a moment later.
    await new Promise((resolve) => setImmediate(resolve));
  };
  await expect(open(announced, stop.signal)).rejects.toMatchObject({ code: 'cancelled' });
});

test('a tunnel that is cancelled during its TLS handshake ends with that', async () => {
  const stop = new AbortController();
  const shaking = open(() => Promise.resolve(), stop.signal);
  setImmediate(() => {
    stop.abort();
  });
  await expect(shaking).rejects.toBeInstanceOf(Error);
});
