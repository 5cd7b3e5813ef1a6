import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { Wire, WireServer } from '../support/wire.ts';

let weir: EngineUnderTest;
const origins: WireServer[] = [];

beforeEach(async () => {
  weir = await startEngine({ settings: { originCertificateAuthorities: [ORIGIN_CA] } });
});

afterEach(async () => {
  await weir.stop();
  for (const origin of origins.splice(0)) await origin.close();
});

async function plainOrigin(): Promise<WireServer> {
  const origin = await WireServer.listen();
  origins.push(origin);
  return origin;
}

async function tlsOrigin(certificate = originCertificate('localhost')): Promise<WireServer> {
  const origin = await WireServer.listenTls(certificate);
  origins.push(origin);
  return origin;
}

/** A tunnel as a client gets it. */
async function tunnelTo(authority: string): Promise<Wire> {
  const client = await Wire.connect(weir.port);
  client.send(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
  return client;
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('TLS inside CONNECT', () => {
  test('is intercepted with a leaf for the name; both legs and the chain of the origin are recorded', async () => {
    const origin = await tlsOrigin();
    const tunnel = await tunnelTo(`localhost:${String(origin.port)}`);
    const client = await tunnel.secure({ ca: weir.ca, servername: 'localhost', ALPNProtocols: ['h2', 'http/1.1'] });
    expect(client.socket.alpnProtocol).toBe('http/1.1');
    const request = `GET /secret HTTP/1.1\r\nHost: localhost:${String(origin.port)}\r\n\r\n`;
    client.send(request);
    const server = await origin.next();
    expect(await server.head()).toBe(request);
    server.send(OK);
    expect(await client.until('ok')).toBe(OK);

    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({
      kind: 'http',
      scheme: 'https',
      host: 'localhost',
      port: origin.port,
      path: '/secret',
      sentHead: null,
    });
    expect(row.client?.tls).toMatchObject({
      version: 'TLSv1.3',
      sni: 'localhost',
      alpn: 'http/1.1',
      offeredAlpn: ['h2', 'http/1.1'],
    });
    expect(row.client?.tls?.chain[0]?.names).toEqual(['localhost']);
    expect(row.client?.tls?.ja3).toMatch(/^[0-9a-f]{32}$/);
    expect(row.client?.tls?.ja4).toMatch(/^t13d/);
    expect(row.origin?.tls).toMatchObject({
      version: 'TLSv1.3',
      sni: 'localhost',
      alpn: 'http/1.1',
      verified: true,
      resumed: false,
    });
    expect(row.origin?.tls?.chain[0]?.names).toEqual(['localhost']);
    // The connection was made while the client's hello waited, to learn what the origin speaks: before the exchange began.
    expect(row.end.timing.tls).toBeNull();
    expect(row.reused).toBe(false);
  });

  test('a ClientHello in many small segments is intercepted', async () => {
    const origin = await tlsOrigin();
    const tunnel = await tunnelTo(`localhost:${String(origin.port)}`);
    const raw = tunnel.socket;
    const write = raw.write.bind(raw);
    let cuts = 0;
    raw.write = (bytes: Buffer, ...rest: never[]) => {
      if (cuts++ > 0) return write(bytes, ...rest);
      for (let at = 0; at < bytes.length; at += 97) write(bytes.subarray(at, at + 97));
      return true;
    };
    const client = await tunnel.secure({ ca: weir.ca, servername: 'localhost' });
    client.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const server = await origin.next();
    await server.head();
    server.send(OK);
    await client.until('ok');
  });

  test('without SNI the leaf is for the address of the CONNECT, and the origin is verified by it', async () => {
    const origin = await tlsOrigin(originCertificate('127.0.0.1'));
    const tunnel = await tunnelTo(`127.0.0.1:${String(origin.port)}`);
    const client = await tunnel.secure({ ca: weir.ca, host: '127.0.0.1' });
    client.send(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${String(origin.port)}\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send(OK);
    await client.until('ok');
    const row = await weir.rows.only();
    expect(row.client?.tls).toMatchObject({ sni: null });
    expect(row.client?.tls?.chain[0]?.names).toEqual(['127.0.0.1']);
  });

  test('with an address in CONNECT and a name in SNI the name is what is shown and verified', async () => {
    const origin = await tlsOrigin(originCertificate('shop.test'));
    const tunnel = await tunnelTo(`127.0.0.1:${String(origin.port)}`);
    const client = await tunnel.secure({ ca: weir.ca, servername: 'shop.test' });
    client.send('GET / HTTP/1.1\r\nHost: shop.test\r\n\r\nGET /2 HTTP/1.1\r\nHost: other.test\r\n\r\n');
    const server = await origin.next();
    for (const path of ['/', '/2']) {
      expect(await server.head()).toContain(`GET ${path} `);
      server.send(OK);
    }
    await client.until('okHTTP');
    const rows = await weir.rows.ended(2);
    expect(rows[0]?.begin.host).toBe('shop.test');
    expect(rows[0]?.end?.anomalies).toEqual([]);
    expect(rows[1]?.end?.anomalies).toEqual(['authority-differs-from-sni']);
  });

  test('absolute form of the same host is accepted inside, another host is refused', async () => {
    const origin = await tlsOrigin();
    const host = `localhost:${String(origin.port)}`;
    const client = await (await tunnelTo(host)).secure({ ca: weir.ca, servername: 'localhost' });
    client.send(`GET https://${host}/a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const server = await origin.next();
    expect(await server.head()).toBe(`GET /a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    server.send(OK);
    await client.until('ok');
    client.send('GET https://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n');
    expect(await client.head()).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-weir-error: http1.target/);
  });

  test('sessions are resumed on both legs', async () => {
    const origin = await tlsOrigin();
    const host = `localhost:${String(origin.port)}`;
    let session: Buffer | undefined;
    for (const turn of [0, 1]) {
      const tunnel = await tunnelTo(host);
      const client = await tunnel.secure({
        ca: weir.ca,
        servername: 'localhost',
        ...(session === undefined ? {} : { session }),
      });
      client.socket.on('session', (fresh: Buffer) => {
        session = fresh;
      });
      expect(client.socket.isSessionReused()).toBe(turn === 1);
      client.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const server = await origin.next();
      await server.head();
      server.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
      server.end();
      await client.until('ok');
      client.socket.destroy();
    }
    const rows = await weir.rows.ended(2);
    expect(rows.map((row) => [row.client?.tls?.resumed, row.origin?.tls?.resumed])).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(rows[1]?.origin?.tls?.chain[0]?.names).toEqual(['localhost']);
  });

  test('a client that does not trust the leaf is a row with the reason', async () => {
    const origin = await tlsOrigin();
    // Node's own client goes away without an alert; OpenSSL's says why.
    const refused = promisify(execFile)('openssl', [
      ...['s_client', '-verify_return_error', '-proxy', `127.0.0.1:${String(weir.port)}`],
      ...['-connect', `localhost:${String(origin.port)}`, '-servername', 'localhost'],
    ]);
    await expect(refused).rejects.toThrow(/verify error|verify failed/i);
    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({ kind: 'tunnel', scheme: 'tls', host: 'localhost', port: origin.port });
    expect(row.end.error).toMatchObject({ code: 'tls.client-untrusted', side: 'client', phase: 'tls' });
    expect(row.client?.tls).toMatchObject({ sni: 'localhost' });
    expect(origin.accepted).toBe(0);
  });

  test('a tunnel that is closed unused is no row', async () => {
    const tunnel = await tunnelTo('localhost:443');
    tunnel.end();
    expect((await tunnel.rest()).ending).toBe('end');
    const secure = await (await tunnelTo('localhost:443')).secure({ ca: weir.ca, servername: 'localhost' });
    secure.end();
    await secure.rest();
    weir.engine.flushCapture();
    expect(weir.rows.all).toEqual([]);
  });

  test('secrets of both legs go to the key log', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-keylog-'));
    const keyLogFile = join(folder, 'keys.log');
    const logging = await startEngine({ keyLogFile, settings: { originCertificateAuthorities: [ORIGIN_CA] } });
    const origin = await tlsOrigin();
    const plain = await Wire.connect(logging.port);
    plain.send(`CONNECT localhost:${String(origin.port)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await plain.head();
    const client = await plain.secure({ ca: logging.ca, servername: 'localhost' });
    client.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const server = await origin.next();
    await server.head();
    server.send(OK);
    await client.until('ok');
    await logging.stop();
    const lines = (await readFile(keyLogFile, 'latin1')).trim().split('\n');
    const legs = new Set(
      lines.filter((line) => line.startsWith('CLIENT_TRAFFIC_SECRET_0 ')).map((line) => line.split(' ')[1]),
    );
    expect(legs.size).toBe(2);
    await rm(folder, { recursive: true });
  });

  test('a response cut short by the origin reaches the client as a reset below TLS', async () => {
    const origin = await tlsOrigin();
    const host = `localhost:${String(origin.port)}`;
    const client = await (await tunnelTo(host)).secure({ ca: weir.ca, servername: 'localhost' });
    client.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
    await client.until('part');
    server.socket.destroy();
    expect(await client.rest()).toEqual({ text: '', ending: 'reset' });
    const row = await weir.rows.only();
    expect(row.end).toMatchObject({ complete: false, error: { code: 'origin.cut-short' }, responseBodyBytes: 4 });
  });
});

describe('an origin that cannot be verified', () => {
  test.each([
    ['tls.origin-self-signed', originCertificate('localhost', { selfSigned: true })],
    ['tls.origin-expired', originCertificate('localhost', { days: [-30, -1] })],
    ['tls.origin-not-yet-valid', originCertificate('localhost', { days: [1, 30] })],
    ['tls.origin-name-mismatch', originCertificate('elsewhere.test')],
  ])('is a page and a row: %s', async (code, certificate) => {
    const origin = await tlsOrigin(certificate);
    const host = `localhost:${String(origin.port)}`;
    const client = await (await tunnelTo(host)).secure({ ca: weir.ca, servername: 'localhost' });
    client.send(`GET / HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n\r\n`);
    expect(await client.until('}\n}')).toMatch(new RegExp(`^HTTP/1\\.1 502 [\\s\\S]*x-weir-error: ${code}`));
    const row = await weir.rows.only();
    expect(row.end.error).toMatchObject({ code, side: 'origin', phase: 'tls' });
    expect(row.origin?.tls?.chain).toHaveLength(1);
    expect(row.origin?.tls?.verified).toBe(true);
  });

  test('by an unknown authority is untrusted, and trusted once the user says so for the host', async () => {
    weir.configure({ originCertificateAuthorities: [] });
    const origin = await tlsOrigin();
    const host = `localhost:${String(origin.port)}`;
    const client = await (await tunnelTo(host)).secure({ ca: weir.ca, servername: 'localhost' });
    client.send(`GET / HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n\r\n`);
    expect(await client.until('}\n}')).toContain('x-weir-error: tls.origin-untrusted');
    weir.configure({ originCertificateAuthorities: [], trustedHosts: [host] });
    client.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const server = await origin.next();
    // The first one is the connection that was given up.
    const trusted = server.socket.destroyed ? await origin.next() : server;
    await trusted.head();
    trusted.send(OK);
    await client.until('ok');
    const rows = await weir.rows.ended(2);
    expect(rows[1]?.origin?.tls?.verified).toBe(false);
  });

  test('is accepted with verification switched off', async () => {
    weir.configure({ insecure: true });
    const origin = await tlsOrigin(originCertificate('elsewhere.test', { selfSigned: true }));
    const host = `localhost:${String(origin.port)}`;
    const client = await (await tunnelTo(host)).secure({ ca: weir.ca, servername: 'localhost' });
    client.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const server = await origin.next();
    await server.head();
    server.send(OK);
    await client.until('ok');
  });

  test('and one that speaks no TLS at all is a failed handshake', async () => {
    const origin = await plainOrigin();
    const host = `localhost:${String(origin.port)}`;
    const client = await (await tunnelTo(host)).secure({ ca: weir.ca, servername: 'localhost' });
    client.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const server = await origin.next();
    server.send('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await client.head()).toContain('x-weir-error: tls.origin-handshake');
  });

  test('and one that wants a client certificate says so', async () => {
    const origin = await WireServer.listenTls({
      ...originCertificate('localhost'),
      requestCert: true,
      rejectUnauthorized: true,
    });
    origins.push(origin);
    const host = `localhost:${String(origin.port)}`;
    const client = await (await tunnelTo(host)).secure({ ca: weir.ca, servername: 'localhost' });
    client.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(await client.head()).toContain('x-weir-error: tls.origin-wants-certificate');
  });
});

describe('a passthrough host', () => {
  test.each([
    ['localhost', true],
    ['*.localhost', false],
    ['LOCALHOST', true],
  ])('by pattern %s: TLS is relayed untouched = %s', async (pattern, relayed) => {
    weir.configure({ passthroughHosts: [pattern] });
    const origin = await tlsOrigin();
    const tunnel = await tunnelTo(`localhost:${String(origin.port)}`);
    const client = await tunnel.secure({ ca: [weir.ca, ORIGIN_CA], servername: 'localhost' });
    const { issuer } = client.socket.getPeerCertificate();
    client.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const server = await origin.next();
    await server.head();
    server.send(OK);
    await client.until('ok');
    expect(issuer.O).toBe('Weir');
    if (!relayed) server.end();
    client.end();
    await server.rest();
    server.end();
    await client.rest();
    const row = await weir.rows.only();
    expect(row.begin.kind).toBe(relayed ? 'tunnel' : 'http');
    if (!relayed) return;
    expect(row.begin).toMatchObject({ scheme: 'tls', host: 'localhost', port: origin.port });
    expect(row.client).toMatchObject({ protocol: 'tls', tls: { sni: 'localhost', chain: [] } });
    expect(row.client?.tls?.ja4).toMatch(/^t13d/);
    expect(row.origin).toMatchObject({ protocol: 'tls' });
    expect(row.end.timing.connect).toBeGreaterThan(0);
    expect(row.end).toMatchObject({ complete: true, error: null });
    expect(row.end.requestBodyBytes).toBeGreaterThan(200);
    expect(row.end.responseBodyBytes).toBeGreaterThan(500);
    expect(row.request.length).toBe(0);
  });
});

describe('the protocols that a client offers by ALPN', () => {
  test('may be http/1.0 alone', async () => {
    const tunnel = await tunnelTo('localhost:443');
    const client = await tunnel.secure({ ca: weir.ca, servername: 'localhost', ALPNProtocols: ['http/1.0'] });
    expect(client.socket.alpnProtocol).toBe('http/1.0');
    client.socket.destroy();
  });

  test('are left to the origin when none of them is HTTP', async () => {
    const origin = await WireServer.listenTls({ ...originCertificate('localhost'), ALPNProtocols: ['imap'] });
    origins.push(origin);
    const tunnel = await tunnelTo(`localhost:${String(origin.port)}`);
    const client = await tunnel.secure({ ca: ORIGIN_CA, servername: 'localhost', ALPNProtocols: ['imap'] });
    expect(client.socket.alpnProtocol).toBe('imap');
    client.end();
    (await origin.next()).end();
    await client.rest();
    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({ kind: 'tunnel', scheme: 'tls', host: 'localhost' });
    expect(row.end.complete).toBe(true);
  });
});

describe('other things inside CONNECT', () => {
  test('plain HTTP is read and recorded, also when it comes along with the CONNECT', async () => {
    const origin = await plainOrigin();
    const host = `localhost:${String(origin.port)}`;
    const client = await Wire.connect(weir.port);
    const request = `GET /in HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    client.send(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n${request}`);
    await client.head();
    const server = await origin.next();
    expect(await server.head()).toBe(request);
    server.send(OK);
    expect(await client.until('ok')).toBe(OK);
    expect((await weir.rows.only()).begin).toMatchObject({ kind: 'http', scheme: 'http', path: '/in' });
  });

  test('a protocol that nobody knows is relayed, with half-close both ways', async () => {
    const origin = await plainOrigin();
    const client = await tunnelTo(`localhost:${String(origin.port)}`);
    client.send('\x00\x01binary');
    const server = await origin.next();
    expect((await server.bytes(8)).toString('latin1')).toBe('\x00\x01binary');
    client.end();
    expect((await server.rest()).ending).toBe('end');
    server.send('still talking');
    server.end();
    expect(await client.rest()).toEqual({ text: 'still talking', ending: 'end' });
    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({ kind: 'tunnel', scheme: 'tcp', host: 'localhost', port: origin.port });
    expect(row.end).toMatchObject({ complete: true, requestBodyBytes: 8, responseBodyBytes: 13 });
  });

  test('a server that speaks first is heard, and both talk on', async () => {
    const origin = await plainOrigin();
    const client = await tunnelTo(`localhost:${String(origin.port)}`);
    const server = await origin.next();
    server.send('220 mail\r\n');
    expect(await client.until('\r\n')).toBe('220 mail\r\n');
    client.send('EHLO x\r\n');
    expect(await server.until('\r\n')).toBe('EHLO x\r\n');
    server.end();
    await client.rest();
    client.end();
    const row = await weir.rows.only();
    expect(row.begin.kind).toBe('tunnel');
    expect(row.end).toMatchObject({ complete: true, requestBodyBytes: 8, responseBodyBytes: 10 });
  });

  test('a slow ClientHello is still intercepted while the server is silent', async () => {
    const origin = await tlsOrigin();
    const tunnel = await tunnelTo(`localhost:${String(origin.port)}`);
    await origin.touched; // Weir has lost its patience and dialled.
    const client = await tunnel.secure({ ca: weir.ca, servername: 'localhost' });
    client.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const server = await origin.next();
    await server.head();
    server.send(OK);
    await client.until('ok');
    expect((await weir.rows.only()).begin.kind).toBe('http');
  });

  test('a tunnel to nowhere is cut and is a row', async () => {
    const origin = await plainOrigin();
    await origin.close();
    origins.pop();
    const client = await tunnelTo(`127.0.0.1:${String(origin.port)}`);
    client.send('\x00\x00');
    expect((await client.rest()).ending).toBe('reset');
    const row = await weir.rows.only();
    expect(row.end).toMatchObject({ complete: false, error: { code: 'connect.refused' } });
  });

  test('CONNECT to an unbracketed IPv6 address takes the last colon as the port', async () => {
    const origin = await WireServer.listen('::1');
    origins.push(origin);
    const client = await Wire.connect(weir.port);
    client.send(`CONNECT ::1:${String(origin.port)} HTTP/1.1\r\nHost: [::1]:${String(origin.port)}\r\n\r\n`);
    expect(await client.head()).toContain(' 200 ');
    client.send('\x00');
    await (await origin.next()).bytes(1);
  });
});

describe('TLS to the proxy itself', () => {
  test('is ended with a leaf for the proxy, and requests and tunnels work inside', async () => {
    const origin = await tlsOrigin();
    const host = `localhost:${String(origin.port)}`;
    const outer = await (await Wire.connect(weir.port)).secure({ ca: weir.ca, host: '127.0.0.1' });
    outer.send(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await outer.head();
    const client = await outer.secure({ ca: weir.ca, servername: 'localhost' });
    client.send(`GET /twice HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const server = await origin.next();
    expect(await server.head()).toContain('GET /twice ');
    server.send(OK);
    await client.until('ok');
  });
});
