import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { which } from '../../bench/products/which.ts';
import { CLIENT_HELLOS } from '../support/client-hellos.ts';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { Wire, WireServer } from '../support/wire.ts';

const run = promisify(execFile);
let weir: EngineUnderTest;
let origin: WireServer;

beforeEach(async () => {
  weir = await startEngine({ settings: { originCertificateAuthorities: [ORIGIN_CA] } });
  origin = await WireServer.listenTls(originCertificate('localhost'));
});

afterEach(async () => {
  await weir.stop();
  await origin.close();
});

async function tunnelTo(authority: string): Promise<Wire> {
  const client = await Wire.connect(weir.port);
  client.send(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
  return client;
}

/** Puts a padding extension (RFC 7685) into a hello and cuts it into records. */
function padded(record: Buffer, paddingBytes: number, fragmentBytes: number): Buffer {
  const message = Buffer.concat([
    record.subarray(5),
    Buffer.from([0, 21, paddingBytes >> 8, paddingBytes & 0xff]),
    Buffer.alloc(paddingBytes),
  ]);
  message.writeUIntBE(message.length - 4, 1, 3);
  const sessionId = 4 + 2 + 32;
  const suites = sessionId + 1 + message.readUInt8(sessionId);
  const methods = suites + 2 + message.readUInt16BE(suites);
  const extensions = methods + 1 + message.readUInt8(methods);
  message.writeUInt16BE(message.length - extensions - 2, extensions);
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += fragmentBytes) {
    const fragment = message.subarray(at, at + fragmentBytes);
    parts.push(Buffer.from([22, 3, 1, fragment.length >> 8, fragment.length & 0xff]), fragment);
  }
  return Buffer.concat(parts);
}

describe('rule 41: a ClientHello is met however it comes', () => {
  const { chromium, openssl, node, java } = CLIENT_HELLOS;
  test.each([
    ['with GREASE, ECH and a post-quantum share', chromium],
    ['with two key shares over one segment', node],
    ['without a server name, for an address', java],
    ['over 16 KiB, spanning records', padded(openssl, 30_000, 16_384)],
    ['in records of 100 bytes', padded(openssl, 500, 100)],
  ])('%s: the answer is a ServerHello', async (_what, hello) => {
    const tunnel = await tunnelTo('127.0.0.1:443');
    tunnel.send(hello);
    const answer = await tunnel.bytes(6);
    // A handshake record whose first message is a ServerHello.
    expect([answer[0], answer[1], answer[5]]).toEqual([22, 3, 2]);
    tunnel.reset();
  });

  test('of a client that takes RSA suites alone: it gets an RSA leaf', async () => {
    const tunnel = await tunnelTo(`localhost:${String(origin.port)}`);
    const options = { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' } as const;
    const client = await tunnel.secure({ ca: weir.ca, servername: 'localhost', ...options });
    expect(client.socket.getCipher().name).toBe('ECDHE-RSA-AES128-GCM-SHA256');
    expect(client.socket.getPeerX509Certificate()?.publicKey.asymmetricKeyType).toBe('rsa');
    client.end();
  });
});

test('rule 40: a slow client of an origin that cannot be reached gets a page, not a reset', async () => {
  await origin.close();
  const tunnel = await tunnelTo(`localhost:${String(origin.port)}`);
  // Longer than Weir waits before it dials for a greeting, as a virtual machine that loads its TLS is.
  await delay(300);
  const client = await tunnel.secure({ ca: weir.ca, servername: 'localhost' });
  client.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await client.head()).toMatch(/^HTTP\/1\.1 502 /);
  const row = await weir.rows.only();
  expect(row.begin.kind).toBe('http');
  expect(row.end.error?.code).toBe('connect.refused');
});

test('rule 40: a silent client of an origin that cannot be reached is cut and is a row', async () => {
  await origin.close();
  const tunnel = await tunnelTo(`localhost:${String(origin.port)}`);
  expect((await tunnel.rest()).ending).toBe('reset');
  const row = await weir.rows.only();
  expect(row.begin.kind).toBe('tunnel');
  expect(row.end.error?.code).toBe('connect.refused');
});

describe('rule 42: a client that does not trust the leaf', () => {
  const target = (): string => `localhost:${String(origin.port)}`;
  const proxy = (): string => `http://127.0.0.1:${String(weir.port)}`;
  const curl = (...args: string[]): readonly string[] => ['curl', '-sS', '-x', proxy(), '--noproxy', '', ...args];
  const openssl = (version: string): readonly string[] => {
    const via = ['-proxy', `127.0.0.1:${String(weir.port)}`, '-connect', target()];
    return ['openssl', 's_client', '-verify_return_error', version, ...via, '-servername', 'localhost'];
  };
  const URLLIB = `import sys, urllib.request as r
r.build_opener(r.ProxyHandler({'https': sys.argv[1]})).open(sys.argv[2])`;

  const refusals: readonly (readonly [client: string, program: string, command: () => readonly string[]])[] = [
    ['curl over TLS 1.3', 'curl', () => curl(`https://${target()}/`)],
    ['curl over TLS 1.2', 'curl', () => curl('--tls-max', '1.2', `https://${target()}/`)],
    ['openssl over TLS 1.3', 'openssl', () => openssl('-tls1_3')],
    ['openssl over TLS 1.2', 'openssl', () => openssl('-tls1_2')],
    ['Python', 'python3', () => ['python3', '-c', URLLIB, proxy(), `https://${target()}/`]],
  ];

  for (const [client, program, command] of refusals) {
    test.skipIf(which(program) === null)(`${client}: is a row with the reason`, async () => {
      const [file = '', ...args] = command();
      const refused = run(file, args, { env: { PATH: process.env['PATH'] } });
      refused.child.stdin?.end();
      await expect(refused).rejects.toThrow();
      const row = await weir.rows.only();
      expect(row.begin).toMatchObject({ kind: 'tunnel', scheme: 'tls', host: 'localhost', port: origin.port });
      expect(row.end.error).toMatchObject({ code: 'tls.client-untrusted', side: 'client', phase: 'tls' });
      expect(row.end.error?.message).toContain('does not trust');
      // curl offers h2: the origin is asked what it speaks before the client is answered; no request reaches it.
      expect(origin.accepted).toBe(program === 'curl' ? 1 : 0);
    });
  }

  test('and hangs up without a word, as Node does, is let go at once and is a row', async () => {
    const tunnel = await tunnelTo(target());
    await expect(tunnel.secure({ servername: 'localhost' })).rejects.toThrow(/self-signed certificate/);
    const row = await weir.rows.only();
    expect(row.end.error).toMatchObject({ code: 'tls.client-handshake', side: 'client', phase: 'tls' });
    expect(row.end.error?.message).toContain("may not trust Weir's CA");
    await expect.poll(() => weir.engine.stats().clientConnections).toBe(0);
  });

  test('and hangs up in the middle of the handshake is let go at once and is a row', async () => {
    const tunnel = await tunnelTo(target());
    tunnel.send(CLIENT_HELLOS.openssl);
    await tunnel.bytes(6);
    tunnel.end();
    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({ host: 'openssl.example', port: origin.port });
    expect(row.end.error).toMatchObject({ code: 'tls.client-handshake' });
    await expect.poll(() => weir.engine.stats().clientConnections).toBe(0);
  });
});
