import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { snapOf } from './browser.ts';

const PREFIX = 'profile-';
/** Names the process that a profile is in use by. */
const MARK = 'weir-process';
/** Helper processes write into a profile for a moment after the browser ended. */
const DELETE_RETRIES = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

/** Where profiles of a browser are made. A snap sees of the home folder only its own part. @param usual for every other browser */
export function profileRoot(browserPath: string, home: string, usual: string): string {
  const snap = snapOf(browserPath);
  return snap === null ? usual : join(home, 'snap', snap, 'common', 'weir');
}

/** Makes an empty folder for one profile; until a browser has it, it is in use by this process. */
export async function makeProfile(root: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const profile = await mkdtemp(join(root, PREFIX));
  await markProfile(profile, process.pid);
  return profile;
}

/** Notes that a process uses a profile. @param pid of the browser */
export async function markProfile(profile: string, pid: number): Promise<void> {
  await writeFile(join(profile, MARK), String(pid), { mode: 0o600 });
}

export async function removeProfile(profile: string): Promise<void> {
  await rm(profile, DELETE_RETRIES);
}

/** Deletes the profiles of browsers that ended while no Weir was there to do it. */
export async function removeStaleProfiles(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names.filter((entry) => entry.startsWith(PREFIX))) {
    const profile = join(root, name);
    if (!(await isInUse(profile))) await removeProfile(profile);
  }
}

async function isInUse(profile: string): Promise<boolean> {
  const pid = Number(await readFile(join(profile, MARK), 'utf8').catch(() => ''));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
