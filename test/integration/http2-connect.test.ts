import { once } from 'node:events';
import { constants } from 'node:http2';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { openClient, openProxySession, startOrigin, tunnelOver, type Speech } from '../support/http-peers.ts';
import { ORIGIN_CA } from '../support/origin-certificates.ts';

let weir: EngineUnderTest;

beforeEach(async () => {
  weir = await startEngine({ settings: { originCertificateAuthorities: [ORIGIN_CA] } });
});
afterEach(() => weir.stop());

/** A server that echoes until its client ends, says goodbye and ends. */
async function echo(): Promise<Server & { readonly port: number }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => socket.write(bytes));
    socket.on('end', () => socket.end('goodbye'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

const at = (port: number): string => `localhost:${String(port)}`;

describe.each<Speech>(['h2c', 'h2 tls'])('a client that speaks %s to the proxy', (proxyBy) => {
  test.each<[Speech, Speech]>([
    ['h1', 'h1'],
    ['h2c', 'h2c'],
    ['h1 tls', 'h1 tls'],
    ['h2 tls', 'h2 tls'],
    ['h2 tls', 'h1 tls'],
  ])('has its %s inside CONNECT intercepted on the way to an origin of %s', async (inner, originSpeech) => {
    const origin = await startOrigin(originSpeech);
    const client = await openClient(inner === 'h2 tls' && originSpeech === 'h1 tls' ? 'h1 tls' : inner, {
      port: weir.port,
      tunnelTo: origin.port,
      proxyBy,
      ca: weir.ca,
    });
    const body = Buffer.alloc(300_000, 'through a tunnel of HTTP/2 ');
    expect((await client.ask({ path: '/plain' })).status).toBe(200);
    const answer = await client.ask({ method: 'POST', path: '/up', body });
    expect(answer.body.toString()).toContain('POST /up ');
    const rows = await weir.rows.ended(2);
    expect(rows.map(({ begin }) => begin.path)).toEqual(['/plain', '/up']);
    expect(rows[1]?.request.length).toBe(body.length);
    client.close();
    await origin.close();
  });

  test('has bytes of any other protocol relayed, with half-close both ways', async () => {
    const server = await echo();
    const session = await openProxySession(proxyBy, { port: weir.port, ca: weir.ca });
    const stream = await tunnelOver(session, at(server.port));
    stream.end('\0 not HTTP');
    expect(await text(stream)).toBe('\0 not HTTPgoodbye');
    const row = await weir.rows.only();
    expect([row.begin.kind, row.end.error, row.end.complete]).toEqual(['tunnel', null, true]);
    session.destroy();
    server.close();
  });

  test('asks for plain HTTP by absolute requests, many on one connection', async () => {
    const origin = await startOrigin('h1');
    const session = await openProxySession(proxyBy, { port: weir.port, ca: weir.ca });
    const bodies = await Promise.all(
      ['/one', '/two'].map((path) => {
        const stream = session.request({ ':scheme': 'http', ':authority': at(origin.port), ':path': path });
        return text(stream);
      }),
    );
    expect(bodies.map((body) => body.split(' ')[1])).toEqual(['/one', '/two']);
    const rows = await weir.rows.ended(2);
    expect(rows.map(({ begin, origin: leg }) => [begin.clientProtocol, leg?.protocol])).toEqual(
      ['/one', '/two'].map(() => [proxyBy === 'h2c' ? 'h2c' : 'h2', 'http/1.1']),
    );
    session.destroy();
    await origin.close();
  });

  test('learns of an origin that cannot be reached by a reset with CONNECT_ERROR', async () => {
    const server = await echo();
    const { port } = server;
    server.close();
    await once(server, 'close');
    const session = await openProxySession(proxyBy, { port: weir.port, ca: weir.ca });
    const stream = await tunnelOver(session, at(port));
    stream.write('\0 not HTTP');
    stream.on('error', () => undefined);
    await new Promise((resolve) => stream.once('close', resolve));
    expect(stream.rstCode).toBe(constants.NGHTTP2_CONNECT_ERROR);
    const row = await weir.rows.only();
    expect(row.end.error?.code).toBe('connect.refused');
    session.destroy();
  });
});

test('a tunnel whose client reads nothing does not hold up the others on its connection', async () => {
  const flood = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(Buffer.alloc(4_000_000, 'flood '));
  });
  flood.listen(0, '127.0.0.1');
  await once(flood, 'listening');
  const server = await echo();
  const session = await openProxySession('h2c', { port: weir.port, ca: weir.ca });
  const stalled = await tunnelOver(session, at((flood.address() as AddressInfo).port));
  stalled.write('\0 not HTTP');
  await once(stalled, 'readable');
  const stream = await tunnelOver(session, at(server.port));
  stream.end(Buffer.alloc(1_000_000, '\0 not HTTP'));
  expect((await text(stream)).length).toBe(1_000_000 + 'goodbye'.length);
  session.destroy();
  flood.close();
  server.close();
});
