import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface InstallOptions {
  /** Folder of the `electron` npm package. */
  readonly packageFolder: string;
  /** File that remembers a failure, so that the next start does not try again at once. */
  readonly memory: string;
  /** Takes what a person should read: whole lines, or a line that replaces the one before. */
  readonly say: (text: string) => void;
  readonly progress: (text: string) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Aborted when the person does not want to wait. */
  readonly signal: AbortSignal;
}

/** Null when Electron is there now, else why not, for a person. */
type Refusal = string | null;

const ABOUT_MEGABYTES = 125;
const MEBIBYTE = 1_048_576;
/** A failure is remembered this long. */
const MEMORY_MS = 7 * 24 * 60 * 60 * 1000;
/** Without a new byte for this long the download is given up. */
const STALL_MS = 30_000;

/**
 * Runs Electron's own installer, once: a failure is remembered for a week, for this version of Electron.
 *
 * @returns null when it succeeded, else the reason and what to do
 */
export async function installElectron(options: InstallOptions): Promise<Refusal> {
  const { version } = JSON.parse(readFileSync(join(options.packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const again = `To try again: node ${join(options.packageFolder, 'install.js')}`;
  const remembered = recall(options, version);
  if (remembered !== null) return `${remembered} ${again}`;

  options.say(
    `Fetching Electron ${version} once (about ${String(ABOUT_MEGABYTES)} MB). Ctrl-C opens the browser instead.`,
  );
  const reason = await runInstaller(options);
  if (reason === null) return null;
  remember(options, version, reason);
  return `${reason} ${again}`;
}

async function runInstaller(options: InstallOptions): Promise<Refusal> {
  // The installer downloads into the temporary folder; one of its own shows how far it is.
  const folder = mkdtempSync(join(tmpdir(), 'weir-electron-'));
  const { ELECTRON_RUN_AS_NODE: _unused, ...environment } = process.env;
  const child = spawn(process.execPath, [join(options.packageFolder, 'install.js')], {
    env: { ...environment, TMPDIR: folder, TEMP: folder, TMP: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C is answered here; the installer must not hear it first.
    detached: process.platform !== 'win32',
  });
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => (errors = `${errors}${bytes.toString()}`.slice(-4_000)));
  let stalled = false;
  let bytes = 0;
  let grownAt = options.now();
  const watch = setInterval(() => {
    const size = folderBytes(folder) + folderBytes(join(options.packageFolder, 'dist'));
    if (size !== bytes) grownAt = options.now();
    bytes = size;
    const megabytes = Math.round(bytes / MEBIBYTE);
    options.progress(
      megabytes > ABOUT_MEGABYTES ? 'unpacking' : `${String(megabytes)} of about ${String(ABOUT_MEGABYTES)} MB`,
    );
    if (options.now() - grownAt > STALL_MS) {
      stalled = true;
      child.kill();
    }
  }, 500);
  const stop = (): void => {
    child.kill();
  };
  options.signal.addEventListener('abort', stop, { once: true });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => {
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearInterval(watch);
  options.signal.removeEventListener('abort', stop);
  rmSync(folder, { recursive: true, force: true });
  if (code === 0) return null;
  if (options.signal.aborted) return 'Fetching Electron was stopped.';
  if (stalled) return `Fetching Electron stalled: no data for ${String(STALL_MS / 1000)} s.`;
  const [line = 'no reason given'] = errors.trim().split('\n');
  return `Electron could not be fetched (${line}).`;
}

/** What failed lately, or null. */
function recall(options: InstallOptions, version: string): Refusal {
  try {
    const memory = JSON.parse(readFileSync(options.memory, 'utf8')) as Partial<Record<string, unknown>>;
    const { at, reason } = memory;
    if (memory['version'] !== version || typeof at !== 'number' || typeof reason !== 'string') return null;
    return options.now() - at < MEMORY_MS ? reason : null;
  } catch {
    return null;
  }
}

function remember(options: InstallOptions, version: string, reason: string): void {
  try {
    mkdirSync(dirname(options.memory), { recursive: true });
    writeFileSync(options.memory, JSON.stringify({ version, at: options.now(), reason }));
  } catch {
    // Then the next start tries again.
  }
}

function folderBytes(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
      (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  } catch {
    return 0;
  }
}
