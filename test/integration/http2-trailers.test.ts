import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HeaderToSend } from '../../proxy-engine/protocol/http2/index.ts';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { frame } from '../support/http2-frames.ts';
import { Http2Wire, Http2WireServer } from '../support/http2-wire.ts';
import { Wire, WireServer } from '../support/wire.ts';

let weir: EngineUnderTest;
let origin: Http2WireServer;
let http1Origin: WireServer;

beforeEach(async () => {
  origin = await Http2WireServer.listen();
  http1Origin = await WireServer.listen();
  weir = await startEngine({
    modes: [
      { kind: 'reverse', scheme: 'h2c', host: '127.0.0.1', port: origin.port, basePath: '' },
      { kind: 'reverse', scheme: 'http', host: '127.0.0.1', port: http1Origin.port, basePath: '' },
    ],
  });
});
afterEach(async () => {
  await weir.stop();
  origin.close();
  await http1Origin.close();
});

const field = (name: string, value: string): HeaderToSend => ({ name, value });
const post = (...more: readonly HeaderToSend[]): HeaderToSend[] => [
  field(':method', 'POST'),
  field(':scheme', 'http'),
  field(':authority', 'weir.example'),
  field(':path', '/'),
  field('content-length', '5'),
  ...more,
];
const ok = (...more: readonly HeaderToSend[]): HeaderToSend[] => [
  field(':status', '200'),
  field('content-length', '5'),
  ...more,
];

test('trailers beside a declared length pass from HTTP/2 to HTTP/2, with the length, both ways', async () => {
  const client = Http2Wire.connect(weir.ports[0] ?? 0);
  const stream = client.request(post(), false);
  client.data(stream, 'first', false);
  client.connection.sendTrailers(stream, [field('x-asked', 'yes')]);
  client.flush();
  const server = await origin.next();
  const { stream: served, head } = await server.next('head');
  expect(head.contentLength).toBe(5);
  expect((await server.next('data', served.id)).text).toBe('first');
  expect((await server.next('trailers', served.id)).head.fields).toMatchObject([{ name: 'x-asked', value: 'yes' }]);
  server.connection.sendHead(served, ok(), false);
  server.data(served, 'reply', false);
  server.connection.sendTrailers(served, [field('x-sum', '1')]);
  server.flush();
  expect((await client.next('head', stream.id)).head.contentLength).toBe(5);
  expect((await client.next('data', stream.id)).text).toBe('reply');
  expect((await client.next('trailers', stream.id)).head.fields).toMatchObject([{ name: 'x-sum', value: '1' }]);
  const row = await weir.rows.only();
  expect(row.trailers).toEqual({ request: 'x-asked: yes\r\n', response: 'x-sum: 1\r\n' });
  expect(row.end).toMatchObject({ error: null, anomalies: [], complete: true });
  client.close();
});

test('promised trailers go to HTTP/1 in chunks, both ways', async () => {
  const client = Http2Wire.connect(weir.ports[1] ?? 0);
  const stream = client.request(post(field('trailer', 'x-asked')), false);
  client.data(stream, 'first', false);
  client.connection.sendTrailers(stream, [field('x-asked', 'yes')]);
  client.flush();
  const server = await http1Origin.next();
  expect(await server.head()).not.toContain('content-length');
  expect(await server.until('\r\n\r\n')).toBe('5\r\nfirst\r\n0\r\nx-asked: yes\r\n\r\n');
  client.close();

  const http1Client = await Wire.connect(weir.ports[0] ?? 0);
  http1Client.send('GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: TE\r\n\r\n');
  const http2Server = await origin.next();
  const { stream: served } = await http2Server.next('head');
  http2Server.connection.sendHead(served, ok(field('trailer', 'x-sum')), false);
  http2Server.data(served, 'reply', false);
  http2Server.connection.sendTrailers(served, [field('x-sum', '1')]);
  http2Server.flush();
  expect(await http1Client.head()).toContain('Transfer-Encoding: chunked');
  expect(await http1Client.until('\r\n\r\n')).toBe('5\r\nreply\r\n0\r\nx-sum: 1\r\n\r\n');
  http1Client.end();
});

test('trailers that HTTP/1 has no place for are recorded and flagged, both ways', async () => {
  const client = Http2Wire.connect(weir.ports[1] ?? 0);
  const stream = client.request(post(), false);
  client.data(stream, 'first', false);
  client.connection.sendTrailers(stream, [field('x-asked', 'yes')]);
  client.flush();
  const server = await http1Origin.next();
  await server.until('\r\n\r\nfirst');
  server.send('HTTP/1.1 204 No Content\r\n\r\n');
  await client.next('head', stream.id);
  client.close();

  const http1Client = await Wire.connect(weir.ports[0] ?? 0);
  http1Client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const http2Server = await origin.next();
  const { stream: served } = await http2Server.next('head');
  http2Server.connection.sendHead(served, ok(), false);
  http2Server.data(served, 'reply', false);
  http2Server.connection.sendTrailers(served, [field('x-sum', '1')]);
  http2Server.flush();
  expect(await http1Client.until('\r\n\r\nreply')).toContain('content-length: 5');
  const rows = await weir.rows.ended(2);
  expect(rows.map(({ end }) => end?.anomalies)).toEqual([['trailers-dropped'], ['trailers-dropped']]);
  expect(rows.map(({ trailers }) => trailers.request + trailers.response)).toEqual([
    'x-asked: yes\r\n',
    'x-sum: 1\r\n',
  ]);
  http1Client.end();
});

test('a body of declared length that RST_STREAM(NO_ERROR) ends instead of END_STREAM is delivered whole', async () => {
  const client = Http2Wire.connect(weir.ports[0] ?? 0);
  const stream = client.request(post(), false);
  const server = await origin.next();
  const { stream: served } = await server.next('head');
  server.connection.sendHead(served, ok(), false);
  server.data(served, 'reply', false);
  server.reset(served, 0);
  expect(await client.body(stream.id)).toBe('reply');
  client.close();
});

test('an empty DATA frame behind a whole body of declared length takes nothing of it away, either way', async () => {
  const client = Http2Wire.connect(weir.ports[1] ?? 0);
  const stream = client.request(post(), false);
  client.data(stream, 'first', false);
  client.raw(frame(0, 0, stream.id));
  client.raw(frame(0, 1, stream.id));
  const server = await http1Origin.next();
  expect(await server.head()).toContain('content-length: 5');
  expect(await server.until('first')).toBe('first');
  server.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  expect((await client.next('data', stream.id)).text).toBe('ok');
  const row = await weir.rows.only();
  expect(row.request.toString()).toBe('first');
  client.close();

  const http1Client = await Wire.connect(weir.ports[0] ?? 0);
  http1Client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const http2Server = await origin.next();
  const { stream: served } = await http2Server.next('head');
  http2Server.connection.sendHead(served, ok(), false);
  http2Server.data(served, 'reply', false);
  http2Server.raw(frame(0, 0, served.id));
  http2Server.raw(frame(0, 1, served.id));
  expect(await http1Client.until('reply')).toContain('content-length: 5');
  http1Client.end();
});
