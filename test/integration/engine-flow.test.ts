import { readdirSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { Wire, WireServer } from '../support/wire.ts';

let weir: EngineUnderTest;
const cleanups: (() => Promise<void>)[] = [];

beforeEach(async () => {
  weir = await startEngine({ settings: { originCertificateAuthorities: [ORIGIN_CA] } });
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await weir.stop();
});

const MEBIBYTE = 1_048_576;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

async function listen(): Promise<WireServer> {
  const origin = await WireServer.listen();
  cleanups.push(() => origin.close());
  return origin;
}

function request(origin: WireServer, method: string, path: string, rest = '\r\n'): string {
  return `${method} http://127.0.0.1:${String(origin.port)}${path} HTTP/1.1\r\nHost: x\r\n${rest}`;
}

/** Writes until the other side has stopped taking for good; returns the bytes that are out of our hands. */
async function fill(wire: Wire): Promise<number> {
  const block = Buffer.alloc(65_536, 'x');
  const { socket } = wire;
  for (;;) {
    if (socket.write(block)) continue;
    const drained = await Promise.race([
      once(socket, 'drain').then(() => true),
      new Promise<false>((resolve) => setTimeout(resolve, 300, false)),
    ]);
    if (!drained) return socket.bytesWritten - socket.writableLength;
  }
}

test('a slow reader stops the origin’s writer, and goes on where it was', async () => {
  const origin = await listen();
  const client = await Wire.connect(weir.port);
  client.send(request(origin, 'GET', '/big'));
  const server = await origin.next();
  await server.head();
  client.socket.pause();
  server.send(`HTTP/1.1 200 OK\r\nContent-Length: ${String(64 * MEBIBYTE)}\r\n\r\n`);
  const taken = await fill(server);
  expect(taken).toBeLessThan(24 * MEBIBYTE);
  const before = process.memoryUsage().arrayBuffers;
  client.socket.resume();
  await once(server.socket, 'drain');
  const sent = server.socket.bytesWritten;
  client.socket.pause();
  await fill(server);
  expect(server.socket.bytesWritten).toBeGreaterThan(sent);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MEBIBYTE);
  client.socket.resume();
  client.reset();
  await server.rest();
});

test('a slow origin stops the client’s writer', async () => {
  const origin = await listen();
  const client = await Wire.connect(weir.port);
  client.send(request(origin, 'POST', '/', `Content-Length: ${String(64 * MEBIBYTE)}\r\n\r\n`));
  const server = await origin.next();
  await server.head();
  server.socket.pause();
  expect(await fill(client)).toBeLessThan(24 * MEBIBYTE);
  client.reset();
  server.socket.resume();
  await server.rest();
});

test('an origin that is dialled stops the client’s writer', async () => {
  weir.configure({ originCertificateAuthorities: [ORIGIN_CA] });
  const silent = await WireServer.listen();
  cleanups.push(() => silent.close());
  const client = await Wire.connect(weir.port);
  client.send(
    `POST https://127.0.0.1:${String(silent.port)}/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(64 * MEBIBYTE)}\r\n\r\n`,
  );
  expect(await fill(client)).toBeLessThan(24 * MEBIBYTE);
  client.reset();
});

test('16 MiB each way at once arrive whole, over TLS on both legs', async () => {
  const origin = await WireServer.listenTls(originCertificate('localhost'));
  cleanups.push(() => origin.close());
  const tunnel = await Wire.connect(weir.port);
  tunnel.send(`CONNECT localhost:${String(origin.port)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await tunnel.head();
  const client = await tunnel.secure({ ca: weir.ca, servername: 'localhost' });
  const size = 16 * MEBIBYTE;
  client.send(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(size)}\r\n\r\n`);
  const server = await origin.next();
  await server.head();
  server.send(`HTTP/1.1 200 OK\r\nContent-Length: ${String(size)}\r\n\r\n`);
  await client.head();
  await Promise.all([pour(client, size), pour(server, size), client.swallow(size), server.swallow(size)]);
  const row = await weir.rows.only();
  expect(row.end).toMatchObject({ complete: true, requestBodyBytes: size, responseBodyBytes: size });
});

async function pour(wire: Wire, size: number): Promise<void> {
  const block = Buffer.alloc(MEBIBYTE, 'y');
  for (let sent = 0; sent < size; sent += block.length) {
    if (!wire.socket.write(block)) await once(wire.socket, 'drain');
  }
}

test('a thousand requests, fifty at a time, use few origin connections and leave no descriptor behind', async () => {
  const origin = createHttpServer((incoming, outgoing) => {
    outgoing.end(`answer to ${incoming.url ?? ''}`);
  });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  let connections = 0;
  origin.on('connection', () => (connections += 1));
  const address = origin.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const descriptors = readdirSync('/proc/self/fd').length;

  const clients = await Promise.all(Array.from({ length: 50 }, () => Wire.connect(weir.port)));
  await Promise.all(
    clients.map(async (client, index) => {
      for (let turn = 0; turn < 20; turn += 1) {
        const path = `/${String(index)}/${String(turn)}`;
        client.send(`GET http://127.0.0.1:${String(port)}${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
        await client.until(`answer to ${path}`);
      }
    }),
  );
  expect(connections).toBeLessThanOrEqual(50);
  const rows = await weir.rows.ended(1_000);
  expect(rows.filter((row) => row.end?.complete === true)).toHaveLength(1_000);
  expect(new Set(rows.map((row) => row.begin.id)).size).toBe(1_000);
  for (const client of clients) client.socket.destroy();
  await Promise.all(clients.filter((client) => !client.socket.closed).map((client) => once(client.socket, 'close')));
  await weir.stop();
  origin.close();
  origin.closeAllConnections();
  await once(origin, 'close');
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(descriptors);
});

test('a thousand idle connections are held, and one that works is served', async () => {
  const origin = await listen();
  const idle: Wire[] = [];
  for (let count = 0; count < 1_000; count += 1) idle.push(await Wire.connect(weir.port));
  const client = await Wire.connect(weir.port);
  client.send(request(origin, 'GET', '/'));
  const server = await origin.next();
  await server.head();
  server.send(OK);
  await client.until('ok');
  expect(weir.engine.stats().clientConnections).toBe(1_001);
  for (const wire of idle) wire.socket.destroy();
});

test('a client whose request is complete is never deaf: it is seen going while its response waits', async () => {
  const origin = await listen();
  const client = await Wire.connect(weir.port);
  client.send(request(origin, 'POST', '/', `Content-Length: ${String(4 * MEBIBYTE)}\r\n\r\n`));
  const server = await origin.next();
  await server.head();
  server.socket.pause();
  client.send(Buffer.alloc(4 * MEBIBYTE));
  server.socket.resume();
  await server.swallow(4 * MEBIBYTE);
  client.end();
  await server.rest();
  expect((await weir.rows.only()).end.error?.code).toBe('client.cancelled');
});

test('pipelined requests beyond what is held wait in the client’s own buffers', async () => {
  const origin = await listen();
  const client = await Wire.connect(weir.port);
  client.send(request(origin, 'GET', '/first'));
  const server = await origin.next();
  await server.head();
  expect(await fill(client)).toBeLessThan(24 * MEBIBYTE);
  client.reset();
});

test('a bulk body waits for a slow store, so that it is recorded whole', async () => {
  await weir.stop();
  const batches: number[] = [];
  weir = await startEngine({ onBatch: (bytes) => batches.push(bytes) });
  const store = setInterval(() => {
    // 1 MiB each 10 ms: slower than loopback, faster than patience.
    let budget = MEBIBYTE;
    while (budget > 0 && batches.length > 0) {
      const bytes = batches.shift() ?? 0;
      budget -= bytes;
      weir.engine.returnCaptureCredit(bytes);
    }
  }, 10);
  cleanups.push(() => {
    clearInterval(store);
    return Promise.resolve();
  });
  const origin = await listen();
  const size = 48 * MEBIBYTE;
  const client = await Wire.connect(weir.port);
  client.send(request(origin, 'PUT', '/', `Content-Length: ${String(size)}\r\n\r\n`));
  const server = await origin.next();
  await server.head();
  await Promise.all([pour(client, size), server.swallow(size)]);
  server.send(`HTTP/1.1 200 OK\r\nContent-Length: ${String(size)}\r\n\r\n`);
  await client.head();
  await Promise.all([pour(server, size), client.swallow(size)]);
  const row = await weir.rows.only();
  expect(row.captured).toEqual({ request: 'whole', response: 'whole' });
  expect(row.request.equals(Buffer.alloc(size, 'y'))).toBe(true);
  expect(row.responseBody.equals(Buffer.alloc(size, 'y'))).toBe(true);
  expect(weir.engine.stats().losses).toEqual({ truncatedBodies: 0, droppedBodies: 0, droppedExchanges: 0 });
});

test('a store that is stuck stops nothing: the body goes on and is recorded no further', async () => {
  await weir.stop();
  weir = await startEngine({ onBatch: () => undefined });
  const origin = await listen();
  const size = 48 * MEBIBYTE;
  const client = await Wire.connect(weir.port);
  client.send(request(origin, 'GET', '/'));
  const server = await origin.next();
  await server.head();
  server.send(`HTTP/1.1 200 OK\r\nContent-Length: ${String(size)}\r\n\r\n`);
  await client.head();
  await Promise.all([pour(server, size), client.swallow(size)]);
  const row = await weir.rows.only();
  expect(row.captured).toEqual({ request: 'whole', response: 'truncated' });
  expect(row.end).toMatchObject({ complete: true, responseBodyBytes: size });
  expect(weir.engine.stats().losses.truncatedBodies).toBe(1);
});
