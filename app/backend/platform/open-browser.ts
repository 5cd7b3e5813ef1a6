import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publicKeyHash } from '#engine';
import { browserArguments, extraArguments, isHeadless, QUIET_PREFERENCES } from './browser-arguments.ts';
import { makeProfile, markProfile, profileRoot, removeProfile, removeStaleProfiles } from './browser-profiles.ts';
import { BrowserError, type BrowserCandidate, type BrowserSurroundings } from './browser.ts';
import { FIREFOX_ENVIRONMENT, firefoxArguments, writeFirefoxProfile } from './firefox-profile.ts';

export interface BrowserRequest {
  readonly browser: BrowserCandidate;
  readonly surroundings: BrowserSurroundings;
  /** Folder in which each browser gets a profile folder of its own. */
  readonly profiles: string;
  readonly proxy: { readonly host: string; readonly port: number };
  /** The certificate of our authority, PEM. */
  readonly authority: string;
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

/**
 * Starts a browser with a fresh profile behind the proxy. The profile is deleted when the browser ends, and those that a
 * crash left are deleted first.
 *
 * @throws BrowserError `no-display` or `not-started`
 */
export async function openBrowser(request: BrowserRequest): Promise<RunningBrowser> {
  const { browser, surroundings } = request;
  demandDisplay(surroundings);
  const root = profileRoot(browser.path, surroundings.home, request.profiles);
  await removeStaleProfiles(root);
  const profile = await makeProfile(root);
  const start = await prepare(request, profile).catch(async (error: unknown) => {
    await removeProfile(profile);
    throw notStarted(browser, 'its profile could not be made', error);
  });
  // A process group of its own: its helpers can be ended with it, and Ctrl-C in our terminal is not theirs.
  const child = spawn(browser.path, start.args, { stdio: 'ignore', detached: true, env: start.environment });
  const ended = once(child, 'exit');
  const closed = ended.catch(() => undefined).then(() => removeProfile(profile));
  try {
    await once(child, 'spawn');
  } catch (error: unknown) {
    await closed;
    throw notStarted(browser, 'its program does not run', error);
  }
  const pid = child.pid ?? 0;
  // It may have ended already, and its profile with it.
  await markProfile(profile, pid).catch(() => undefined);
  child.unref();
  return {
    name: browser.name,
    pid,
    closed,
    close: () => {
      end(child);
      return closed;
    },
  };
}

interface Start {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** Fills the profile as this kind of browser wants it, and says how it is started. */
async function prepare(request: BrowserRequest, profile: string): Promise<Start> {
  const { environment, platform } = request.surroundings;
  if (request.browser.family === 'firefox') {
    await writeFirefoxProfile({ folder: profile, proxy: request.proxy, authority: request.authority });
    const args = firefoxArguments(profile, request.url, extraArguments(environment), platform);
    return { args, environment: { ...environment, ...FIREFOX_ENVIRONMENT } };
  }
  await mkdir(join(profile, 'Default'));
  await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(QUIET_PREFERENCES));
  const authorityKeyHash = publicKeyHash(request.authority);
  return { args: browserArguments({ ...request, profile, authorityKeyHash, environment }), environment };
}

function notStarted({ name, path }: BrowserCandidate, what: string, error: unknown): BrowserError {
  const reason = error instanceof Error ? error.message : String(error);
  return new BrowserError('not-started', `${name} (${path}) could not be started, ${what}: ${reason}.`, {
    cause: error,
  });
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
