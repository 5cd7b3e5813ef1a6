import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startEngine, timeouts, type EngineUnderTest, type TEST_SETTINGS } from '../support/engine-kit.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { HaproxyServer } from '../support/haproxy-server.ts';
import { Wire, WireServer } from '../support/wire.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const BASIC = `Basic ${Buffer.from('ada:pw').toString('base64')}`;

/** The first Weir, whose origins are reached through others. */
let weir: EngineUnderTest;
const engines: EngineUnderTest[] = [];
const servers: WireServer[] = [];

beforeEach(async () => {
  weir = await start({}, 'first');
});

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop();
  for (const server of servers.splice(0)) await server.close();
});

async function start(settings: Partial<typeof TEST_SETTINGS>, instance: string): Promise<EngineUnderTest> {
  const engine = await startEngine({
    instance,
    settings: { originCertificateAuthorities: [ORIGIN_CA], ...settings },
  });
  engines.push(engine);
  return engine;
}

async function listen(certificate?: { cert: string; key: string }): Promise<WireServer> {
  const server = certificate === undefined ? await WireServer.listen() : await WireServer.listenTls(certificate);
  servers.push(server);
  return server;
}

/** What the first Weir is told of upstream proxies. */
function reach(settings: Partial<typeof TEST_SETTINGS>): void {
  weir.configure({ originCertificateAuthorities: [ORIGIN_CA, ...engines.map(({ ca }) => ca)], ...settings });
}

/** A plain request through the first Weir to an origin; both ends of it. */
async function plain(origin: WireServer, path = '/p'): Promise<{ readonly atOrigin: string; readonly answer: string }> {
  const client = await Wire.connect(weir.port);
  const host = `localhost:${String(origin.port)}`;
  client.send(`GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const server = await origin.next();
  const atOrigin = await server.head();
  server.send(OK);
  const answer = await client.until('ok');
  client.end();
  return { atOrigin, answer };
}

/** A request over TLS inside a tunnel of the first Weir. */
async function secure(origin: WireServer): Promise<string> {
  const tunnel = await Wire.connect(weir.port);
  tunnel.send(`CONNECT localhost:${String(origin.port)} HTTP/1.1\r\nHost: localhost:${String(origin.port)}\r\n\r\n`);
  await tunnel.head();
  const client = await tunnel.secure({ ca: weir.ca, servername: 'localhost' });
  client.send('GET /s HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const server = await origin.next();
  await server.head();
  server.send(OK);
  const answer = await client.until('ok');
  client.end();
  return answer;
}

/** Sends a request that must fail; the answer's head. */
async function refused(port = 80): Promise<string> {
  const client = await Wire.connect(weir.port);
  client.send(`GET http://origin.test:${String(port)}/ HTTP/1.1\r\nHost: origin.test:${String(port)}\r\n\r\n`);
  const head = await client.head();
  client.end();
  return head;
}

describe('a second Weir as upstream proxy', () => {
  test.each([
    ['http', 'http://127.0.0.1:PORT'],
    ['https', 'https://localhost:PORT'],
    ['socks5', 'socks5://127.0.0.1:PORT'],
  ])('carries plain and secure requests by %s', async (_scheme, url) => {
    const second = await start({}, 'second');
    reach({ upstreamProxy: url.replace('PORT', String(second.port)) });
    const origin = await listen();
    expect((await plain(origin)).answer).toBe(OK);
    const [row] = await second.rows.ended(1);
    expect(row?.begin).toMatchObject({ kind: 'http', host: 'localhost', port: origin.port, path: '/p' });
    const tlsOrigin = await listen(originCertificate('localhost'));
    // The second Weir opens the TLS of the first.
    expect(await secure(tlsOrigin)).toBe(OK);
    const rows = await second.rows.ended(2);
    expect(rows[1]?.begin).toMatchObject({ kind: 'http', scheme: 'https', path: '/s' });
    expect((await weir.rows.ended(2)).map(({ end }) => end?.error ?? null)).toEqual([null, null]);
  });

  test('gets plain requests in absolute form with a mark in Via, which the record shows', async () => {
    const second = await start({}, 'second');
    reach({ upstreamProxy: `http://127.0.0.1:${String(second.port)}` });
    const origin = await listen();
    await plain(origin, '/q?x');
    const [row] = await second.rows.ended(1);
    const host = `localhost:${String(origin.port)}`;
    const sent = `GET http://${host}/q?x HTTP/1.1\r\nHost: ${host}\r\nVia: 1.1 weir-first\r\n\r\n`;
    expect(row?.begin.head.toString()).toBe(sent);
    const [own] = await weir.rows.ended(1);
    expect(own?.begin.sentHead?.toString()).toBe(sent);
  });

  test.each(['http', 'socks5'])('is shown the credentials that stand in its URL (%s)', async (scheme) => {
    const second = await start({ proxyAuthentication: { user: 'ada', password: 'p:w' } }, 'second');
    reach({ upstreamProxy: `${scheme}://ada:p%3Aw@127.0.0.1:${String(second.port)}` });
    const origin = await listen();
    const { atOrigin } = await plain(origin);
    expect(atOrigin).not.toMatch(/proxy-authorization/i);
    expect(await secure(await listen(originCertificate('localhost')))).toBe(OK);
  });

  test.each(['http', 'socks5'])('that refuses the credentials is a failure of its own (%s)', async (scheme) => {
    const second = await start({ proxyAuthentication: { user: 'ada', password: 'pw' } }, 'second');
    reach({ upstreamProxy: `${scheme}://ada:wrong@127.0.0.1:${String(second.port)}` });
    expect(await refused()).toMatch(/^HTTP\/1\.1 502 [^]*x-weir-error: upstream-proxy\.credentials/);
    const tunnel = await Wire.connect(weir.port);
    tunnel.send('CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n');
    await tunnel.head();
    tunnel.send('\x00');
    expect((await tunnel.rest()).ending).toBe('reset');
    const rows = await weir.rows.ended(2);
    for (const { end } of rows) {
      expect(end?.error).toMatchObject({
        code: 'upstream-proxy.credentials',
        side: 'upstream-proxy',
        phase: 'connect',
      });
    }
  });

  test('whose own upstream proxy is the first breaks the circle by the mark', async () => {
    const second = await start({}, 'second');
    reach({ upstreamProxy: `http://127.0.0.1:${String(second.port)}` });
    second.configure({ upstreamProxy: `http://127.0.0.1:${String(weir.port)}` });
    expect(await refused()).toMatch(/^HTTP\/1\.1 508 /);
    const rows = await weir.rows.ended(2);
    expect(rows.map(({ end }) => end?.error?.code ?? null)).toEqual(expect.arrayContaining(['loop.marker', null]));
    const tunnel = await Wire.connect(weir.port);
    tunnel.send('CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n');
    await tunnel.head();
    tunnel.send('\x00');
    expect((await tunnel.rest()).ending).toBe('reset');
    const all = await weir.rows.ended(4);
    expect(all.filter(({ end }) => end?.error?.code === 'loop.marker')).toHaveLength(2);
  });

  test.each([
    ['speaks SOCKS to it', 'socks5'],
    ['speaks HTTP to it', 'http'],
  ])(
    'by SOCKS whose own upstream proxy is the first is found out, though no mark tells: it %s',
    async (_how, scheme) => {
      const second = await start({}, 'second');
      reach({ upstreamProxy: `socks5://127.0.0.1:${String(second.port)}` });
      second.configure({ upstreamProxy: `${scheme}://127.0.0.1:${String(weir.port)}` });
      expect(await refused()).toMatch(/^HTTP\/1\.1 508 /);
      // What was under way ends with it, but for connections that are kept for the next request.
      await expect.poll(() => weir.engine.stats().clientConnections).toBeLessThan(5);
      expect(await refused()).toMatch(/^HTTP\/1\.1 508 [\s\S]*x-weir-error: loop\.marker/);
      expect(weir.rows.all.length).toBeLessThan(200);
    },
  );

  test('by SOCKS that is asked for one place many times at once is no circle', async () => {
    const second = await start({ timeouts: timeouts({ resolve: 200 }) }, 'second');
    reach({ upstreamProxy: `socks5://127.0.0.1:${String(second.port)}` });
    // Nobody is answered before all have asked, so that no connection serves two.
    const waiting: ServerResponse[] = [];
    const origin = createServer((_request, response) => {
      if (waiting.push(response) === 64) for (const one of waiting) one.end('ok');
    });
    await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
    const host = `localhost:${String((origin.address() as AddressInfo).port)}`;
    const clients = await Promise.all(Array.from({ length: 64 }, () => Wire.connect(weir.port)));
    for (const client of clients) client.send(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    for (const client of clients) expect(await client.until('ok')).toMatch(/^HTTP\/1\.1 200 OK/);
    // The question was asked, of the second, and came to nothing there.
    await expect
      .poll(() => second.rows.all.filter(({ begin }) => begin.host.endsWith('.weir-loop.invalid')).length)
      .toBe(1);
    for (const client of clients) client.end();
    origin.close();
    expect(weir.rows.all.filter(({ end }) => (end?.error ?? null) !== null)).toEqual([]);
  });

  test('lets a WebSocket through by a tunnel', async () => {
    const second = await start({}, 'second');
    reach({ upstreamProxy: `http://127.0.0.1:${String(second.port)}` });
    const origin = await listen();
    const client = await Wire.connect(weir.port);
    const host = `localhost:${String(origin.port)}`;
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    client.send(`GET http://${host}/ws HTTP/1.1\r\nHost: ${host}\r\n${upgrade}\r\n`);
    const server = await origin.next();
    expect(await server.head()).toMatch(/^GET \/ws HTTP\/1\.1\r\n/);
    server.send('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi');
    await client.head();
    expect((await client.bytes(4)).toString('latin1')).toBe('\x81\x02hi');
    client.end();
    server.end();
  });
});

describe('which hosts go through an upstream proxy', () => {
  test('a rule of their own counts first, then the list of direct hosts', async () => {
    const proxy = await listen();
    const origin = await listen();
    const upstreamProxy = `http://127.0.0.1:${String(proxy.port)}`;
    reach({ upstreamProxy, noProxy: ['localhost'] });
    await plain(origin, '/direct');
    reach({ upstreamProxy, upstreamRules: ['origin.test direct', `localhost ${upstreamProxy}`], noProxy: ['*'] });
    expect((await plain(proxy, '/by-rule')).atOrigin).toContain(`GET http://localhost:${String(proxy.port)}/by-rule `);
    reach({ upstreamProxy, upstreamRules: ['localhost direct'] });
    await plain(origin, '/direct-by-rule');
    expect(proxy.accepted).toBe(1);
  });

  test('a connection that is idle is not used any more once the way has changed', async () => {
    const proxy = await listen();
    const client = await Wire.connect(weir.port);
    const origin = await listen();
    const host = `localhost:${String(origin.port)}`;
    const ask = (): void => {
      client.send(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    };
    ask();
    const direct = await origin.next();
    await direct.head();
    direct.send(OK);
    await client.until('ok');
    ask();
    await direct.head();
    direct.send(OK);
    await client.until('ok');
    reach({ upstreamProxy: `http://127.0.0.1:${String(proxy.port)}` });
    ask();
    const through = await proxy.next();
    expect(await through.head()).toContain(`GET http://${host}/ HTTP/1.1`);
    through.send(OK);
    await client.until('ok');
    expect((await direct.rest()).ending).toBe('end');
  });
});

describe('an upstream proxy that fails', () => {
  test('because it is not there', async () => {
    const closed = await WireServer.listen();
    await closed.close();
    reach({ upstreamProxy: `http://127.0.0.1:${String(closed.port)}` });
    expect(await refused()).toMatch(/^HTTP\/1\.1 502 [^]*x-weir-error: upstream-proxy\.connect/);
    expect((await weir.rows.only()).end.error).toMatchObject({
      code: 'upstream-proxy.connect',
      side: 'upstream-proxy',
      phase: 'connect',
    });
  });

  test('by a name that does not exist', async () => {
    reach({ upstreamProxy: 'http://proxy.invalid:3128' });
    await refused();
    expect((await weir.rows.only()).end.error).toMatchObject({
      code: 'upstream-proxy.not-found',
      side: 'upstream-proxy',
      phase: 'resolve',
    });
  });

  test('by a certificate that nobody trusts', async () => {
    const second = await start({}, 'second');
    weir.configure({ upstreamProxy: `https://localhost:${String(second.port)}` });
    await refused();
    const { error } = (await weir.rows.only()).end;
    expect(error).toMatchObject({ code: 'upstream-proxy.tls', side: 'upstream-proxy', phase: 'tls' });
    expect(error?.message).toMatch(/not trusted/);
  });

  test.each([
    ['http', 'not http at all\r\n\r\n', 'upstream-proxy.protocol'],
    ['http', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', 'upstream-proxy.refused'],
    ['socks5', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'upstream-proxy.protocol'],
    ['socks5', '\x05\xff', 'upstream-proxy.credentials'],
  ])('by what it answers (%s, %j)', async (scheme, answer, code) => {
    const proxy = await listen();
    reach({ upstreamProxy: `${scheme}://127.0.0.1:${String(proxy.port)}` });
    const tunnel = await Wire.connect(weir.port);
    tunnel.send('CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n\x00');
    await tunnel.head();
    (await proxy.next()).send(answer);
    expect((await tunnel.rest()).ending).toBe('reset');
    expect((await weir.rows.only()).end.error).toMatchObject({ code, side: 'upstream-proxy' });
  });

  test('by silence', async () => {
    const proxy = await listen();
    reach({ upstreamProxy: `http://127.0.0.1:${String(proxy.port)}`, timeouts: timeouts({ connect: 50 }) });
    const tunnel = await Wire.connect(weir.port);
    tunnel.send('CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n\x00');
    await tunnel.head();
    expect((await tunnel.rest()).ending).toBe('reset');
    const { error } = (await weir.rows.only()).end;
    expect(error).toMatchObject({ code: 'upstream-proxy.timeout', side: 'upstream-proxy' });
    expect(error?.message).toContain('timeouts.connect');
  });

  test('or not: what comes together with its yes is not lost', async () => {
    const proxy = await listen();
    reach({ upstreamProxy: `http://ada:pw@127.0.0.1:${String(proxy.port)}` });
    const tunnel = await Wire.connect(weir.port);
    tunnel.send('CONNECT mail.test:25 HTTP/1.1\r\nHost: mail.test:25\r\n\r\n');
    await tunnel.head();
    const through = await proxy.next();
    expect(await through.head()).toBe(
      `CONNECT mail.test:25 HTTP/1.1\r\nHost: mail.test:25\r\nProxy-Authorization: ${BASIC}\r\nVia: 1.1 weir-first\r\n\r\n`,
    );
    through.send('HTTP/1.1 200 OK\r\nX-Kind: tunnel\r\n\r\n220 ready\r\n');
    expect(await tunnel.until('\r\n')).toBe('220 ready\r\n');
    tunnel.send('QUIT\r\n');
    expect(await through.until('\r\n')).toBe('QUIT\r\n');
    tunnel.end();
    through.end();
    expect((await weir.rows.only()).end).toMatchObject({ complete: true, responseBodyBytes: 11 });
  });
});

test('a chain through haproxy and a second Weir carries plain and secure requests', async () => {
  const second = await start({}, 'second');
  const haproxy = await HaproxyServer.start(second.port);
  try {
    reach({ upstreamProxy: `http://127.0.0.1:${String(haproxy.port)}` });
    const origin = await listen();
    expect((await plain(origin)).answer).toContain('ok');
    expect(await secure(await listen(originCertificate('localhost')))).toContain('ok');
    const rows = await second.rows.ended(2);
    expect(rows.map(({ begin }) => begin.scheme)).toEqual(['http', 'https']);
  } finally {
    await haproxy.stop();
  }
});
