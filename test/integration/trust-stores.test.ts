import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CommandRunner } from '../../app/backend/platform/command-runner.ts';
import { createCommandRunner } from '../../app/backend/platform/command-runner.ts';
import {
  FIREFOX_ENVIRONMENT,
  firefoxArguments,
  preferencesText,
  proxyPreferences,
  QUIET_FIREFOX,
} from '../../app/backend/platform/firefox-profile.ts';
import { anchorStore } from '../../app/backend/platform/trust/anchors.ts';
import { macosKeychain } from '../../app/backend/platform/trust/macos-keychain.ts';
import { nssStore, nssStores } from '../../app/backend/platform/trust/nss.ts';
import { examinePrograms } from '../../app/backend/platform/trust/program-trust.ts';
import { selfTest } from '../../app/backend/platform/trust/self-test.ts';
import { trustAuthority } from '../../app/backend/platform/trust/trust-authority.ts';
import type { TrustAuthority } from '../../app/backend/platform/trust/trust-store.ts';
import { examineStore, trust, untrust } from '../../app/backend/platform/trust/trust-store.ts';
import { windowsStore } from '../../app/backend/platform/trust/windows-store.ts';
import { which } from '../../bench/products/which.ts';
import { authorityFiles, createCertificateAuthority, createLeafForge } from '../../proxy-engine/pki/index.ts';
import { browserForTests } from '../support/browser.ts';
import { startForgingProxy, type ForgingProxy } from '../support/forging-proxy.ts';
import { JAVA_GET } from '../support/java-get.ts';
import { recordingPrograms } from '../support/recording-programs/recording-programs.ts';
import { runWeir } from '../support/run-weir.ts';
import { WeirProcess } from '../support/weir-process.ts';

/* Stores of trust for real: NSS databases that Chromium reads, Debian's own tool in a root of its own. */

const PAGE = 'https://weir.test/';
const run = promisify(execFile);
const firefox = which('firefox-esr') ?? which('firefox');
const hasCertutil = which('certutil') !== null;
const javac = which('keytool') === null ? null : which('javac');
if (firefox === null) process.stderr.write('\nNOT TESTED: trust in a profile of Firefox. It is not installed.\n\n');
if (!hasCertutil) process.stderr.write('\nNOT TESTED: trust in databases of browsers. certutil is not installed.\n\n');
if (javac === null) process.stderr.write("\nNOT TESTED: trust of Java in Debian's store. No JDK is installed.\n\n");

let weir: WeirProcess;
let folder: string;
let authority: TrustAuthority;

beforeAll(async () => {
  weir = await WeirProcess.start();
  authority = trustAuthority(await weir.caCertificate(), weir.ready.ca);
});

afterAll(async () => {
  await weir.stop();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-stores-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function makeDatabase(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  await run('certutil', ['-N', '-d', `sql:${path}`, '--empty-password']);
  return path;
}

const listing = async (path: string): Promise<string> => (await run('certutil', ['-L', '-d', `sql:${path}`])).stdout;

function otherAuthority(): TrustAuthority {
  return trustAuthority(createCertificateAuthority('ecdsa', Date.now()).certificate, join(folder, 'other.pem'));
}

const command = (...args: readonly string[]) =>
  runWeir(['ca', ...args, '--data', weir.dataFolder], { env: { HOME: folder } });

describe('the databases of browsers', () => {
  test.skipIf(!hasCertutil)(
    'trust Weir after one command and hold nothing of it after another',
    { timeout: 180_000 },
    async () => {
      const chromiumDatabase = await makeDatabase(join(folder, '.pki', 'nssdb'));
      const firefoxProfile = await makeDatabase(join(folder, '.mozilla', 'firefox', 'abc.default-release'));
      const before = [await listing(chromiumDatabase), await listing(firefoxProfile)];
      const trusted = await command('trust', 'nss');
      expect(trusted).toMatchObject({ code: 0, stderr: '' });
      expect(trusted.stdout.toString()).toContain('Firefox (abc.default-release): trusts it. Undo: certutil -D');
      expect(await listing(firefoxProfile)).toMatch(/Weir CA .* C,,/);
      expect(await visit(folder)).toBe('Set up this device for Weir');
      expect((await command('untrust', 'nss')).code).toBe(0);
      expect([await listing(chromiumDatabase), await listing(firefoxProfile)]).toEqual(before);
      expect(await visit(folder)).toContain('ERR_CERT_AUTHORITY_INVALID');
    },
  );

  test.skipIf(firefox === null || !hasCertutil)(
    'a profile that Firefox made, on another disk, is found by profiles.ini, trusts Weir, and is then as it was',
    { timeout: 180_000 },
    async () => {
      const profile = join(folder, 'disk', 'mine');
      await mkdir(profile, { recursive: true });
      await mkdir(join(folder, '.mozilla', 'firefox'), { recursive: true });
      const lines = ['[Install1]', 'Default=x', '', '[Profile0]', 'Name=mine', 'IsRelative=0', `Path=${profile}`, ''];
      await writeFile(join(folder, '.mozilla', 'firefox', 'profiles.ini'), lines.join('\n'));
      const caKey = await readFile(authorityFiles(dirname(weir.ready.ca)).keyFile, 'utf8');
      const forge = createLeafForge({ caCertificate: authority.pem, caKey, leafKey: 'ecdsa', own: null });
      const proxy = await startForgingProxy(forge);
      await expect(visitByFirefox(profile, 'before.test', proxy)).resolves.toBe('refused');
      const before = await listing(profile);
      expect((await command('trust', 'nss')).stdout.toString()).toContain('Firefox (mine): trusts it.');
      await expect(visitByFirefox(profile, 'trusted.test', proxy)).resolves.toBe('shown');
      expect((await command('untrust', 'nss')).code).toBe(0);
      expect(await listing(profile)).toBe(before);
      await proxy.close();
    },
  );

  test('are found in the folders of snaps and flatpaks as well, each once', async () => {
    const places = [
      ['snap/chromium/current/.pki/nssdb', 'Chromium (snap)'],
      ['snap/firefox/common/.mozilla/firefox/one.default', 'Firefox (snap) (one.default)'],
      ['.var/app/org.mozilla.firefox/.mozilla/firefox/two.default-release', 'Firefox (flatpak) (two.default-release)'],
      ['.var/app/com.google.Chrome/.pki/nssdb', 'com.google.Chrome (flatpak)'],
      ['.config/mozilla/firefox/three.default', 'Firefox (three.default)'],
    ] as const;
    for (const [place] of places) {
      await mkdir(join(folder, place), { recursive: true });
      await writeFile(join(folder, place, 'cert9.db'), '');
    }
    const ini = '[Profile0]\nName=default\nIsRelative=1\nPath=three.default\n';
    await writeFile(join(folder, '.config/mozilla/firefox/profiles.ini'), ini);
    const stores = await nssStores(folder, createCommandRunner(process.env));
    expect(stores.map(({ name }) => name).sort()).toEqual(places.map(([, name]) => name).sort());
    expect(stores.map(({ id }) => id).sort()).toEqual(places.map(([place]) => `nss:${join(folder, place)}`).sort());
  });

  test.skipIf(!hasCertutil)(
    'tell our authority from that of another Weir, and from one that is there without trust',
    async () => {
      const store = nssStore(await makeDatabase(join(folder, 'db')), 'A browser', '', createCommandRunner(process.env));
      const other = otherAuthority();
      await trust(store, other);
      expect(await examineStore(store, authority)).toEqual({ kind: 'absent', others: 1 });
      await trust(store, authority);
      expect(await examineStore(store, authority)).toEqual({ kind: 'trusted', others: 1 });
      await run('certutil', ['-M', '-d', `sql:${store.folder}`, '-n', authority.nickname, '-t', ',,']);
      expect(await examineStore(store, authority)).toEqual({ kind: 'untrusted', others: 1 });
      expect(await untrust(store, authority, 'ours')).toBe(1);
      expect(await untrust(store, authority, 'all')).toBe(1);
      expect(await store.list()).toEqual([]);
    },
  );

  test('that cannot be read say what is missing', async () => {
    const store = nssStore(folder, 'A browser', '', createCommandRunner({ PATH: '/nonexistent' }));
    expect(await examineStore(store, authority)).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringContaining('libnss3-tools') as string,
    });
  });
});

/** @returns the heading of our page, or the browser's error */
async function visit(home: string): Promise<string> {
  const { executablePath, args } = await browserForTests();
  const browser = await chromium.launch({
    executablePath,
    args: [...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    proxy: { server: weir.proxyUrl },
  });
  try {
    const page = await browser.newPage();
    await page.goto(PAGE);
    return (await page.locator('h1').textContent()) ?? '';
  } catch (error: unknown) {
    return String(error);
  } finally {
    await browser.close();
  }
}

/** A host in a headless Firefox with that profile: what became of its handshake. */
async function visitByFirefox(profile: string, host: string, proxy: ForgingProxy): Promise<'shown' | 'refused'> {
  const preferences = { ...proxyPreferences({ host: '127.0.0.1', port: proxy.port }), ...QUIET_FIREFOX };
  await writeFile(join(profile, 'user.js'), preferencesText(preferences));
  const child = spawn(firefox ?? '', firefoxArguments(profile, `https://${host}/`, ['--headless'], 'linux'), {
    env: { ...process.env, ...FIREFOX_ENVIRONMENT, HOME: folder },
    stdio: 'ignore',
    detached: true,
  });
  const ended = once(child, 'exit');
  try {
    return await Promise.race([proxy.handshake(host).then(() => 'shown' as const), proxy.refused(host)]);
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await ended;
  }
}

describe("Debian's store", () => {
  /**
   * The real `update-ca-certificates` over folders of its own.
   * @param javaHook what stands in for Debian's hook for Java, whose store is at a fixed place
   */
  async function debian(asRoot: boolean, javaHook: string) {
    const part = async (name: string): Promise<string> => {
      await mkdir(join(folder, name));
      return join(folder, name);
    };
    const [local, etc, shipped, hooks] = [
      await part('local'),
      await part('etc'),
      await part('shipped'),
      await part('hooks'),
    ];
    await writeFile(join(folder, 'conf'), 'machine.crt\n');
    await writeFile(join(hooks, 'jks-keystore'), `#!/bin/sh\n${javaHook}\n`, { mode: 0o755 });
    const machine = createCertificateAuthority('ecdsa', Date.now()).certificate;
    await writeFile(join(shipped, 'machine.crt'), machine);
    const layout = {
      name: 'Debian and Ubuntu',
      folder: local,
      suffix: '.crt',
      update: [
        'update-ca-certificates',
        ...['--certsconf', join(folder, 'conf'), '--certsdir', shipped, '--localcertsdir', local],
        ...['--etccertsdir', etc, '--hooksdir', hooks],
      ] as const,
      afterRemoval: ['--fresh'],
      bundle: join(etc, 'ca-certificates.crt'),
      javaHook: { program: join(hooks, 'jks-keystore'), certificates: etc },
    };
    const runner = createCommandRunner({ PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` });
    await runner(layout.update[0], layout.update.slice(1));
    return {
      store: anchorStore({ ...layout, update: [...layout.update] }, authority.fingerprint, asRoot, runner),
      ...layout,
      etc,
    };
  }

  const everything = async (etc: string, bundle: string) => ({
    names: (await readdir(etc)).sort(),
    bundle: await readFile(bundle, 'utf8'),
  });

  /** Keeps a store of Java as Debian's hook does: an entry for each line `+PATH`, none for `-PATH`. */
  const keystore = (file: string): string => `while read -r line; do
    path=\${line#?}; alias=debian:$(basename "$path"); keystore='${file}'
    case $line in
      +*) [ -e "$keystore.$alias" ] && continue; : > "$keystore.$alias"; keytool -importcert -noprompt -keystore "$keystore" -storepass changeit -alias "$alias" -file "$path" ;;
      -*) keytool -delete -keystore "$keystore" -storepass changeit -alias "$alias" ;;
    esac
  done >&2 || :`;

  test('takes our authority in and leaves nothing of it, as curl and Python see it', { timeout: 180_000 }, async () => {
    const { store, etc, bundle, folder: local } = await debian(true, 'cat > /dev/null');
    const before = await everything(etc, bundle);
    const programs = async (): Promise<Record<string, string>> => {
      const runner = createCommandRunner({ ...process.env, SSL_CERT_FILE: bundle, CURL_CA_BUNDLE: bundle });
      // The two that read this store; the others take their time and cannot be pointed at it.
      const some: CommandRunner = (program, args, input) =>
        program === 'keytool' || program === 'node'
          ? Promise.resolve({ code: 127, stdout: '', stderr: '' })
          : runner(program, args, input);
      const proxy = { host: '127.0.0.1', port: weir.port };
      const { fingerprint } = authority;
      const found = await examinePrograms({ proxy, url: PAGE, fingerprint, run: some, javaOptions: '' });
      return Object.fromEntries(found.map(({ name, state }) => [name, state]));
    };
    expect(await programs()).toMatchObject({ curl: 'absent', Python: 'absent' });
    await trust(store, authority);
    expect(await programs()).toMatchObject({ curl: 'trusted', Python: 'trusted' });
    expect(await untrust(store, authority, 'ours')).toBe(1);
    expect(await programs()).toMatchObject({ curl: 'absent', Python: 'absent' });
    expect(await everything(etc, bundle)).toEqual(before);
    expect(await readdir(local)).toEqual([]);
  });

  test.skipIf(javac === null)(
    'takes it out of what Java trusts too, which Debian forgets',
    { timeout: 180_000 },
    async () => {
      const file = join(folder, 'cacerts');
      const { store } = await debian(true, keystore(file));
      await writeFile(join(folder, 'Get.java'), JAVA_GET);
      await run('javac', ['-J-Xshare:auto', 'Get.java'], { cwd: folder });
      const proxy = ['-Dhttps.proxyHost=127.0.0.1', `-Dhttps.proxyPort=${String(weir.port)}`];
      const trustStore = [`-Djavax.net.ssl.trustStore=${file}`, '-Djavax.net.ssl.trustStorePassword=changeit'];
      const get = (): Promise<string> =>
        run('java', [...proxy, ...trustStore, 'Get', PAGE], { cwd: folder }).then(
          ({ stdout }) => /<h1[^>]*>([^<]*)/.exec(stdout)?.[1] ?? stdout,
          (error: unknown) => (String(error).includes('PKIX path building failed') ? 'refused' : String(error)),
        );
      const entries = async (): Promise<string> =>
        (await run('keytool', ['-list', '-rfc', '-keystore', file, '-storepass', 'changeit'])).stdout;
      const before = await entries();
      await trust(store, authority);
      expect(await get()).toBe('Set up this device for Weir');
      expect(await untrust(store, authority, 'ours')).toBe(1);
      expect(await get()).toBe('refused');
      expect(await entries()).toBe(before);
    },
  );

  test('is the administrator’s: others get the exact lines, which do the same', { timeout: 180_000 }, async () => {
    const { store, etc, bundle } = await debian(false, `cat > '${folder}/told'`);
    const before = await everything(etc, bundle);
    await expect(trust(store, authority)).rejects.toThrow(store.trustLine(authority));
    const asPerson = (line: string) =>
      run('sh', ['-c', line.replaceAll('sudo ', '')], {
        env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
      });
    await asPerson(store.trustLine(authority));
    expect(await examineStore(store, authority)).toMatchObject({ kind: 'trusted' });
    await asPerson(store.untrustLine(authority));
    expect(await everything(etc, bundle)).toEqual(before);
    const told = await readFile(join(folder, 'told'), 'utf8');
    expect(told).toMatch(new RegExp(`^-${etc}/weir-ca-[0-9a-f]{8}\\.pem\n$`));
  });
});

test('the self-test goes through the proxy and accepts our authority alone', async () => {
  const proxy = { host: '127.0.0.1', port: weir.port };
  expect(await selfTest(proxy, 'weir.test', authority.pem)).toBeNull();
  expect(await selfTest(proxy, 'weir.test', otherAuthority().pem)).toContain('not accepted');
});

describe('the stores of other systems, by executables that record', () => {
  test('macOS: the login keychain, found by name and verified, and removed with its trust', async () => {
    const programs = await recordingPrograms(
      {
        security: `
case "$1" in
  find-certificate) [ -s state/keychain ] && cat state/keychain || exit 44 ;;
  verify-cert) [ -s state/keychain ] ;;
  add-trusted-cert) change; for last in "$@"; do :; done; cat "$last" > state/keychain ;;
  delete-certificate) change; : > state/keychain ;;
esac`,
      },
      { keychain: '' },
    );
    const store = macosKeychain('/Users/jo', authority, programs.run);
    expect(await examineStore(store, authority)).toEqual({ kind: 'absent', others: 0 });
    await trust(store, authority);
    expect(await examineStore(store, authority)).toEqual({ kind: 'trusted', others: 0 });
    await untrust(store, authority, 'ours');
    expect(await programs.state()).toEqual({ keychain: '' });
    const calls = await programs.calls();
    expect(calls).toContain(
      `security add-trusted-cert -r trustRoot -p ssl -k /Users/jo/Library/Keychains/login.keychain-db ${authority.file}`,
    );
    expect(calls).toContain(
      `security delete-certificate -t -Z ${authority.sha1} /Users/jo/Library/Keychains/login.keychain-db`,
    );
    await programs.failAt(1);
    await expect(trust(store, authority)).rejects.toThrow(/login keychain could not be changed.*refused by the test/);
    await programs.remove();
  });

  test("Windows: the user's root store, read by PowerShell and changed by certutil", async () => {
    const programs = await recordingPrograms(
      {
        'powershell.exe': 'cat state/root',
        'certutil.exe': `change
case "$*" in
  '-user -f -addstore Root '*) for last in "$@"; do :; done; cat "$last" > state/root ;;
  *-delstore*) : > state/root ;;
esac`,
      },
      { root: '' },
    );
    const store = windowsStore(authority.fingerprint, programs.run);
    await trust(store, authority);
    expect(await examineStore(store, authority)).toEqual({ kind: 'trusted', others: 0 });
    await untrust(store, authority, 'ours');
    expect(await programs.state()).toEqual({ root: '' });
    expect((await programs.calls()).at(-1)).toBe(`certutil.exe -user -delstore Root ${authority.sha1}`);
    await programs.remove();
  });
});
