import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT_FOLDER } from '../backend/place.ts';
import { tell } from './output.ts';

const PROBE_TIMEOUT_MS = 4_000;
/** Marks that Electron's installer was tried for this version, so that it is tried once and not at every start. */
const ATTEMPT_FILE = '.weir-install-attempt';

/** Folder of the `electron` package; null when it is not installed. */
function electronPackage(): string | null {
  try {
    return dirname(createRequire(join(ROOT_FOLDER, 'package.json')).resolve('electron/package.json'));
  } catch {
    return null;
  }
}

/** Path of Electron's program; null when it was not downloaded. Never downloads. */
export function findElectron(): string | null {
  const folder = electronPackage();
  if (folder === null) return null;
  try {
    const name = readFileSync(join(folder, 'path.txt'), 'utf8');
    const path = join(process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(folder, 'dist'), name);
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

/** Why no window can be shown here whatever is installed; null when one can. */
export function windowObstacle(): string | null {
  if (process.platform === 'darwin' || process.platform === 'win32') return null;
  if (!process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return 'There is no display for a window.';
  if (process.getuid?.() === 0) return 'A window is not opened as root, since its pages run in a sandbox.';
  return null;
}

/**
 * Downloads Electron's program by its own installer, once for each version. Ctrl-C ends the attempt and not the command.
 *
 * @returns its path, or why there is none, as a sentence for a person
 */
export async function installElectron(): Promise<{ readonly path: string } | { readonly reason: string }> {
  const folder = electronPackage();
  if (folder === null) return { reason: 'The electron package is not installed.' };
  if (process.env['WEIR_DOWNLOAD'] === 'never' || process.env['CI'] !== undefined) {
    return { reason: 'Electron’s program is not here, and this environment says not to download it.' };
  }
  const version = readVersion(folder);
  const attempt = join(folder, ATTEMPT_FILE);
  if (existsSync(attempt) && readFileSync(attempt, 'utf8') === version) {
    return { reason: `Electron’s program is not here; \`node ${join(folder, 'install.js')}\` fetches it.` };
  }
  const megabytes = await probeDownload(version);
  if (megabytes === null) return { reason: 'Electron’s program is not here, and its download cannot be reached.' };
  try {
    writeFileSync(attempt, version);
  } catch {
    return { reason: `Electron’s program is not here, and ${folder} is not writable.` };
  }
  tell(`Downloading Electron ${version} (${String(megabytes)} MB, once). Ctrl-C opens the inspector in the browser.`);
  const code = await runInstaller(join(folder, 'install.js'));
  const path = findElectron();
  if (path !== null) return { path };
  return { reason: code === null ? 'The download was cancelled.' : 'Electron’s installer failed.' };
}

/** @returns megabytes of the download; null when it cannot be reached quickly */
async function probeDownload(version: string): Promise<number | null> {
  const mirror = process.env['ELECTRON_MIRROR'] ?? 'https://github.com/electron/electron/releases/download/';
  const name = `electron-v${version}-${process.platform}-${process.arch}.zip`;
  try {
    const response = await fetch(`${mirror}v${version}/${name}`, {
      method: 'HEAD',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    const bytes = Number(response.headers.get('content-length') ?? 0);
    return response.ok ? Math.round(bytes / 1_000_000) : null;
  } catch {
    return null;
  }
}

/** @returns its exit code; null when a person ended it */
function runInstaller(script: string): Promise<number | null> {
  return new Promise((resolve) => {
    // It shows its own progress.
    const child = spawn(process.execPath, [script], { stdio: ['ignore', process.stderr, process.stderr] });
    const cancel = (): void => {
      child.kill();
      resolve(null);
    };
    process.once('SIGINT', cancel);
    child.once('error', () => {
      resolve(1);
    });
    child.once('exit', (code) => {
      process.off('SIGINT', cancel);
      resolve(code);
    });
  });
}

function readVersion(folder: string): string {
  const facts: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return typeof facts === 'object' && facts !== null && 'version' in facts ? String(facts.version) : '';
}
