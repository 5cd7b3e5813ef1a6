import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';

/** A Chromium that tests start, by playwright-core or as a program. */
export interface TestBrowser {
  readonly executablePath: string;
  /** What this machine needs for it to start; put before a test's own arguments. */
  readonly args: readonly string[];
  /** `installed`: found on this machine; `packaged`: unpacked from the npm package. */
  readonly source: 'installed' | 'packaged';
}

const ROOT = resolve(import.meta.dirname, '../..');

/** Chromium without windows. It draws the same pages and starts in a third of the time. */
const SHELLS = ['chrome-headless-shell', 'chromium-headless-shell'];

const NAMES = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'microsoft-edge'];

const USUAL_PLACES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((variable) => {
    const folder = process.env[variable];
    if (folder === undefined) return [];
    return [
      join(folder, 'Google/Chrome/Application/chrome.exe'),
      join(folder, 'Microsoft/Edge/Application/msedge.exe'),
    ];
  }),
};

let found: Promise<TestBrowser> | null = null;

/**
 * The browser for tests of pages, which need no window: `WEIR_TEST_BROWSER` if set, an installed headless shell, or what
 * `browserForTests` finds.
 * @throws Error as `browserForTests` does
 */
export async function browserForPages(): Promise<TestBrowser> {
  const shell = process.env['WEIR_TEST_BROWSER'] === undefined ? installed(SHELLS) : undefined;
  return shell === undefined ? browserForTests() : { executablePath: shell, args: sandboxArgs(), source: 'installed' };
}

/**
 * The browser for tests: `WEIR_TEST_BROWSER` if set, an installed Chrome, Chromium or Edge, or the packaged one.
 * @throws Error when none can be started here, naming what was tried
 */
export function browserForTests(): Promise<TestBrowser> {
  found ??= find();
  return found;
}

async function find(): Promise<TestBrowser> {
  const wanted = process.env['WEIR_TEST_BROWSER'];
  const executablePath =
    wanted === 'packaged' ? undefined : (wanted ?? installed(NAMES, USUAL_PLACES[process.platform]));
  if (executablePath !== undefined) return { executablePath, args: sandboxArgs(), source: 'installed' };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `No Chrome, Chromium or Edge was found (${NAMES.join(', ')}), and the packaged one runs on Linux x64 only. ` +
        'Install one of them, or set WEIR_TEST_BROWSER to its path.',
    );
  }
  return { executablePath: await unpackPackaged(), args: ['--no-sandbox', '--no-zygote'], source: 'packaged' };
}

/** Chromium's own sandbox refuses to run as root. */
function sandboxArgs(): readonly string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

/** The first of these programs in PATH's folders, else in other places. */
function installed(names: readonly string[], places: readonly string[] = []): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...places].find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Unpacks @sparticuz/chromium with the libraries and fonts that it carries, once a version, and gives a script that
 * starts it with them. Several processes may do this at once: each unpacks aside, the first to finish wins.
 */
async function unpackPackaged(): Promise<string> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const folder = dirname(dirname(entry));
  const { version } = require(join(folder, 'package.json')) as { version: string };
  const home = join(ROOT, '.cache', 'chromium', version);
  const launcher = join(home, 'start');
  if (existsSync(launcher)) return launcher;

  await mkdir(dirname(home), { recursive: true });
  const aside = await mkdtemp(`${home}-`);
  try {
    // The package unpacks into the temporary folder of its process, so it gets a process with one of its own.
    const program = `
      const { inflate } = await import(${JSON.stringify(entry)});
      const files = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br'];
      await Promise.all(files.map((file) => inflate(${JSON.stringify(`${folder}/bin/`)} + file)));`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, TMPDIR: aside },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0)
      throw new Error(`The packaged Chromium could not be unpacked to ${aside} (exit code ${String(code)}).`);
    const script = [
      '#!/bin/sh',
      'here=$(dirname "$(readlink -f "$0")")',
      'export LD_LIBRARY_PATH="$here/al2023/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"',
      'export FONTCONFIG_PATH="$here/fonts"',
      'exec "$here/chromium" "$@"',
      '',
    ].join('\n');
    await writeFile(join(aside, 'start'), script);
    await chmod(join(aside, 'start'), 0o755);
    await rename(aside, home).catch((error: unknown) => {
      if (!existsSync(launcher)) throw error; // otherwise another process was first
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return launcher;
}
