import { closeSync, openSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { PRIVATE_FILE, type StoreFolder } from './store-folder.ts';

/*
 * The full-text index: a file of its own, behind the traffic, which can be made again from the rows at any time.
 *
 * It knows which runs of three bytes occur in an exchange, and not where: that is small, quick to write, and enough to leave
 * out nearly every row that cannot match. Those that remain are looked into, so that a search finds the same with and
 * without it. `stream` says how far each range of ids is indexed, `waiting` which of them were still running by then.
 */

const INDEX_VERSION = 1;
const SCHEMA = `
CREATE VIRTUAL TABLE text USING fts5(body, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
INSERT INTO text (text, rank) VALUES ('automerge', 8);
CREATE TABLE stream (first INTEGER PRIMARY KEY, indexed INTEGER NOT NULL) STRICT;
CREATE TABLE waiting (id INTEGER PRIMARY KEY) STRICT;
PRAGMA user_version = ${String(INDEX_VERSION)};
`;

/**
 * Ids grow within each of these ranges in the order in which exchanges began, a moment aside: those of real traffic, and
 * those of the sample and of all that came to the data folder after it.
 */
export const ID_STREAMS: readonly { readonly first: number; readonly end: number }[] = [
  { first: 0, end: 2 ** 40 },
  { first: 2 ** 40, end: Number.MAX_SAFE_INTEGER },
];

/** Opens the index for its one writer; one that is damaged or of another version is made anew. */
export function openIndexForWriting(folder: StoreFolder): Connection {
  try {
    return open(folder);
  } catch {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${folder.search}${suffix}`, { force: true });
    return open(folder);
  }
}

function open(folder: StoreFolder): Connection {
  closeSync(openSync(folder.search, 'a', PRIVATE_FILE));
  const database = new Database(folder.search);
  try {
    database.pragma('journal_mode = WAL');
    // What a power cut takes is made again.
    database.pragma('synchronous = OFF');
    const version = database.pragma('user_version', { simple: true }) as number;
    if (version === 0) database.exec(SCHEMA);
    else if (version !== INDEX_VERSION) throw new Error('This index is of another version.');
    return database;
  } catch (error: unknown) {
    database.close();
    throw error;
  }
}

/** Opens the index for reading; null while there is none that can be read. */
export function openIndexForReading(folder: StoreFolder): Connection | null {
  try {
    const database = new Database(folder.search, { readonly: true, fileMustExist: true });
    if (database.pragma('user_version', { simple: true }) === INDEX_VERSION) return database;
    database.close();
  } catch {
    // Searches look into every row then.
  }
  return null;
}
