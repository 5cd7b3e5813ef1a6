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

async function program(...path: string[]): Promise<string> {
  const file = join(folder, ...path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, 0o755);
  return file;
}

describe('on Linux', () => {
  const linux = (path: string) =>
    findBrowsers({ platform: 'linux', environment: { PATH: path }, home: '/home/someone' });

  test('browsers in the folders of PATH are found, best first', async () => {
    const brave = await program('bin', 'brave-browser');
    const chrome = await program('bin', 'google-chrome');
    const { found } = await linux(join(folder, 'bin'));
    const ours = found.filter(({ path }) => path.startsWith(folder));
    expect(ours).toEqual([
      { name: 'Google Chrome', path: chrome },
      { name: 'Brave', path: brave },
    ]);
  });

  test('two names of one program are one browser', async () => {
    const chrome = await program('opt', 'chrome');
    await mkdir(join(folder, 'bin'));
    await symlink(chrome, join(folder, 'bin', 'google-chrome'));
    await symlink(chrome, join(folder, 'bin', 'google-chrome-stable'));
    const { found } = await linux(join(folder, 'bin'));
    expect(found.filter(({ path }) => path.startsWith(folder))).toHaveLength(1);
  });

  test('what cannot be executed is no browser, and every path that was tried is named', async () => {
    const file = await program('bin', 'chromium');
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
  const file = await program('Applications', 'Chromium.app', 'Contents', 'MacOS', 'Chromium');
  const { found, searched } = await findBrowsers({ platform: 'darwin', environment: {}, home: folder });
  expect(found).toEqual([{ name: 'Chromium', path: file }]);
  expect(searched).toContain('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome');
});

test('on Windows, the installation folders of the environment are searched', () => {
  const environment = { ProgramFiles: 'C:\\Program Files', LocalAppData: 'C:\\Users\\someone\\AppData\\Local' };
  const paths = windowsCandidates({ platform: 'win32', environment, home: 'C:\\Users\\someone' }).map(
    ({ path }) => path,
  );
  expect(paths).toContain('C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe');
  expect(paths).toContain('C:\\Users\\someone\\AppData\\Local\\BraveSoftware\\Brave-Browser\\Application\\brave.exe');
  expect(paths.every((path) => path.startsWith('C:\\'))).toBe(true);
});

test('WEIR_BROWSER names the only one', async () => {
  const mine = await program('my browser');
  const environment = { WEIR_BROWSER: mine, PATH: '/usr/bin' };
  const search = await findBrowsers({ platform: 'linux', environment, home: '/' });
  expect(search).toEqual({ found: [{ name: 'WEIR_BROWSER', path: mine }], searched: [mine] });
});
