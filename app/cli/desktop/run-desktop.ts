import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT_FOLDER } from '../../backend/place.ts';
import { findElectron } from './electron-binary.ts';
import { installElectron } from './install-electron.ts';

export interface DesktopOptions {
  readonly dataFolder: string;
  /** Absolute paths of files that the window imports. */
  readonly files: readonly string[];
  /** Takes lines for a person. */
  readonly say: (text: string) => void;
}

/** The window was there until it was closed, or it cannot be and `why` tells a person. */
export type DesktopOutcome =
  { readonly kind: 'ran'; readonly exitCode: number } | { readonly kind: 'unavailable'; readonly why: string };

/** An Electron that ends with an error so soon never showed a window. */
const EARLY_MS = 5_000;

/** Shows the desktop window and waits until it is closed; fetches Electron first when it is missing and may be fetched. */
export async function runDesktop(options: DesktopOptions): Promise<DesktopOutcome> {
  const obstacle = findObstacle(process.platform, process.env, process.getuid?.());
  if (obstacle !== null) return { kind: 'unavailable', why: obstacle };
  // The installed command runs on the desktop app's own executable.
  if ('electron' in process.versions) return start(process.execPath, [], options);
  const packageFolder = join(ROOT_FOLDER, 'node_modules', 'electron');
  let electron = findElectron(packageFolder);
  if (electron === null) {
    if (process.env['WEIR_ELECTRON_DOWNLOAD'] === 'never') {
      return {
        kind: 'unavailable',
        why: 'Electron is not installed and WEIR_ELECTRON_DOWNLOAD says never to fetch it.',
      };
    }
    const refusal = await fetchElectron(packageFolder, options.say);
    if (refusal !== null) return { kind: 'unavailable', why: refusal };
    electron = findElectron(packageFolder);
    if (electron === null) return { kind: 'unavailable', why: "Electron's installer left no executable." };
  }
  return start(electron, [ROOT_FOLDER], options);
}

/** Why no window can be shown here at all, whatever is installed; null when it can. */
export function findObstacle(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
  userId: number | undefined,
): string | null {
  if (platform !== 'linux') return null;
  if (!environment['DISPLAY'] && !environment['WAYLAND_DISPLAY']) return 'There is no display for a window here.';
  if (userId === 0) return 'A desktop window does not run as root.';
  return null;
}

async function fetchElectron(packageFolder: string, say: (text: string) => void): Promise<string | null> {
  const live = process.stderr.isTTY;
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
  };
  process.once('SIGINT', stop);
  try {
    return await installElectron({
      packageFolder,
      memory: join(ROOT_FOLDER, '.cache', 'electron-install.json'),
      say,
      progress: (text) => {
        if (live) process.stderr.write(`\r\x1b[KFetching Electron: ${text}`);
      },
      now: () => Date.now(),
      signal: stopping.signal,
    });
  } finally {
    process.off('SIGINT', stop);
    if (live) process.stderr.write('\r\x1b[K');
  }
}

async function start(
  electron: string,
  app: readonly string[],
  { dataFolder, files }: DesktopOptions,
): Promise<DesktopOutcome> {
  const { ELECTRON_RUN_AS_NODE: _unused, ...environment } = process.env;
  const began = performance.now();
  const child = spawn(electron, [...app, `--data=${dataFolder}`, ...files], { stdio: 'inherit', env: environment });
  const forward = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  process.on('SIGTERM', forward);
  // A terminal's Ctrl-C has reached the window's process too; it quits in its own time and this one waits.
  const wait = (): void => undefined;
  process.on('SIGINT', wait);
  const ended = await new Promise<{ code: number | null; error: string | null }>((resolve) => {
    child.once('error', (error) => {
      resolve({ code: null, error: error.message });
    });
    child.once('exit', (code) => {
      resolve({ code, error: null });
    });
  });
  process.off('SIGTERM', forward);
  process.off('SIGINT', wait);
  if (ended.error !== null) return { kind: 'unavailable', why: `Electron could not be started: ${ended.error}.` };
  const exitCode = ended.code ?? 1;
  if (exitCode !== 0 && performance.now() - began < EARLY_MS) {
    return { kind: 'unavailable', why: `Electron ended at once with exit code ${String(exitCode)}.` };
  }
  return { kind: 'ran', exitCode };
}
