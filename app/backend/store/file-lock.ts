import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

/** An exclusive lock that the operating system ends with this process, however that ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes an exclusive lock on a file of ours, which is made (0600) when it is missing. Node has no file locks; SQLite has
 * them on every platform.
 *
 * @returns null when another holder has it
 * @throws the file system's or SQLite's error when the file cannot be locked at all
 */
export function tryFileLock(path: string): FileLock | null {
  createOnce(path);
  const database = new Database(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error: unknown) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
}

/** Never opens a file that is there: on POSIX, closing it again would drop the locks that this process holds on it. */
function createOnce(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error: unknown) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
