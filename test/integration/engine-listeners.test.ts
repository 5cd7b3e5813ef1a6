import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { ListenError } from '../../proxy-engine/index.ts';
import type { ListenerMode } from '../../proxy-engine/model/listener-mode.ts';
import { startEngine, TEST_SETTINGS, type EngineUnderTest } from '../support/engine-kit.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { Wire, WireServer } from '../support/wire.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(...options: Parameters<typeof startEngine>): Promise<EngineUnderTest> {
  const weir = await startEngine(...options);
  cleanups.push(() => weir.stop());
  return weir;
}

async function listenPlain(host?: string): Promise<WireServer> {
  const origin = await WireServer.listen(host);
  cleanups.push(() => origin.close());
  return origin;
}

async function listenTls(name: string): Promise<WireServer> {
  const origin = await WireServer.listenTls(originCertificate(name));
  cleanups.push(() => origin.close());
  return origin;
}

function reverse(scheme: 'http' | 'https', port: number, basePath = ''): ListenerMode {
  return { kind: 'reverse', scheme, host: 'localhost', port, basePath };
}

describe('a reverse listener', () => {
  test('takes plain HTTP and TLS on one port, sends the URL’s authority as Host and joins the base path', async () => {
    const origin = await listenPlain();
    const weir = await start({ modes: [reverse('http', origin.port, '/base/')] });
    const plain = await Wire.connect(weir.port);
    plain.send('GET /a?q HTTP/1.1\r\nHost: front.test\r\nX: 1\r\n\r\n');
    const server = await origin.next();
    const expected = (path: string): string =>
      `GET /base${path} HTTP/1.1\r\nHost: localhost:${String(origin.port)}\r\nX: 1\r\n\r\n`;
    expect(await server.head()).toBe(expected('/a?q'));
    server.send(OK);
    expect(await plain.until('ok')).toBe(OK);

    const secure = await (await Wire.connect(weir.port)).secure({ ca: weir.ca, servername: 'front.test' });
    secure.send('GET /b HTTP/1.1\r\nHost: front.test\r\nX: 1\r\n\r\n');
    expect(await server.head()).toBe(expected('/b'));
    server.send(OK);
    expect(await secure.until('ok')).toBe(OK);
    const rows = await weir.rows.ended(2);
    expect(rows.map((row) => [row.begin.scheme, row.begin.host, row.begin.path, row.client?.tls?.sni ?? null])).toEqual(
      [
        ['http', 'localhost', '/base/a?q', null],
        ['http', 'localhost', '/base/b', 'front.test'],
      ],
    );
  });

  test('speaks TLS to an https origin and verifies it', async () => {
    const origin = await listenTls('localhost');
    const weir = await start({
      modes: [reverse('https', origin.port)],
      settings: { originCertificateAuthorities: [ORIGIN_CA] },
    });
    const client = await Wire.connect(weir.port);
    client.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const server = await origin.next();
    await server.head();
    server.send(OK);
    await client.until('ok');
    const row = await weir.rows.only();
    expect(row.begin.scheme).toBe('https');
    expect(row.origin?.tls?.verified).toBe(true);
  });

  test('has no CONNECT', async () => {
    const origin = await listenPlain();
    const weir = await start({ modes: [reverse('http', origin.port)] });
    const client = await Wire.connect(weir.port);
    client.send('CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n');
    expect(await client.head()).toMatch(/^HTTP\/1\.1 400 [\s\S]*http1\.target/);
  });
});

describe('a tcp listener', () => {
  test('relays and records both directions, with half-close', async () => {
    const origin = await listenPlain();
    const weir = await start({ modes: [{ kind: 'tcp', host: '127.0.0.1', port: origin.port }] });
    const client = await Wire.connect(weir.port);
    const server = await origin.next();
    server.send('hello ');
    await client.until('hello ');
    client.send('request');
    client.end();
    expect(await server.rest()).toEqual({ text: 'request', ending: 'end' });
    server.send('answer');
    server.end();
    expect(await client.rest()).toEqual({ text: 'answer', ending: 'end' });
    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({ kind: 'tcp', scheme: 'tcp', host: '127.0.0.1', port: origin.port, method: '' });
    expect(row.request.toString()).toBe('request');
    expect(row.responseBody.toString()).toBe('hello answer');
    expect(row.origin).toMatchObject({ protocol: 'tcp' });
    expect(row.end).toMatchObject({ complete: true, error: null, requestBodyBytes: 7, responseBodyBytes: 12 });
  });

  test('passes resets on', async () => {
    const origin = await listenPlain();
    const weir = await start({ modes: [{ kind: 'tcp', host: '127.0.0.1', port: origin.port }] });
    const client = await Wire.connect(weir.port);
    const server = await origin.next();
    server.send('x');
    await client.bytes(1);
    server.reset();
    expect((await client.rest()).ending).toBe('reset');
    expect((await weir.rows.only()).end.error?.code).toBe('origin.cut-short');
  });

  test('cuts a client whose origin cannot be reached, with a row', async () => {
    const gone = await WireServer.listen();
    await gone.close();
    const weir = await start({ modes: [{ kind: 'tcp', host: '127.0.0.1', port: gone.port }] });
    const client = await Wire.connect(weir.port);
    expect((await client.rest()).ending).toBe('reset');
    expect((await weir.rows.only()).end.error?.code).toBe('connect.refused');
  });
});

describe('a plain visit', () => {
  const settings = {
    internalPages: {
      '/': { status: 200, contentType: 'text/html', fileName: null, body: Buffer.from('<p>hello') },
      '/ca.pem': {
        status: 200,
        contentType: 'application/x-pem-file',
        fileName: 'weir-ca.pem',
        body: Buffer.from('PEM'),
      },
    },
  };

  test('to the proxy port, to weir.test and to https://weir.test shows Weir’s own pages', async () => {
    const weir = await start({ settings });
    const visit = await Wire.connect(weir.port);
    visit.send(`GET /?x HTTP/1.1\r\nHost: 127.0.0.1:${String(weir.port)}\r\n\r\n`);
    expect(await visit.until('<p>hello')).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/html\r\n/);
    visit.send('GET http://weir.test/ca.pem HTTP/1.1\r\nHost: weir.test\r\n\r\n');
    expect(await visit.until('\r\n\r\nPEM')).toContain('Content-Disposition: attachment; filename="weir-ca.pem"');
    visit.send('GET http://weir.test/no HTTP/1.1\r\nHost: weir.test\r\n\r\n');
    expect(await visit.head()).toMatch(/^HTTP\/1\.1 404 /);
    const tunnel = await Wire.connect(weir.port);
    tunnel.send('CONNECT weir.test:443 HTTP/1.1\r\nHost: weir.test:443\r\n\r\n');
    await tunnel.head();
    const secure = await tunnel.secure({ ca: weir.ca, servername: 'weir.test' });
    secure.send('GET /ca.pem HTTP/1.1\r\nHost: weir.test\r\n\r\n');
    await secure.until('\r\n\r\nPEM');
    const rows = await weir.rows.ended(4);
    expect(rows.map(({ response }) => response?.status)).toEqual([200, 200, 404, 200]);
  });
});

describe('opening listeners', () => {
  test('on a taken port fails with what, why and what to do, and opens none of the others', async () => {
    const stranger = createServer().listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const address = stranger.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const weir = await start();
    const before = weir.engine.stats();
    const listeners = [
      { mode: { kind: 'proxy' as const }, host: '127.0.0.1', port: 0 },
      { mode: { kind: 'proxy' as const }, host: '127.0.0.1', port },
    ];
    const error: unknown = await weir.engine.addListeners(listeners).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject({ code: 'port-taken', port });
    expect(String(error)).toContain(`Cannot listen on 127.0.0.1:${String(port)}: another program uses this port.`);
    expect(weir.engine.stats()).toEqual(before);
    stranger.close();
  });

  test('on an address that is not ours fails as such', async () => {
    const weir = await start();
    const error: unknown = await weir.engine
      .addListeners([{ mode: { kind: 'proxy' }, host: '192.0.2.1', port: 0 }])
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ListenError', code: 'bad-address' });
  });

  test('and taking them away leaves what they had accepted', async () => {
    const origin = await listenPlain();
    const weir = await start();
    const added = await weir.engine.addListeners([{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }]);
    const client = await Wire.connect(added[0]?.port ?? 0);
    await weir.engine.removeListeners(added);
    await expect(Wire.connect(added[0]?.port ?? 0)).rejects.toThrow(/ECONNREFUSED/);
    client.send(`GET http://127.0.0.1:${String(origin.port)}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send(OK);
    await client.until('ok');
  });
});

describe('stopping', () => {
  test('closes idle connections at once, lets exchanges finish and then ends', async () => {
    const origin = await listenPlain();
    const weir = await start();
    const idle = await Wire.connect(weir.port);
    const busy = await Wire.connect(weir.port);
    busy.send(`GET http://127.0.0.1:${String(origin.port)}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    const stopped = weir.engine.stop(10_000);
    await idle.rest();
    idle.end();
    await expect(Wire.connect(weir.port)).rejects.toThrow(/ECONNREFUSED/);
    server.send(OK);
    const { text } = await busy.rest();
    expect(text).toBe('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    busy.end();
    server.end();
    await stopped;
    expect(weir.engine.stats()).toMatchObject({ activeExchanges: 0, clientConnections: 0, originConnections: 0 });
    expect((await weir.rows.only()).end.complete).toBe(true);
  });

  test('cuts what does not finish in time, with a row that says so', async () => {
    const origin = await listenPlain();
    const weir = await start();
    const client = await Wire.connect(weir.port);
    client.send(`GET http://127.0.0.1:${String(origin.port)}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    await weir.engine.stop(50);
    expect((await client.rest()).text).toContain('x-weir-error: weir.stopped');
    await server.rest();
    expect((await weir.rows.only()).end.error?.code).toBe('weir.stopped');
  });
});

test('settings are taken as a whole by configure', async () => {
  const origin = await listenPlain();
  const weir = await start();
  weir.engine.configure({ ...TEST_SETTINGS, forwardedFields: true });
  const client = await Wire.connect(weir.port);
  client.send(`GET http://127.0.0.1:${String(origin.port)}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  const server = await origin.next();
  expect(await server.head()).toMatch(
    /\r\nVia: 1\.1 weir\r\nX-Forwarded-For: 127\.0\.0\.1\r\nX-Forwarded-Proto: http\r\n/,
  );
  server.send(OK);
  expect(await client.until('ok')).toContain('\r\nVia: 1.1 weir\r\n');
});
