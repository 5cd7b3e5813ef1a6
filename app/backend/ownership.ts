import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import type { DataFolder } from './data-folder.ts';
import { DataFolderError } from './data-folder.ts';
import { writePrivateFile } from './private-file.ts';
import type { FileLock } from './store/file-lock.ts';
import { tryFileLock } from './store/file-lock.ts';

/*
 * One backend per data folder. Who owns a folder is decided by the operating system: the owner holds an exclusive lock
 * on `weir.owner` that ends with its process, however that ends. So there is no stale lock to judge and no race in taking
 * one over. `weir.lock` only tells others how to reach the owner; without an owner it means nothing.
 */

const LOCK_SCHEMA = v.object({
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  url: v.pipe(v.string(), v.url()),
  token: v.pipe(v.string(), v.regex(/^[\w-]{20,200}$/)),
});

/** How to reach the backend that owns a data folder. `url` is its control URL and ends in `/`. */
export type RunningBackend = Readonly<v.InferOutput<typeof LOCK_SCHEMA>>;

/** The right to be the one backend of a data folder. */
export interface Ownership {
  /** Tells other processes of this user how to reach us. */
  announce(running: RunningBackend): void;
  /** Gives the folder up. */
  release(): void;
}

const POLL_MS = 40;

/**
 * Becomes the owner of a data folder, or finds who is. An owner that is just starting or ending is waited for.
 *
 * @param patienceMs how long an owner may take to announce itself
 * @throws DataFolderError when an owner stays silent, or the folder cannot be locked
 */
export async function claimDataFolder(folder: DataFolder, patienceMs = 15_000): Promise<Ownership | RunningBackend> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const ownership = tryToOwn(folder);
    if (ownership !== null) return ownership;
    const running = readLockFile(folder);
    if (running !== null) return running;
    if (Date.now() > deadline) {
      throw new DataFolderError(
        `Another Weir holds the data folder ${folder.path} and does not say how to reach it. ` +
          'Stop that process, or name another folder with --data.',
      );
    }
    await delay(POLL_MS);
  }
}

/** @returns the backend that runs on this folder; null when none does, or when it is not ready */
export function findRunningBackend(folder: DataFolder): RunningBackend | null {
  const running = readLockFile(folder);
  if (running === null) return null;
  const owner = lock(folder.ownerFile);
  if (owner === null) return running;
  owner.release();
  return null;
}

export function isOwnership(claim: Ownership | RunningBackend): claim is Ownership {
  return 'announce' in claim;
}

function tryToOwn(folder: DataFolder): Ownership | null {
  const owner = lock(folder.ownerFile);
  if (owner === null) return null;
  // Left over from an owner that crashed.
  rmSync(folder.lockFile, { force: true });
  return {
    announce(running) {
      writePrivateFile(folder.lockFile, `${JSON.stringify(running)}\n`);
    },
    release() {
      rmSync(folder.lockFile, { force: true });
      owner.release();
    },
  };
}

/** @returns null when another holder has the lock */
function lock(path: string): FileLock | null {
  try {
    return tryFileLock(path);
  } catch (error: unknown) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataFolderError(`The data folder cannot be locked (${path}): ${reason}. Name another with --data.`, {
      cause: error,
    });
  }
}

function readLockFile(folder: DataFolder): RunningBackend | null {
  try {
    const result = v.safeParse(LOCK_SCHEMA, JSON.parse(readFileSync(folder.lockFile, 'utf8')));
    return result.success ? result.output : null;
  } catch {
    return null;
  }
}
