import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { domainToASCII } from 'node:url';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { which } from '../../bench/products/which.ts';
import {
  createCertificateAuthority,
  createLeafForge,
  type CertificateAuthorityPem,
} from '../../proxy-engine/pki/index.ts';
import { browserForTests } from '../support/browser.ts';
import { startForgingProxy, type ForgingProxy } from '../support/forging-proxy.ts';

const run = promisify(execFile);

/** What a client may ask for, as a person writes it. */
const NAMES: readonly (readonly [kind: string, host: string])[] = [
  ['a domain', 'example.test'],
  ['a subdomain', 'www.example.test'],
  ['a public domain', 'www.wikipedia.org'],
  ['a domain under a public suffix of two labels', 'shop.example.co.uk'],
  ['a single label', 'intranet'],
  ['localhost', 'localhost'],
  ['a name under localhost', 'app.localhost'],
  ['a multicast DNS name', 'printer.local'],
  ['upper case', 'UPPER.Example.TEST'],
  ['a trailing dot', 'dot.example.test.'],
  ['an underscore', 'under_score.example.test'],
  ['a leading underscore', '_service.example.test'],
  ['hyphens', 'a-b--c.example.test'],
  ['digits', '123.456.example.test'],
  ['a label of one character', 'x.example.test'],
  ['a label of 63 characters', `${'a'.repeat(63)}.test`],
  ['64 characters', `${'b'.repeat(59)}.test`],
  ['65 characters', `${'c'.repeat(60)}.test`],
  ['100 characters', `${'d'.repeat(47)}.${'e'.repeat(47)}.test`],
  ['253 characters', `${`${'f'.repeat(61)}.`.repeat(4)}test1`],
  ['thirty labels', `${'g.'.repeat(29)}test`],
  ['an IDN with an umlaut', 'münchen.example'],
  ['an IDN in Cyrillic', 'пример.рф'],
  ['an IDN in Japanese', '例え.テスト'],
  ['an IDN in Arabic', 'مثال.إختبار'],
  ['an IDN as A-label', 'xn--mnchen-3ya.example'],
  ['loopback IPv4', '127.0.0.1'],
  ['IPv4', '192.0.2.7'],
  ['loopback IPv6', '[::1]'],
  ['IPv6', '[2001:db8::7]'],
  ['IPv6 with an embedded IPv4', '[::ffff:192.0.2.9]'],
  ['IPv6 in full', '[2001:db8:1:2:3:4:5:6]'],
];

/** Kinds that are tried with an RSA authority too. */
const TRIED_WITH_RSA = new Set(['a domain', '65 characters', 'an IDN with an umlaut', 'IPv4', 'loopback IPv6']);

/** The name as a verifier compares it: A-labels, no brackets. */
function comparable(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return /[^\0-\x7f]/.test(bare) ? domainToASCII(bare) : bare;
}

const isAddress = (name: string): boolean => name.includes(':') || /^[\d.]+$/.test(name);

describe.each(['ecdsa', 'rsa'] as const)('leaves of an authority with an %s key are accepted', (keyType) => {
  // The kind of key changes nothing about names; a few show that.
  const names = keyType === 'ecdsa' ? NAMES : NAMES.filter(([kind]) => TRIED_WITH_RSA.has(kind));
  let folder: string;
  let caFile: string;
  let authority: CertificateAuthorityPem;
  let proxy: ForgingProxy;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-pki-'));
    authority = createCertificateAuthority(keyType, Date.now());
    caFile = join(folder, 'ca.pem');
    await writeFile(caFile, authority.certificate);
    const certificates = { caCertificate: authority.certificate, caKey: authority.key, own: null };
    proxy = await startForgingProxy(createLeafForge({ ...certificates, leafKey: keyType }));
  });

  afterAll(async () => {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a tunnel and answers the chain that Node verified. */
  function verifiedByNode(host: string): Promise<PeerCertificate> {
    return new Promise((resolve, reject) => {
      const name = comparable(host);
      const target = name.includes(':') ? `[${name}]:443` : `${name}:443`;
      const tunnel = request({ host: '127.0.0.1', port: proxy.port, method: 'CONNECT', path: target });
      tunnel.on('error', reject).on('connect', (_response, socket) => {
        const names = isAddress(name) ? { host: name } : { servername: name };
        const tls = connect({ socket, ca: authority.certificate, ...names }, () => {
          resolve(tls.getPeerCertificate(true));
          tls.destroy();
        });
        tls.on('error', reject);
      });
      tunnel.end();
    });
  }

  test.each(names)('by Node: %s (%s)', async (_kind, host) => {
    const certificate = await verifiedByNode(host);
    expect(certificate.subjectaltname?.length).toBeGreaterThan(0);
  });

  test.skipIf(which('openssl') === null).each(names)('by openssl s_client: %s (%s)', async (_kind, host) => {
    const name = comparable(host);
    const identity = isAddress(name)
      ? ['-noservername', '-verify_ip', name]
      : ['-servername', name, '-verify_hostname', name];
    const target = name.includes(':') ? `[${name}]:443` : `${name}:443`;
    const args = ['s_client', '-proxy', `127.0.0.1:${proxy.port}`, '-connect', target, '-CAfile', caFile];
    const ended = run('openssl', [...args, '-x509_strict', '-verify_return_error', ...identity]);
    ended.child.stdin?.end();
    const { stdout } = await ended;
    expect(stdout).toContain('Verify return code: 0 (ok)');
  });

  test.skipIf(which('certtool') === null).each(names)('by certtool: %s (%s)', async (_kind, host) => {
    const { raw } = await verifiedByNode(host);
    const file = join(folder, `${crypto.randomUUID()}.pem`);
    await writeFile(
      file,
      `-----BEGIN CERTIFICATE-----\n${raw.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    );
    const args = ['--verify', '--load-ca-certificate', caFile, '--verify-hostname', comparable(host), '--infile', file];
    const { stdout } = await run('certtool', args);
    expect(stdout).toContain('Chain verification output: Verified. The certificate is trusted.');
  });

  test('by openssl s_client without a server name: the CONNECT host counts', async (context) => {
    if (which('openssl') === null) context.skip('openssl is not installed');
    const args = [
      's_client',
      '-proxy',
      `127.0.0.1:${proxy.port}`,
      '-connect',
      'no-sni.example.test:443',
      '-CAfile',
      caFile,
    ];
    const ended = run('openssl', [
      ...args,
      '-noservername',
      '-verify_return_error',
      '-verify_hostname',
      'no-sni.example.test',
    ]);
    ended.child.stdin?.end();
    expect((await ended).stdout).toContain('Verify return code: 0 (ok)');
  });

  describe.skipIf(which('certutil') === null)('by Chromium that trusts the authority in its own store', () => {
    let browser: Browser;

    beforeAll(async () => {
      const database = join(folder, '.pki', 'nssdb');
      await mkdir(database, { recursive: true });
      await run('certutil', ['-d', `sql:${database}`, '-N', '--empty-password']);
      await run('certutil', ['-d', `sql:${database}`, '-A', '-t', 'C,,', '-n', 'weir', '-i', caFile]);
      const { executablePath, args } = await browserForTests();
      browser = await chromium.launch({
        executablePath,
        args: [...args, '--proxy-bypass-list=<-loopback>', '--disable-background-networking'],
        proxy: { server: `http://127.0.0.1:${proxy.port}`, bypass: '<-loopback>' },
        env: { ...process.env, HOME: folder },
      });
    });

    afterAll(async () => {
      await browser.close();
    });

    test('every name', async () => {
      const page = await browser.newPage();
      await page.goto('https://example.test/');
      // A fetch whose certificate is refused fails; navigating to each name would take a process each.
      const refused = await page.evaluate(
        async (hosts) => {
          const visit = (host: string) => fetch(`https://${host}/`, { mode: 'no-cors' });
          const results = await Promise.allSettled(hosts.map(visit));
          return hosts.filter((_host, index) => results[index]?.status === 'rejected');
        },
        names.map(([, host]) => host),
      );
      expect(refused).toEqual([]);
      const visited = new Set(proxy.handshakes.map(({ name }) => name));
      expect(visited.size).toBeGreaterThanOrEqual(names.length);
      await page.close();
    });

    test('an IDN opened as a page', async () => {
      const page = await browser.newPage();
      const response = await page.goto('https://münchen.example/');
      expect(await response?.text()).toBe('verified');
      await page.close();
    });

    if (keyType === 'rsa') return;

    test('and none of another authority', async () => {
      const stranger = createCertificateAuthority('ecdsa', Date.now());
      const other = await startForgingProxy(
        createLeafForge({ caCertificate: stranger.certificate, caKey: stranger.key, leafKey: 'ecdsa', own: null }),
      );
      try {
        const context = await browser.newContext({ proxy: { server: `http://127.0.0.1:${other.port}` } });
        const page = await context.newPage();
        await expect(page.goto('https://example.test/')).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID');
        await context.close();
      } finally {
        await other.close();
      }
    });
  });
});

test.skipIf(which('openssl') === null)('a wildcard leaf is accepted for a name below it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-pki-'));
  const authority = createCertificateAuthority('ecdsa', Date.now());
  const forge = createLeafForge({
    caCertificate: authority.certificate,
    caKey: authority.key,
    leafKey: 'ecdsa',
    own: null,
  });
  const proxy = await startForgingProxy({ ...forge, leafFor: () => forge.leafFor('*.wild.test') });
  try {
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, authority.certificate);
    const args = ['s_client', '-proxy', `127.0.0.1:${proxy.port}`, '-connect', 'any.wild.test:443', '-CAfile', caFile];
    const ended = run('openssl', [...args, '-verify_return_error', '-verify_hostname', 'any.wild.test']);
    ended.child.stdin?.end();
    expect((await ended).stdout).toContain('Verify return code: 0 (ok)');
  } finally {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  }
});
