import { execFile } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Licence } from '../../resources/licences.ts';
import { licenceProblems } from '../../resources/licences.ts';
import { FUSE_MARK } from '../support/fake-electron.ts';

/*
 * The app as electron-builder packs it for Linux, around a stand-in for Electron's executable (test/support/pack-app.ts). The
 * installed command, the backend and its threads then run for real from what was packed.
 */

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'test/support/pack-app.ts');

let folder: string;
let app: string;
let resources: string;
/** Outside of the archive. */
let unpacked: string[];
/** Inside of it, without what only its index names. */
let archived: string[];

interface Listed {
  readonly files?: Readonly<Record<string, Listed>>;
  readonly unpacked?: boolean;
}

beforeAll(async () => {
  const built = existsSync(join(ROOT, 'out/renderer/licences.json'));
  if (!built) throw new Error('The app is not built. Run `npm run build` first, or `npm test`, which does.');
  folder = await mkdtemp(join(tmpdir(), 'weir-packed-'));
  await run(process.execPath, [PROGRAM, folder], { maxBuffer: 10_000_000 });
  app = join(folder, 'linux-unpacked');
  resources = join(app, 'resources');
  unpacked = await filesBelow(join(resources, 'app.asar.unpacked'));
  archived = [...filesInside(readIndex(join(resources, 'app.asar')), '')];
}, 180_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function filesBelow(at: string): Promise<string[]> {
  const entries = await readdir(at, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(at.length + 1))
    .sort();
}

/** An archive begins with sizes of its index, nested four deep, and then the index as JSON. */
function readIndex(archive: string): Listed {
  const file = openSync(archive, 'r');
  const sizes = Buffer.alloc(16);
  readSync(file, sizes, 0, 16, 0);
  const text = Buffer.alloc(sizes.readUInt32LE(12));
  readSync(file, text, 0, text.length, 16);
  closeSync(file);
  return JSON.parse(text.toString()) as Listed;
}

function* filesInside({ files = {} }: Listed, at: string): Generator<string> {
  for (const [name, entry] of Object.entries(files)) {
    if (entry.files !== undefined) yield* filesInside(entry, `${at}${name}/`);
    else if (entry.unpacked !== true) yield `${at}${name}`;
  }
}

test('all that runs or is shown are real files beside the archive, and nothing that merely lies about went in', () => {
  expect(archived).toEqual(['package.json']);
  const folders = new Set(unpacked.map((path) => path.split('/').slice(0, 2).join('/')));
  expect([...folders].filter((path) => !path.startsWith('node_modules/')).sort()).toEqual([
    'out/main',
    'out/preload',
    'out/renderer',
    'package.json',
    'resources/tray',
  ]);
  for (const name of ['index', 'backend', 'cli', 'system-proxy-watchdog', 'bench', 'engine-worker', 'writer-worker']) {
    expect(unpacked).toContain(`out/main/${name}.js`);
  }
  expect(unpacked).toContain('out/renderer/index.html');
  expect(unpacked.filter((path) => path.startsWith('resources/tray/'))).toHaveLength(12);
});

test('of packages only those of production are there, without tests, sources of other languages and types', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const packages = new Set(
    unpacked
      .filter((path) => path.startsWith('node_modules/'))
      .map((path) =>
        path
          .split('/')
          .slice(1, path.startsWith('node_modules/@') ? 3 : 2)
          .join('/'),
      ),
  );
  for (const name of Object.keys(dependencies)) expect(packages).toContain(name);
  for (const name of Object.keys(devDependencies)) expect(packages).not.toContain(name);
  const needless = /\.(?:map|ts|mts|cts|c|cc|cpp|h|gyp)$|(?:^|\/)(?:tests?|__tests__|\.github|\.cache)\//;
  expect([...unpacked, ...archived].filter((path) => needless.test(path))).toEqual([]);
});

test("of native code only this platform's is there", () => {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  expect(unpacked.filter((path) => path.endsWith('.node'))).toEqual([
    `node_modules/better-sqlite3/prebuilds/linux-${arch}.node`,
  ]);
});

test('what is ours is small beside Electron', async () => {
  const files = await filesBelow(resources);
  const sizes = await Promise.all(files.map(async (path) => (await stat(join(resources, path))).size));
  const megabytes = sizes.reduce((sum, bytes) => sum + bytes, 0) / 1_000_000;
  console.log(`The packed app takes ${megabytes.toFixed(1)} MB beside Electron, in ${String(files.length)} files.`);
  expect(megabytes).toBeLessThan(25);
});

test('the fuses of the executable stand as the configuration says', () => {
  const binary = readFileSync(join(app, 'weir-desktop'));
  const at = binary.indexOf(FUSE_MARK) + FUSE_MARK.length + 2;
  // Runs as Node, encrypts cookies, no NODE_OPTIONS, no inspector, checks and loads its archive alone.
  expect(binary.toString('latin1', at, at + 8)).toBe('11001100');
});

test("licences stand beside the app, Electron's and Chromium's too, and there is none that keeps it from being shipped", () => {
  const list = JSON.parse(
    readFileSync(join(resources, 'app.asar.unpacked/out/renderer/licences.json'), 'utf8'),
  ) as Licence[];
  expect(licenceProblems(list)).toEqual([]);
  const text = readFileSync(join(resources, 'LICENSES.weir.txt'), 'utf8');
  for (const name of ['better-sqlite3', 'svelte', '@codemirror/view', '@fontsource-variable/inter', 'electron']) {
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  }
  expect(existsSync(join(app, 'LICENSE.electron.txt'))).toBe(true);
  expect(existsSync(join(app, 'LICENSES.chromium.html'))).toBe(true);
});

test('Linux desktops are told which files Weir opens, by name and kind, and how', () => {
  const facts = JSON.parse(readFileSync(join(folder, 'integration.json'), 'utf8')) as {
    readonly desktopEntry: string;
    readonly mimeTypes: string;
    readonly icons: readonly number[];
  };
  const lines = facts.desktopEntry.split('\n');
  expect(lines).toContain('Exec=/opt/Weir/weir-desktop %U');
  expect(lines).toContain('MimeType=application/x-weir-session;application/x-http-archive+json;');
  expect(lines).toContain('StartupWMClass=weir-desktop');
  expect(lines).toContain('Categories=Development;');
  expect(facts.mimeTypes).toMatch(/type="application\/x-weir-session">\s*<glob pattern="\*\.weir"\/>/);
  expect(facts.mimeTypes).toMatch(/type="application\/x-http-archive\+json">\s*<glob pattern="\*\.har"\/>/);
  expect(facts.icons).toEqual([16, 32, 48, 64, 128, 256, 512]);
});

test('the installed command runs from what was packed: it imports with its store and threads, and lists', async () => {
  const weir = join(resources, 'bin/weir');
  const data = join(folder, 'data');
  const file = join(folder, 'some.har');
  const request = { method: 'GET', url: 'http://packed.test/', httpVersion: 'HTTP/1.1', headers: [] };
  await writeFile(file, JSON.stringify({ log: { entries: [{ startedDateTime: '2026-11-30T12:00:00Z', request }] } }));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };

  expect((await run(weir, ['--version'])).stdout.trim()).toBe(version);
  expect((await run(weir, ['import', file, '--data', data])).stdout).toContain('(some.har)');
  expect((await run(weir, ['list', '--data', data, '--json'])).stdout).toContain('http://packed.test/');
});
