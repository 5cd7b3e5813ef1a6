import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { browserArguments, isHeadless, QUIET_PREFERENCES } from './browser-arguments.ts';
import { BrowserError, type BrowserCandidate, type BrowserSurroundings } from './browser.ts';

export interface BrowserRequest {
  readonly browser: BrowserCandidate;
  readonly surroundings: BrowserSurroundings;
  /** Folder in which each browser gets a profile folder of its own. */
  readonly profiles: string;
  readonly proxy: { readonly host: string; readonly port: number };
  /** SHA-256 of our authority's public key, base64. */
  readonly authorityKeyHash: string;
  /** First page; null for an empty one. */
  readonly url: string | null;
  readonly asRoot: boolean;
}

/** A browser that runs. */
export interface RunningBrowser {
  readonly name: string;
  readonly pid: number;
  /** Resolves when it has ended and its profile is deleted. */
  readonly closed: Promise<void>;
  /** Ends it; resolves as `closed` does. */
  close(): Promise<void>;
}

const PROFILE_PREFIX = 'profile-';
/** Helper processes write into a profile for a moment after the browser ended. */
const DELETE_RETRIES = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

/**
 * Starts a browser with a fresh profile behind the proxy. The profile is deleted when the browser ends.
 * @throws BrowserError `no-display` or `not-started`
 */
export async function openBrowser(request: BrowserRequest): Promise<RunningBrowser> {
  const { browser, surroundings } = request;
  demandDisplay(surroundings);
  await mkdir(profileRoot(request), { recursive: true, mode: 0o700 });
  const profile = await mkdtemp(join(profileRoot(request), PROFILE_PREFIX));
  await mkdir(join(profile, 'Default'));
  await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(QUIET_PREFERENCES));
  const args = browserArguments({ ...request, profile, environment: surroundings.environment });
  // A process group of its own: its helpers can be ended with it, and Ctrl-C in our terminal is not theirs.
  const child = spawn(browser.path, args, { stdio: 'ignore', detached: true, env: surroundings.environment });
  const ended = once(child, 'exit');
  const closed = ended.catch(() => undefined).then(() => rm(profile, DELETE_RETRIES));
  try {
    await once(child, 'spawn');
  } catch (error: unknown) {
    await closed;
    const reason = error instanceof Error ? error.message : String(error);
    throw new BrowserError('not-started', `${browser.name} (${browser.path}) could not be started: ${reason}.`, {
      cause: error,
    });
  }
  child.unref();
  return {
    name: browser.name,
    pid: child.pid ?? 0,
    closed,
    close: () => {
      end(child);
      return closed;
    },
  };
}

/** Deletes the profiles of browsers that ended while no Weir was there to do it. */
export async function removeStaleProfiles(profiles: string): Promise<void> {
  const names = await readdir(profiles).catch(() => []);
  for (const name of names.filter((entry) => entry.startsWith(PROFILE_PREFIX))) {
    const profile = join(profiles, name);
    if (!(await isInUse(profile))) await rm(profile, DELETE_RETRIES);
  }
}

/** Chromium marks a profile in use by a link to `host-pid`; on Windows its files cannot be deleted while they are open. */
async function isInUse(profile: string): Promise<boolean> {
  const target = await readlink(join(profile, 'SingletonLock')).catch(() => '');
  const pid = Number(/-(\d+)$/.exec(target)?.[1] ?? 0);
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A browser from a snap sees of the home folder only its own part. */
function profileRoot(request: BrowserRequest): string {
  const snap = /^\/snap\/bin\/([^/]+)$/.exec(request.browser.path)?.[1];
  return snap === undefined ? request.profiles : join(request.surroundings.home, 'snap', snap, 'common', 'weir');
}

function demandDisplay({ platform, environment }: BrowserSurroundings): void {
  if (platform === 'darwin' || platform === 'win32') return;
  if (environment['DISPLAY'] || environment['WAYLAND_DISPLAY'] || isHeadless(environment)) return;
  throw new BrowserError(
    'no-display',
    'There is no display to open a browser on (neither DISPLAY nor WAYLAND_DISPLAY is set). Start Weir in a desktop session, use the terminal line instead, or set WEIR_BROWSER_ARGS=--headless=new for a browser without a window.',
  );
}

function end(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid, 'SIGTERM');
  } catch {
    // It ended in between.
  }
}
