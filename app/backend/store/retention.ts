import type { Database } from 'better-sqlite3';
import type { ExchangeId, RetentionSettings } from '#contract';
import type { ExchangeEdits } from './exchange-edits.ts';
import { deleteRows, ROWS_A_STEP, type Pause } from './purge.ts';
import { readSpace } from './space.ts';
import type { StoreFolder } from './store-folder.ts';

const MICROSECONDS_A_DAY = 86_400_000_000;

/**
 * Exchanges that retention may delete: ended, not pinned, not invented. The plus keeps SQLite from an index of sessions, by
 * which it would sort a million rows to find a thousand: they are met in the order in which they stand.
 */
const DELETABLE = `pinned = 0 AND state <> 'active' AND +session_id IN (SELECT id FROM session WHERE sample = 0)`;
/** Past its limit by this much, the capture is brought down as fast as it goes, also at the expense of new traffic. */
const URGENT = 1.5;
/** Space is measured again after at most so many rows: measuring looks at every body. */
const ROWS_A_MEASURE = 10_000;
/** Rows that are deleted before other work of the house has its turn. */
const ROWS_A_TURN = 100_000;

/**
 * Deletes the oldest exchanges until the capture keeps within age, count and bytes. Pinned exchanges, running ones and
 * sample traffic stay. Each step is a transaction; a crash between two leaves nothing wrong.
 *
 * @param now microseconds since the Unix epoch
 * @returns how many were deleted, at most about a hundred thousand, and whether the capture keeps within its limits now
 */
export async function enforceRetention(
  database: Database,
  folder: StoreFolder,
  edits: ExchangeEdits,
  retention: RetentionSettings,
  now: number,
  pause: Pause,
): Promise<{ readonly deleted: number; readonly done: boolean }> {
  const surplus = new Surplus(database, folder, retention);
  let deleted = 0;
  while (deleted < ROWS_A_TURN) {
    const tooOld = oldOnes(database, retention.days, now);
    const ids = tooOld.length > 0 ? tooOld : oldest(database, '+session_id > 0', 'id', surplus.rows());
    if (ids.length === 0) return { deleted, done: true };
    deleteRows(database, folder, ids, () => {
      edits.count(ids, -1);
    });
    deleted += ids.length;
    surplus.deleted(ids.length);
    await pause(surplus.urgent);
  }
  return { deleted, done: false };
}

/** How many of the oldest exchanges have to go, by count and by bytes. */
class Surplus {
  readonly #database: Database;
  readonly #folder: StoreFolder;
  readonly #retention: RetentionSettings;
  /** Rows that may go before space is measured again. */
  #left = 0;
  #urgent = false;

  constructor(database: Database, folder: StoreFolder, retention: RetentionSettings) {
    this.#database = database;
    this.#folder = folder;
    this.#retention = retention;
  }

  /** The capture is so far past a limit that new traffic has to wait. */
  get urgent(): boolean {
    return this.#urgent;
  }

  /** Rows of the next step; 0 when the capture keeps within its limits. */
  rows(): number {
    if (this.#left <= 0) this.#left = Math.min(ROWS_A_MEASURE, this.#measure());
    return Math.min(ROWS_A_STEP, this.#left);
  }

  deleted(rows: number): void {
    this.#left -= rows;
  }

  #measure(): number {
    const { bytes, exchanges } = this.#retention;
    const kept = this.#database.prepare('SELECT coalesce(sum(exchanges), 0) FROM session WHERE sample = 0').pluck();
    const stored = kept.get() as number;
    this.#urgent = exchanges > 0 && stored > exchanges * URGENT;
    if (exchanges > 0 && stored > exchanges) return stored - exchanges;
    if (bytes <= 0) return 0;
    const { rowBytes, bodyBytes } = readSpace(this.#database, this.#folder);
    const used = rowBytes + bodyBytes;
    this.#urgent = used > bytes * URGENT;
    // About as many as the surplus holds, so that a little too much does not cost a thousand exchanges.
    return used > bytes ? Math.max(1, Math.ceil(((used - bytes) / used) * stored)) : 0;
  }
}

function oldOnes(database: Database, days: number, now: number): ExchangeId[] {
  if (days <= 0) return [];
  const eldest = now - days * MICROSECONDS_A_DAY;
  // What was imported is as old as its import.
  const sessions = database.prepare('SELECT id FROM session WHERE sample = 0 AND kept_from < ?').pluck().all(eldest);
  for (const session of sessions as number[]) {
    const ids = oldest(database, 'session_id = ? AND started_at < ?', 'started_at', ROWS_A_STEP, session, eldest);
    if (ids.length > 0) return ids;
  }
  return [];
}

function oldest(
  database: Database,
  condition: string,
  order: 'id' | 'started_at',
  limit: number,
  ...parameters: readonly number[]
): ExchangeId[] {
  if (limit <= 0) return [];
  return database
    .prepare(`SELECT id FROM exchange WHERE ${condition} AND ${DELETABLE} ORDER BY ${order} LIMIT ?`)
    .pluck()
    .all(...parameters, limit) as ExchangeId[];
}
