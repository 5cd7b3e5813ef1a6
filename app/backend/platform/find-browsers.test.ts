import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { windowsCandidates } from './browser-candidates-windows.ts';
import { findBrowsers } from './find-browsers.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-browsers-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A program in a folder of the test. @param script what it holds */
async function program(path: readonly string[], script = '#!/bin/sh\n'): Promise<string> {
  const file = join(folder, ...path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, script);
  await chmod(file, 0o755);
  return file;
}

describe('on Linux', () => {
  const linux = (path: string) =>
    findBrowsers({ platform: 'linux', environment: { PATH: path }, home: '/home/someone' });

  test('browsers in the folders of PATH are found, best first', async () => {
    const brave = await program(['bin', 'brave-browser']);
    const chrome = await program(['bin', 'google-chrome']);
    const { found } = await linux(join(folder, 'bin'));
    const ours = found.filter(({ path }) => path.startsWith(folder));
    expect(ours).toEqual([
      { name: 'Google Chrome', family: 'chromium', path: chrome },
      { name: 'Brave', family: 'chromium', path: brave },
    ]);
  });

  test('two names of one program are one browser', async () => {
    const chrome = await program(['opt', 'chrome']);
    await mkdir(join(folder, 'bin'));
    await symlink(chrome, join(folder, 'bin', 'google-chrome'));
    await symlink(chrome, join(folder, 'bin', 'google-chrome-stable'));
    const { found } = await linux(join(folder, 'bin'));
    expect(found.filter(({ path }) => path.startsWith(folder))).toHaveLength(1);
  });

  test("Debian's firefox, which starts firefox-esr, is one browser with it", async () => {
    const firefox = await program(['bin', 'firefox'], '#!/bin/sh\n\nexec firefox-esr "$@"\n');
    await program(['bin', 'firefox-esr']);
    const { found } = await linux(join(folder, 'bin'));
    expect(found.filter(({ path }) => path.startsWith(folder))).toEqual([
      { name: 'Firefox', family: 'firefox', path: firefox },
    ]);
  });

  test('Firefox is found under both of its names', async () => {
    const firefox = await program(['bin', 'firefox']);
    const extended = await program(['bin', 'firefox-esr']);
    const { found } = await linux(join(folder, 'bin'));
    expect(found.filter(({ path }) => path.startsWith(folder))).toEqual([
      { name: 'Firefox', family: 'firefox', path: firefox },
      { name: 'Firefox ESR', family: 'firefox', path: extended },
    ]);
  });

  test('a script that starts a snap is that snap, and nothing where the snap is not', async () => {
    const snap = join(folder, 'snap', 'bin', 'firefox');
    await program(['bin', 'firefox'], `#!/bin/sh\nexec ${snap} "$@"\n`);
    const ours = async () =>
      (await linux(join(folder, 'bin'))).found.map(({ path }) => path).filter((path) => path.startsWith(folder));
    expect(await ours()).toEqual([]);
    await program(['snap', 'bin', 'firefox']);
    expect(await ours()).toEqual([snap]);
  });

  test('snaps are told apart, though all of them are links to one program', async () => {
    const snapd = await program(['usr', 'bin', 'snap']);
    await mkdir(join(folder, 'snap', 'bin'), { recursive: true });
    for (const name of ['chromium', 'firefox']) await symlink(snapd, join(folder, 'snap', 'bin', name));
    const { found } = await linux(join(folder, 'snap', 'bin'));
    expect(found.filter(({ path }) => path.startsWith(folder))).toHaveLength(2);
  });

  test('what cannot be executed is no browser, and every path that was tried is named', async () => {
    const file = await program(['bin', 'chromium']);
    await chmod(file, 0o644);
    const { found, searched } = await linux(join(folder, 'bin'));
    expect(found.map(({ path }) => path)).not.toContain(file);
    expect(searched).toContain(file);
    expect(searched).toContain('/usr/bin/microsoft-edge');
  });

  test('relative folders in PATH are not searched', async () => {
    const { searched } = await linux('bin:.:');
    expect(searched.every((path) => path.startsWith('/'))).toBe(true);
  });
});

test('on macOS, applications of the machine and of the user are searched', async () => {
  const file = await program(['Applications', 'Chromium.app', 'Contents', 'MacOS', 'Chromium']);
  const firefox = await program(['Applications', 'Firefox.app', 'Contents', 'MacOS', 'firefox']);
  const { found, searched } = await findBrowsers({ platform: 'darwin', environment: {}, home: folder });
  expect(found).toEqual([
    { name: 'Chromium', family: 'chromium', path: file },
    { name: 'Firefox', family: 'firefox', path: firefox },
  ]);
  expect(searched).toContain('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome');
});

test('on Windows, the installation folders of the environment are searched', () => {
  const environment = { ProgramFiles: 'C:\\Program Files', LocalAppData: 'C:\\Users\\someone\\AppData\\Local' };
  const paths = windowsCandidates({ platform: 'win32', environment, home: 'C:\\Users\\someone' }).map(
    ({ path }) => path,
  );
  expect(paths).toContain('C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe');
  expect(paths).toContain('C:\\Users\\someone\\AppData\\Local\\BraveSoftware\\Brave-Browser\\Application\\brave.exe');
  expect(paths).toContain('C:\\Program Files\\Mozilla Firefox\\firefox.exe');
  expect(paths.every((path) => path.startsWith('C:\\'))).toBe(true);
});

test('WEIR_BROWSER names the only one', async () => {
  const mine = await program(['my browser']);
  const environment = { WEIR_BROWSER: mine, PATH: '/usr/bin' };
  const search = await findBrowsers({ platform: 'linux', environment, home: '/' });
  expect(search).toEqual({ found: [{ name: 'WEIR_BROWSER', family: 'chromium', path: mine }], searched: [mine] });
});

test('WEIR_BROWSER may be a Firefox: its name says so', async () => {
  const mine = await program(['opt', 'firefox-nightly']);
  const search = await findBrowsers({ platform: 'linux', environment: { WEIR_BROWSER: mine }, home: '/' });
  expect(search.found).toEqual([{ name: 'WEIR_BROWSER', family: 'firefox', path: mine }]);
});
