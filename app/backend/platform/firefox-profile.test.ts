import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCertificateAuthority } from '#engine';
import { firefoxArguments, preferencesText, proxyPreferences, writeFirefoxProfile } from './firefox-profile.ts';

test('everything goes through the proxy, loopback too, and nothing past it', () => {
  expect(proxyPreferences({ host: '::1', port: 8_686 })).toMatchObject({
    'network.proxy.type': 1,
    'network.proxy.http': '::1',
    'network.proxy.ssl_port': 8_686,
    'network.proxy.no_proxies_on': '',
    'network.proxy.allow_hijacking_localhost': true,
    'network.proxy.failover_direct': false,
    'network.http.http3.enable': false,
  });
});

test('preferences are lines that Firefox reads, whatever is in a value', () => {
  expect(preferencesText({ a: 'it\'s "so"\\', b: 1, c: false })).toBe(
    'user_pref("a", "it\'s \\"so\\"\\\\");\nuser_pref("b", 1);\nuser_pref("c", false);\n',
  );
});

test('a fresh profile holds preferences and certificates, for its owner alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-firefox-'));
  const { certificate } = createCertificateAuthority('ecdsa', Date.now());
  await writeFirefoxProfile({ folder, proxy: { host: '127.0.0.1', port: 1 }, authority: certificate });
  expect((await readdir(folder)).sort()).toEqual(['cert9.db', 'user.js']);
  for (const name of ['cert9.db', 'user.js']) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, 'user.js'), 'utf8')).toContain('user_pref("network.proxy.http_port", 1);\n');
  await rm(folder, { recursive: true });
});

test('it runs beside other Firefoxes, and its launcher stays on Windows', () => {
  const own = ['--headless=new', '--width=800'];
  expect(firefoxArguments('/p', 'https://a.test/', own, 'linux')).toEqual([
    ...['--no-remote', '--new-instance', '--profile', '/p', '--headless', '--width=800', 'https://a.test/'],
  ]);
  expect(firefoxArguments('C:\\p', null, [], 'win32')).toEqual([
    ...['--no-remote', '--new-instance', '--profile', 'C:\\p', '--wait-for-browser', 'about:blank'],
  ]);
});
