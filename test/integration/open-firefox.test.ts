import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { which } from '../../bench/products/which.ts';
import { writeFirefoxTrust } from '../../app/backend/platform/firefox-trust.ts';
import { TRAFFIC_SOURCES } from '../../app/renderer/features/setup/sources.ts';
import { createCertificateAuthority } from '../../proxy-engine/pki/index.ts';
import { firstItem, startBackend, type TestBackend } from '../support/backend-kit.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';

/*
 * A fresh Firefox for real: the page of an origin that only Weir trusts, on loopback, in a home folder of its own.
 */

const firefox = which('firefox-esr') ?? which('firefox');
if (firefox === null)
  process.stderr.write('\nNOT TESTED: a fresh Firefox. Neither firefox-esr nor firefox is installed.\n\n');

let home: string;
let origin: Server;
let weir: TestBackend;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'weir-firefox-'));
  vi.stubEnv('HOME', home);
  vi.stubEnv('WEIR_BROWSER', firefox ?? '');
  vi.stubEnv('WEIR_BROWSER_ARGS', '--headless=new');
  origin = createServer(originCertificate('localhost'), (_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<title>Seen by Weir</title>');
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  weir = await startBackend({ originCertificateAuthorities: [ORIGIN_CA] });
});

afterEach(async () => {
  await weir.stop();
  origin.closeAllConnections();
  origin.close();
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

/** Every file below a folder that holds those bytes. */
async function filesWith(bytes: Buffer, folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file)));
  return files.filter((_, index) => contents[index]?.includes(bytes) === true);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(firefox === null)('a fresh Firefox', () => {
  test(
    'shows a page on loopback, decrypted; nothing else is asked, nothing is trusted elsewhere, and it ends with Weir',
    { timeout: 120_000 },
    async () => {
      const url = `https://localhost:${String((origin.address() as AddressInfo).port)}/`;
      const client = await weir.connect();
      const { session, certificateAuthority } = await firstItem(client, 'app.status', {});
      const shown = firstItem(
        client,
        'exchanges.changed',
        { session: session.id },
        ({ path, status, program }) => path === '/' && status !== null && program !== null,
      );
      const { pid } = await client.call('browsers.open', { path: null, url });

      expect(await shown).toMatchObject({
        host: 'localhost',
        method: 'GET',
        status: 200,
        scheme: 'https',
        error: null,
      });
      expect((await shown).program).toMatch(/firefox/);
      const { hosts } = await client.call('hosts.list', { session: session.id });
      expect(hosts.map(({ host }) => host)).toEqual(['localhost']);
      const counted = async (source: keyof typeof TRAFFIC_SOURCES): Promise<number> =>
        (await client.call('exchanges.count', { session: session.id, filter: TRAFFIC_SOURCES[source].filter })).count;
      expect(await counted('browsers')).toBeGreaterThan(0);
      expect([await counted('programs'), await counted('devices'), await counted('containers')]).toEqual([0, 0, 0]);
      const authority = new X509Certificate(await readFile(certificateAuthority.file)).raw;
      const profiles = join(weir.dataFolder, 'browsers');
      const [profile = ''] = await readdir(profiles);
      expect((await readFile(join(profiles, profile, 'cert9.db'))).includes(authority)).toBe(true);

      expect(isRunning(pid)).toBe(true);
      await weir.backend.stop(0);
      expect(isRunning(pid)).toBe(false);
      expect(await readdir(profiles)).toEqual([]);
      expect(await filesWith(authority, home)).toEqual([]);
    },
  );
});

describe.skipIf(which('certutil') === null)('the certificate database of a fresh Firefox', () => {
  test('trusts the authority for servers alone, as NSS itself reads it', async () => {
    const database = join(home, 'profile');
    await mkdir(database);
    const { certificate } = createCertificateAuthority('rsa', Date.now());
    await writeFirefoxTrust(join(database, 'cert9.db'), certificate);
    const certutil = (...args: readonly string[]): string =>
      execFileSync('certutil', [...args, '-d', `sql:${database}`], { encoding: 'utf8' });
    // What Firefox does with a profile that has no password yet.
    certutil('-N', '--empty-password');
    expect(certutil('-L')).toMatch(/^Weir CA +C,, *$/m);
    expect(certutil('-V', '-u', 'L', '-n', 'Weir CA')).toContain('is valid');
    const stored = certutil('-L', '-n', 'Weir CA', '-a');
    expect(new X509Certificate(stored).raw.equals(new X509Certificate(certificate).raw)).toBe(true);
  });
});
