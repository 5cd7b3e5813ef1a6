import { renameSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { migrate, requireCurrentVersion } from './migrations/migrate.ts';
import { codeOf, StoreError, surroundingsOf } from './store-error.ts';
import type { StoreFolder } from './store-folder.ts';

const BUSY_MS = 2_000;
const WAL_LIMIT_BYTES = 67_108_864;

/**
 * Opens the database for the one writer, makes it when it is missing and brings it to this version.
 *
 * `synchronous = NORMAL` in WAL mode: a commit is safe from a crash of Weir at once (the system holds it), and from a
 * power cut once a checkpoint has synced it, which happens every few megabytes. The database opens without repair either
 * way; a power cut loses whole last commits, never parts of one.
 *
 * @returns the file that a damaged database was set aside as, or null
 * @throws StoreError or an error of SQLite or the file system; see `surroundingsOf`
 */
export function openForWriting(folder: StoreFolder, nowMs: number): { database: Connection; setAside: string | null } {
  folder.make();
  try {
    return { database: openAndMigrate(folder), setAside: null };
  } catch (error: unknown) {
    if (surroundingsOf(error)?.code !== 'damaged') throw error;
    const setAside = setDamagedAside(folder, nowMs);
    folder.make();
    return { database: openAndMigrate(folder), setAside };
  }
}

/**
 * Opens the database for reading, also while a writer writes.
 * @throws StoreError `missing`, `older`, `newer` or `damaged`
 */
export function openForReading(folder: StoreFolder): Connection {
  let database: Connection;
  try {
    database = new Database(folder.database, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
  } catch (error: unknown) {
    throw new StoreError('missing', `There is no capture in ${folder.root}.`, { cause: error });
  }
  try {
    requireCurrentVersion(database);
    return database;
  } catch (error: unknown) {
    database.close();
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      surroundingsOf(error)?.code ?? 'failed',
      `The capture in ${folder.root} cannot be read (${codeOf(error)}).`,
      {
        cause: error,
      },
    );
  }
}

function openAndMigrate(folder: StoreFolder): Connection {
  const database = new Database(folder.database, { timeout: BUSY_MS });
  try {
    // Only an empty file takes this; it must come before the first table.
    database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    // A checkpoint waits for the disk; a thread of its own does that (checkpointer.ts).
    database.pragma('wal_autocheckpoint = 0');
    database.pragma(`journal_size_limit = ${String(WAL_LIMIT_BYTES)}`);
    migrate(database);
    return database;
  } catch (error: unknown) {
    database.close();
    throw error;
  }
}

/** A damaged database is kept under another name: someone may want to rescue what is in it. */
export function setDamagedAside(folder: StoreFolder, nowMs: number): string {
  const aside = join(folder.root, `damaged-${String(nowMs)}.db`);
  renameSync(folder.database, aside);
  for (const suffix of ['-wal', '-shm']) {
    try {
      renameSync(`${folder.database}${suffix}`, `${aside}${suffix}`);
    } catch (error: unknown) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return aside;
}
