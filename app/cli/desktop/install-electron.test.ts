import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findElectron } from './electron-binary.ts';
import type { InstallOptions } from './install-electron.ts';
import { installElectron } from './install-electron.ts';

const DAY = 86_400_000;

let folder: string;
let said: string[];
let time: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-install-'));
  said = [];
  time = 1_000_000;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '45.5.0' }));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The package with an installer that runs `program`. */
function withInstaller(program: string): void {
  writeFileSync(join(folder, 'install.js'), program);
}

function options(signal: AbortSignal = new AbortController().signal): InstallOptions {
  return {
    packageFolder: folder,
    memory: join(folder, 'memory', 'electron.json'),
    say: (text) => said.push(text),
    progress: () => undefined,
    now: () => time,
    signal,
  };
}

const INSTALLS = `const fs = require('fs'); fs.mkdirSync(__dirname + '/dist');
  fs.writeFileSync(__dirname + '/dist/electron', ''); fs.writeFileSync(__dirname + '/path.txt', 'electron');`;

test('what the installer leaves is found', async () => {
  withInstaller(INSTALLS);
  expect(findElectron(folder)).toBeNull();

  expect(await installElectron(options())).toBeNull();

  expect(findElectron(folder)).toBe(join(folder, 'dist', 'electron'));
  expect(said).toEqual(['Fetching Electron 45.5.0 once (about 125 MB). Ctrl-C opens the browser instead.']);
});

test('a path file without its executable is no Electron', () => {
  writeFileSync(join(folder, 'path.txt'), 'electron');
  expect(findElectron(folder)).toBeNull();
});

test('a failure gives its reason and is remembered for a week', async () => {
  withInstaller(`console.error('TypeError: fetch failed'); process.exit(1);`);
  expect(await installElectron(options())).toContain('Electron could not be fetched (TypeError: fetch failed).');
  withInstaller(INSTALLS);

  time += 6 * DAY;
  expect(await installElectron(options())).toContain('fetch failed');
  expect(said).toHaveLength(1);

  time += 2 * DAY;
  expect(await installElectron(options())).toBeNull();
});

test('a failure of another version is not held against this one', async () => {
  withInstaller(`process.exit(1);`);
  await installElectron(options());
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '46.0.0' }));
  withInstaller(INSTALLS);

  expect(await installElectron(options())).toBeNull();
});

test('a damaged memory is no memory', async () => {
  withInstaller(INSTALLS);
  mkdirSync(join(folder, 'memory'));
  writeFileSync(join(folder, 'memory', 'electron.json'), '{');
  expect(await installElectron(options())).toBeNull();
});

test('a person who does not want to wait is not made to', async () => {
  withInstaller(`setInterval(() => {}, 1000);`);
  const stopping = new AbortController();
  const installing = installElectron(options(stopping.signal));

  stopping.abort();

  expect(await installing).toContain('Fetching Electron was stopped.');
});
