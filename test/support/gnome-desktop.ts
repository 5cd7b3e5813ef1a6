import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAMS = ['dbus-daemon', 'gsettings', 'dconf', 'certutil'];

/** GNOME's settings for real: a session bus of its own and dconf's database in a fresh home folder. */
export interface GnomeDesktop {
  /** What programs of this desktop have in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Every value that is set in dconf below the proxy's folder, as text; empty when nothing is. */
  dump(): Promise<string>;
  /** @param args as for `gsettings` */
  settings(...args: readonly string[]): Promise<string>;
  /** Resolves when `wanted` finds what it looks for in the dump: `dconf watch` says when to look. */
  until(wanted: (dump: string) => boolean): Promise<void>;
  /** Makes the database in which Chromium looks for authorities, and answers its folder. */
  makeBrowserDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** The programs that are missing here and the packages that bring them; null when nothing is. */
export function missingForGnome(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing = PROGRAMS.filter((program) => !folders.some((folder) => isExecutable(join(folder, program))));
  if (missing.length === 0) return null;
  return `${missing.join(', ')} missing: apt-get install dbus dconf-cli dconf-gsettings-backend libglib2.0-bin gsettings-desktop-schemas libnss3-tools`;
}

export async function startGnomeDesktop(): Promise<GnomeDesktop> {
  const home = await mkdtemp(join(tmpdir(), 'weir-gnome-'));
  const base = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_RUNTIME_DIR: join(home, 'runtime'),
    XDG_CURRENT_DESKTOP: 'GNOME',
    GSETTINGS_BACKEND: 'dconf',
    PATH: process.env['PATH'] ?? '',
  };
  await Promise.all([base.XDG_CONFIG_HOME, base.XDG_RUNTIME_DIR].map((path) => mkdir(path, { mode: 0o700 })));
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
    env: base,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [address] = (await once(createInterface({ input: bus.stdout }), 'line')) as [string];
  const environment = { ...base, DBUS_SESSION_BUS_ADDRESS: address };
  const dump = async (): Promise<string> =>
    (await run('dconf', ['dump', '/system/proxy/'], { env: environment })).stdout;
  return {
    environment,
    dump,
    async settings(...args) {
      return (await run('gsettings', [...args], { env: environment })).stdout.trim();
    },
    async until(wanted) {
      const watch = spawn('dconf', ['watch', '/system/proxy/'], {
        env: environment,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const ended = once(watch, 'exit');
      try {
        await once(watch, 'spawn');
        if (wanted(await dump())) return;
        for await (const line of createInterface({ input: watch.stdout })) {
          if (line.startsWith('/') && wanted(await dump())) return;
        }
      } finally {
        watch.kill();
        await ended;
      }
    },
    async makeBrowserDatabase() {
      const folder = join(home, '.pki', 'nssdb');
      await mkdir(folder, { recursive: true });
      await run('certutil', ['-N', '-d', `sql:${folder}`, '--empty-password']);
      return folder;
    },
    async stop() {
      const ended = once(bus, 'exit');
      bus.kill();
      await ended;
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
