import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCurl } from '../support/curl.ts';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { Wire, WireServer } from '../support/wire.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const ada = originCertificate('ada.test');

let weir: EngineUnderTest;
let folder: string;
const origins: WireServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-certificates-'));
  weir = await startEngine({ settings: { originCertificateAuthorities: [ORIGIN_CA] } });
});

afterEach(async () => {
  await weir.stop();
  for (const origin of origins.splice(0)) await origin.close();
  await rm(folder, { recursive: true, force: true });
});

async function tlsOrigin(options: TlsOptions): Promise<WireServer> {
  const origin = await WireServer.listenTls({ ...originCertificate('localhost'), ...options });
  origins.push(origin);
  return origin;
}

/** Asks an origin over TLS by an absolute URL; the answer's head. */
async function ask(origin: WireServer, answers: boolean): Promise<string> {
  const client = await Wire.connect(weir.port);
  const host = `localhost:${String(origin.port)}`;
  client.send(`GET https://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  if (answers) {
    const server = await origin.next();
    await server.head();
    server.send(OK);
  }
  const head = await client.head();
  client.end();
  return head;
}

const WANTS_ONE: TlsOptions = { requestCert: true, rejectUnauthorized: true, ca: ORIGIN_CA };

describe('an origin that asks for a client certificate', () => {
  test.each(['TLSv1.2', 'TLSv1.3'] as const)('is shown the one for its host (%s)', async (maxVersion) => {
    const origin = await tlsOrigin({ ...WANTS_ONE, maxVersion });
    const identity = { kind: 'pem', certificate: ada.cert, key: ada.key, passphrase: null } as const;
    weir.configure({ clientCertificates: [{ host: 'localhost', identity }] });
    expect(await ask(origin, true)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'and gets none for its host says so, whatever others have (%s)',
    async (maxVersion) => {
      const origin = await tlsOrigin({ ...WANTS_ONE, maxVersion });
      const identity = { kind: 'pem', certificate: ada.cert, key: ada.key, passphrase: null } as const;
      weir.configure({ clientCertificates: [{ host: 'other.test', identity }] });
      const head = await ask(origin, false);
      expect(head).toMatch(/^HTTP\/1\.1 502 /);
      const { error } = (await weir.rows.only()).end;
      expect(error?.side).toBe('origin');
      if (maxVersion === 'TLSv1.3') expect(error?.code).toBe('tls.origin-wants-certificate');
    },
  );

  test('takes one out of PKCS #12', async () => {
    const origin = await tlsOrigin(WANTS_ONE);
    await writeFile(join(folder, 'c.pem'), ada.cert);
    await writeFile(join(folder, 'k.pem'), ada.key);
    const out = join(folder, 'out.p12');
    const files = ['-in', join(folder, 'c.pem'), '-inkey', join(folder, 'k.pem'), '-out', out];
    execFileSync('openssl', ['pkcs12', '-export', ...files, '-passout', 'pass:word']);
    const identity = { kind: 'p12', bytes: await readFile(out), passphrase: 'word' } as const;
    weir.configure({ clientCertificates: [{ host: 'localhost', identity }] });
    expect(await ask(origin, true)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('gets an explained failure when the one for its host cannot be used', async () => {
    const origin = await tlsOrigin(WANTS_ONE);
    const identity = { kind: 'p12', bytes: Buffer.from('nonsense'), passphrase: '' } as const;
    weir.configure({ clientCertificates: [{ host: 'localhost', identity }] });
    expect(await ask(origin, false)).toMatch(/^HTTP\/1\.1 502 [^]*x-weir-error: tls\.client-certificate/);
  });

  test('and a client that has one of its own meet through Weir, which shows its own', async () => {
    const origin = await tlsOrigin(WANTS_ONE);
    const identity = { kind: 'pem', certificate: ada.cert, key: ada.key, passphrase: null } as const;
    weir.configure({ clientCertificates: [{ host: 'localhost', identity }] });
    const bob = originCertificate('bob.test');
    const [certificate, key, ca] = ['b.pem', 'b.key', 'ca.pem'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await Promise.all([writeFile(certificate, bob.cert), writeFile(key, bob.key), writeFile(ca, weir.ca)]);
    const proxy = `http://127.0.0.1:${String(weir.port)}`;
    const done = runCurl([
      '--cert',
      certificate,
      '--key',
      key,
      '--cacert',
      ca,
      '-x',
      proxy,
      `https://localhost:${String(origin.port)}/`,
    ]);
    const server = await origin.next();
    await server.head();
    server.send(OK);
    expect(await done).toEqual({ code: 0, stdout: 'ok', stderr: '' });
  });
});

describe('an origin of long ago', () => {
  const OLD: TlsOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' };

  test('that speaks TLS 1.0 only is met where its host is named, and nowhere else', async () => {
    const origin = await tlsOrigin(OLD);
    expect(await ask(origin, false)).toMatch(/^HTTP\/1\.1 502 [^]*x-weir-error: tls\.origin-handshake/);
    weir.configure({ legacyHosts: ['localhost'], originCertificateAuthorities: [ORIGIN_CA] });
    expect(await ask(origin, true)).toMatch(/^HTTP\/1\.1 200 /);
    const [, row] = await weir.rows.ended(2);
    expect(row?.origin?.tls?.version).toBe('TLSv1');
  });

  test('with a key of 1,024 bits is met where its host is named', async () => {
    const [certificate, key] = [join(folder, 'small.pem'), join(folder, 'small.key')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:1024', '-nodes', '-out', certificate, '-keyout', key, ...subject],
      {
        stdio: 'ignore',
      },
    );
    const small = {
      ...OLD,
      maxVersion: 'TLSv1.2',
      cert: await readFile(certificate),
      key: await readFile(key),
    } as const;
    const originCertificateAuthorities = [await readFile(certificate, 'utf8')];
    weir.configure({ originCertificateAuthorities });
    expect(await ask(await tlsOrigin(small), false)).toMatch(/^HTTP\/1\.1 502 /);
    weir.configure({ originCertificateAuthorities, legacyHosts: ['localhost'] });
    expect(await ask(await tlsOrigin(small), true)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('curl reaches the proxy itself over TLS, and through it plain and secure origins', async () => {
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, weir.ca);
  const proxy = ['-x', `https://localhost:${String(weir.port)}`, '--proxy-cacert', ca, '--cacert', ca];
  const plain = await WireServer.listen();
  origins.push(plain);
  const secure = await tlsOrigin({});
  for (const [origin, scheme] of [
    [plain, 'http'],
    [secure, 'https'],
  ] as const) {
    const done = runCurl([...proxy, `${scheme}://localhost:${String(origin.port)}/`]);
    const server = await origin.next();
    await server.head();
    server.send(OK);
    expect(await done).toEqual({ code: 0, stdout: 'ok', stderr: '' });
  }
});
