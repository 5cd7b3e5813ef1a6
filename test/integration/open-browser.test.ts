import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BrowserSurroundings } from '../../app/backend/platform/browser.ts';
import { removeStaleProfiles } from '../../app/backend/platform/browser-profiles.ts';
import { openBrowser, type RunningBrowser } from '../../app/backend/platform/open-browser.ts';
import {
  createCertificateAuthority,
  createLeafForge,
  type CertificateAuthorityPem,
} from '../../proxy-engine/pki/index.ts';
import { browserForTests } from '../support/browser.ts';
import { startForgingProxy, type ForgingProxy } from '../support/forging-proxy.ts';

let profiles: string;
let authority: CertificateAuthorityPem;
let proxy: ForgingProxy;
let running: RunningBrowser | null = null;

beforeEach(async () => {
  profiles = await mkdtemp(join(tmpdir(), 'weir-profiles-'));
  authority = createCertificateAuthority('ecdsa', Date.now());
  proxy = await startForgingProxy(
    createLeafForge({ caCertificate: authority.certificate, caKey: authority.key, leafKey: 'ecdsa', own: null }),
  );
});

afterEach(async () => {
  await running?.close();
  running = null;
  await proxy.close();
  await rm(profiles, { recursive: true, force: true });
});

async function open(
  changes: { url?: string; authority?: string; environment?: NodeJS.ProcessEnv; path?: string } = {},
): Promise<RunningBrowser> {
  const { executablePath, args } = await browserForTests();
  const surroundings: BrowserSurroundings = {
    platform: 'linux',
    environment: changes.environment ?? { ...process.env, WEIR_BROWSER_ARGS: ['--headless=new', ...args].join(' ') },
    home: profiles,
  };
  running = await openBrowser({
    browser: { name: 'Chromium', family: 'chromium', path: changes.path ?? executablePath },
    surroundings,
    profiles,
    proxy: { host: '127.0.0.1', port: proxy.port },
    authority: changes.authority ?? authority.certificate,
    url: changes.url ?? 'https://shop.example/',
    asRoot: process.getuid?.() === 0,
  });
  return running;
}

describe('a fresh browser', () => {
  test('trusts our authority for itself alone, asks for nothing but the page, and leaves nothing behind', async () => {
    const browser = await open();
    expect(browser.pid).toBeGreaterThan(0);
    await proxy.handshake('shop.example');
    expect(proxy.asked.filter((line) => !line.startsWith('CONNECT shop.example:443 '))).toEqual([]);
    expect(await readdir(profiles)).toHaveLength(1);
    await browser.close();
    expect(await readdir(profiles)).toEqual([]);
  });

  test('sends loopback through the proxy', async () => {
    await open({ url: 'https://localhost:4433/' });
    await proxy.handshake('localhost');
    expect(proxy.asked).toContain('CONNECT localhost:4433 HTTP/1.1');
  });

  test('does not trust another authority', async () => {
    const stranger = createCertificateAuthority('ecdsa', Date.now());
    const browser = await open({ authority: stranger.certificate });
    const tried = await Promise.race([
      proxy.handshake('shop.example').then(() => 'trusted'),
      proxy.refused('shop.example'),
    ]);
    expect(tried).toBe('refused');
    await browser.close();
  });
});

describe('a browser that cannot be opened says why', () => {
  test('without a display', async () => {
    const opening = open({ environment: { PATH: process.env['PATH'] } });
    await expect(opening).rejects.toMatchObject({
      code: 'no-display',
      message: expect.stringContaining('WEIR_BROWSER_ARGS') as string,
    });
  });

  test('when its program does not start, and no profile is left', async () => {
    await expect(open({ path: '/nowhere/chromium' })).rejects.toMatchObject({ code: 'not-started' });
    expect(await readdir(profiles)).toEqual([]);
  });
});

test('profiles that a crash left are deleted, those in use are not', async () => {
  const stale = join(profiles, 'profile-stale');
  const used = join(profiles, 'profile-used');
  const foreign = join(profiles, 'notes');
  await Promise.all([stale, used, foreign].map((folder) => mkdir(folder)));
  // Process 4194305 is above what Linux gives out.
  await writeFile(join(stale, 'weir-process'), '4194305');
  await writeFile(join(used, 'weir-process'), String(process.pid));
  await removeStaleProfiles(profiles);
  expect([stale, used, foreign].map(existsSync)).toEqual([false, true, true]);
});
