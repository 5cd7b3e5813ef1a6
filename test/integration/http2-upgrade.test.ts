import { createSecureServer } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startEngine } from '../support/engine-kit.ts';
import { openClient } from '../support/http-peers.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { Wire } from '../support/wire.ts';

test('an upgrade gets a connection of HTTP/1.1 to an origin that speaks HTTP/2 otherwise', async () => {
  const server = createSecureServer({ ...originCertificate('localhost'), allowHTTP1: true }, (request, response) => {
    response.end(request.httpVersion);
  });
  const sockets = new Set<Socket>();
  server.on('upgrade', (_request: IncomingMessage, socket: Socket) => {
    sockets.add(socket);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello');
    socket.on('data', (bytes: Buffer) => socket.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const weir = await startEngine({ settings: { originCertificateAuthorities: [ORIGIN_CA] } });

  const first = await openClient('h2 tls', { port: weir.port, tunnelTo: port, ca: weir.ca });
  expect((await first.ask({ path: '/' })).body.toString()).toBe('2.0');

  const tunnel = await Wire.connect(weir.port);
  tunnel.send(`CONNECT localhost:${String(port)} HTTP/1.1\r\nHost: localhost:${String(port)}\r\n\r\n`);
  await tunnel.head();
  const client = await tunnel.secure({ ca: weir.ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  client.send(
    `GET /ws HTTP/1.1\r\nHost: localhost:${String(port)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  expect(await client.head()).toMatch(/^HTTP\/1\.1 101 /);
  expect(await client.until('hello')).toBe('hello');
  client.send('echo');
  expect(await client.until('echo')).toBe('echo');
  // The second exchange is still open, so nothing else says that its record has come.
  weir.engine.flushCapture();
  expect(weir.rows.all.map(({ origin }) => origin?.protocol)).toEqual(['h2', 'http/1.1']);

  client.end();
  first.close();
  for (const socket of sockets) socket.destroy();
  await weir.stop();
  server.close();
});
