import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { Wire, WireServer } from '../support/wire.ts';

let origin: WireServer;
let weir: EngineUnderTest;

beforeEach(async () => {
  origin = await WireServer.listen();
  weir = await startEngine();
});

afterEach(async () => {
  await weir.stop();
  await origin.close();
});

/** The authority of the origin. */
function at(): string {
  return `127.0.0.1:${String(origin.port)}`;
}

describe('a plain HTTP request through the proxy', () => {
  test('a GET reaches the origin in origin form with its fields as they were, and the response comes back untouched', async () => {
    const client = await Wire.connect(weir.port);
    client.send(
      `GET http://${at()}/a?b=c HTTP/1.1\r\nHost: ${at()}\r\nX-Odd:  two  \r\nx-odd: one\r\nCookie: a=1\r\n\r\n`,
    );
    const server = await origin.next();
    expect(await server.head()).toBe(
      `GET /a?b=c HTTP/1.1\r\nHost: ${at()}\r\nX-Odd:  two  \r\nx-odd: one\r\nCookie: a=1\r\n\r\n`,
    );
    const response = 'HTTP/1.1 200 Fine\r\nset-COOKIE: a\r\nSet-Cookie: b\r\nContent-Length: 5\r\n\r\nhello';
    server.send(response);
    expect(await client.until('hello')).toBe(response);

    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({
      kind: 'http',
      scheme: 'http',
      host: '127.0.0.1',
      port: origin.port,
      method: 'GET',
      path: '/a?b=c',
    });
    expect(row.begin.head.toString('latin1')).toContain(`GET http://${at()}/a?b=c HTTP/1.1\r\n`);
    expect(row.begin.sentHead?.toString('latin1')).toContain('GET /a?b=c HTTP/1.1\r\n');
    expect(row.response).toMatchObject({ status: 200, sentHead: null });
    expect(row.responseBody.toString()).toBe('hello');
    expect(row.origin).toMatchObject({ side: 'origin', address: at(), protocol: 'http/1.1' });
    expect(row.end).toMatchObject({ error: null, complete: true, responseBodyBytes: 5, anomalies: [] });
    const { timing } = row.end;
    for (const time of [timing.dns, timing.connect, timing.sent, timing.firstByte, timing.end])
      expect(time).toBeGreaterThanOrEqual(0);
  });

  test('a chunked upload keeps its chunks, and its trailers are recorded apart', async () => {
    const client = await Wire.connect(weir.port);
    const body = '3;x=y\r\nabc\r\n4\r\ndefg\r\n0\r\nX-Sum: 7\r\n\r\n';
    client.send(
      `POST http://${at()}/up HTTP/1.1\r\nHost: ${at()}\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n${body}`,
    );
    const server = await origin.next();
    await server.head();
    expect(await server.until('\r\n\r\n')).toBe(body);
    server.send('HTTP/1.1 204 No Content\r\n\r\n');
    await client.head();
    const row = await weir.rows.only();
    expect(row.request.toString()).toBe('abcdefg');
    expect(row.trailers.request).toContain('X-Sum: 7');
    expect(row.end).toMatchObject({ requestBodyBytes: 7, complete: true });
  });

  test('a body that comes byte by byte arrives whole', async () => {
    const client = await Wire.connect(weir.port);
    const request = `POST http://${at()}/ HTTP/1.1\r\nHost: ${at()}\r\nContent-Length: 6\r\n\r\nabcdef`;
    for (const byte of request) {
      client.send(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const server = await origin.next();
    expect(await server.until('abcdef')).toContain('Content-Length: 6\r\n\r\nabcdef');
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    expect(await client.head()).toContain('200 OK');
  });

  test('the second request uses the same origin connection, and says so', async () => {
    const client = await Wire.connect(weir.port);
    for (let turn = 0; turn < 2; turn += 1)
      client.send(`GET http://${at()}/${String(turn)} HTTP/1.1\r\nHost: ${at()}\r\n\r\n`);
    const server = await origin.next();
    for (const turn of ['0', '1']) {
      expect(await server.head()).toContain(`GET /${turn} `);
      server.send(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${turn}`);
    }
    expect(await client.until('\r\n\r\n1')).toContain('\r\n\r\n0HTTP/1.1');
    expect(origin.accepted).toBe(1);
    const rows = await weir.rows.ended(2);
    expect(rows.map(({ reused }) => reused)).toEqual([false, true]);
    expect(rows[1]?.end?.timing).toMatchObject({ dns: null, connect: null });
  });

  test('pipelined requests are answered in order, one after another', async () => {
    const client = await Wire.connect(weir.port);
    const request = (path: string): string => `GET http://${at()}/${path} HTTP/1.1\r\nHost: ${at()}\r\n\r\n`;
    client.send(request('a') + request('b') + request('c'));
    const server = await origin.next();
    for (const path of ['a', 'b', 'c']) {
      expect(await server.head()).toContain(`GET /${path} `);
      expect(server.pending).toBe('');
      server.send(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n${path}\r\n0\r\n\r\n`);
    }
    const answers = await client.until('c\r\n0\r\n\r\n');
    expect([...answers.matchAll(/\r\n([abc])\r\n/g)].map(([, path]) => path)).toEqual(['a', 'b', 'c']);
  });

  test.each([
    ['HEAD', '200 OK\r\nContent-Length: 500'],
    ['GET', '304 Not Modified\r\nContent-Length: 500'],
    ['GET', '204 No Content'],
  ])('%s answered %j has no body whatever its fields say', async (method, response) => {
    const client = await Wire.connect(weir.port);
    client.send(`${method} http://${at()}/ HTTP/1.1\r\nHost: ${at()}\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send(`HTTP/1.1 ${response}\r\n\r\n`);
    expect(await client.head()).toBe(`HTTP/1.1 ${response}\r\n\r\n`);
    client.send(`GET http://${at()}/next HTTP/1.1\r\nHost: ${at()}\r\n\r\n`);
    expect(await server.head()).toContain('GET /next ');
  });

  test('Expect: 100-continue is end to end: the body is asked for by the origin alone', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`PUT http://${at()}/ HTTP/1.1\r\nHost: ${at()}\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n`);
    const server = await origin.next();
    expect(await server.head()).toContain('Expect: 100-Continue');
    expect(client.pending).toBe('');
    server.send('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n');
    expect(await client.until('100 Continue\r\n\r\n')).toBe(
      'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
    );
    client.send('abc');
    expect((await server.bytes(3)).toString()).toBe('abc');
    server.send('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n');
    expect(await client.head()).toContain('201 Created');
    const row = await weir.rows.only();
    expect(row.informational.map((head) => head.slice(0, 12))).toEqual(['HTTP/1.1 103', 'HTTP/1.1 100']);
    expect(row.end.anomalies).toEqual([]);
  });

  test('a refusal instead of 100 Continue comes at once, and the connection ends as the origin ends it', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`PUT http://${at()}/ HTTP/1.1\r\nHost: ${at()}\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send('HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
    server.end();
    const { text, ending } = await client.rest();
    expect(text).toBe('HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
    expect(ending).toBe('end');
    const row = await weir.rows.only();
    expect(row.end).toMatchObject({ complete: true, error: null, anomalies: ['early-response'] });
  });

  test('an early response is relayed at once while the body is still coming', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`POST http://${at()}/ HTTP/1.1\r\nHost: ${at()}\r\nContent-Length: 10\r\n\r\n12345`);
    const server = await origin.next();
    await server.until('12345');
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    expect(await client.until('ok')).toContain('200 OK');
    client.send('67890');
    expect((await server.bytes(5)).toString()).toBe('67890');
    const row = await weir.rows.only();
    expect(row.end).toMatchObject({ complete: true, anomalies: ['early-response'], requestBodyBytes: 10 });
    client.send(`GET http://${at()}/again HTTP/1.1\r\nHost: ${at()}\r\n\r\n`);
    const second = await origin.next();
    expect(await second.head()).toContain('GET /again ');
  });

  test('a response without framing ends with its connection, at the client too', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`GET http://${at()}/ HTTP/1.1\r\nHost: ${at()}\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send('HTTP/1.0 200 OK\r\n\r\nfirst ');
    await client.until('first ');
    server.send('last');
    server.end();
    expect(await client.rest()).toEqual({ text: 'last', ending: 'end' });
    const row = await weir.rows.only();
    expect(row.responseBody.toString()).toBe('first last');
    expect(row.end.complete).toBe(true);
  });

  test('an HTTP/1.0 client gets a chunked response without chunks, and no 1xx', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`GET http://${at()}/ HTTP/1.0\r\n\r\n`);
    const server = await origin.next();
    expect(await server.head()).toContain(`Host: ${at()}\r\n`);
    server.send('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    server.send('2\r\nde\r\n0\r\n\r\n');
    const { text, ending } = await client.rest();
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).not.toMatch(/transfer-encoding|102/i);
    expect(text).toMatch(/\r\n\r\nabcde$/);
    expect(ending).toBe('end');
    const row = await weir.rows.only();
    expect(row.end).toMatchObject({ sentResponseFraming: 'identity', complete: true, responseBodyBytes: 5 });
    expect(row.begin.clientProtocol).toBe('http/1.0');
  });

  test('an HTTP/1.0 client that asks for it keeps its connection', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`GET http://${at()}/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    expect(await client.until('ok')).toMatch(/connection: keep-alive/i);
    client.send(`GET http://${at()}/2 HTTP/1.0\r\n\r\n`);
    expect(await server.head()).toContain('GET /2 ');
  });

  test('an upgrade is relayed, with the bytes that came behind either head', async () => {
    const client = await Wire.connect(weir.port);
    client.send(
      `GET http://${at()}/ws HTTP/1.1\r\nHost: ${at()}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly`,
    );
    const server = await origin.next();
    const head = await server.head();
    expect(head).toMatch(/Upgrade: websocket\r\n/);
    expect(head).toMatch(/Connection: Upgrade\r\n/);
    server.send('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\ngreeting');
    expect(await client.until('greeting')).toMatch(/^HTTP\/1\.1 101 .*Upgrade: websocket\r\n\r\ngreeting$/s);
    expect((await server.bytes(5)).toString()).toBe('early');
    client.send('ping');
    expect((await server.bytes(4)).toString()).toBe('ping');
    client.end();
    expect(await server.rest()).toEqual({ text: '', ending: 'end' });
    server.send('late');
    server.end();
    expect(await client.rest()).toEqual({ text: 'late', ending: 'end' });
    const row = await weir.rows.only();
    expect(row.begin.kind).toBe('websocket');
    expect(row.request.toString()).toBe('earlyping');
    expect(row.responseBody.toString()).toBe('greetinglate');
    expect(row.response?.status).toBe(101);
    expect(row.end).toMatchObject({ complete: true, error: null });
  });

  test('a refused upgrade is an ordinary answer', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`GET http://${at()}/ws HTTP/1.1\r\nHost: ${at()}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    expect(await client.head()).toContain('403 Forbidden');
    client.send(`GET http://${at()}/ HTTP/1.1\r\nHost: ${at()}\r\n\r\n`);
    expect(await server.head()).toContain('GET / ');
  });

  test('Max-Forwards: 0 ends at Weir, and is counted down otherwise', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`TRACE http://${at()}/t HTTP/1.1\r\nHost: ${at()}\r\nMax-Forwards: 0\r\nCookie: secret\r\n\r\n`);
    const head = await client.head();
    expect(head).toMatch(/message\/http/i);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    const body = (await client.bytes(length)).toString();
    expect(body).toContain('TRACE http://');
    expect(body).not.toContain('secret');
    client.send(`OPTIONS http://${at()}/ HTTP/1.1\r\nHost: ${at()}\r\nMax-Forwards: 3\r\n\r\n`);
    const server = await origin.next();
    expect(await server.head()).toContain('Max-Forwards: 2\r\n');
  });

  test('HTTP through the proxy works over IPv6', async () => {
    const six = await WireServer.listen('::1');
    const client = await Wire.connect(weir.port);
    client.send(`GET http://[::1]:${String(six.port)}/ HTTP/1.1\r\nHost: [::1]:${String(six.port)}\r\n\r\n`);
    const server = await six.next();
    expect(await server.head()).toContain(`Host: [::1]:${String(six.port)}\r\n`);
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    await client.head();
    const row = await weir.rows.only();
    expect(row.begin.host).toBe('::1');
    expect(row.origin?.address).toBe(`[::1]:${String(six.port)}`);
    await six.close();
  });

  test('localhost is found whichever family listens', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`GET http://localhost:${String(origin.port)}/ HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const server = await origin.next();
    expect(await server.head()).toContain(`Host: localhost:${String(origin.port)}\r\n`);
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    await client.head();
    const row = await weir.rows.only();
    expect(row.end.anomalies).toEqual(['host-differs-from-target']);
  });
});

describe('a host override', () => {
  test('sends a name elsewhere while the row keeps the name', async () => {
    weir.configure({ hostOverrides: { 'shop.test': at() } });
    const client = await Wire.connect(weir.port);
    client.send('GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n\r\n');
    const server = await origin.next();
    expect(await server.head()).toContain('Host: shop.test\r\n');
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    await client.head();
    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({ host: 'shop.test', port: 80 });
    expect(row.origin?.address).toBe(at());
  });
});

describe('with recording off', () => {
  test('traffic passes and nothing is recorded', async () => {
    weir.engine.setRecording(false);
    const client = await Wire.connect(weir.port);
    client.send(`GET http://${at()}/ HTTP/1.1\r\nHost: ${at()}\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    await client.until('ok');
    weir.engine.flushCapture();
    expect(weir.rows.all).toEqual([]);
    expect(weir.engine.stats()).toMatchObject({
      exchanges: 1,
      unrecorded: 1,
      activeExchanges: 0,
      clientConnections: 1,
      originConnections: 1,
    });
  });
});
