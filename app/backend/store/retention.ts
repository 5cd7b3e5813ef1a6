import type { Database } from 'better-sqlite3';
import type { ExchangeId, RetentionSettings } from '#contract';
import type { ExchangeEdits } from './exchange-edits.ts';
import { deleteRows, ROWS_A_STEP, type Pause } from './purge.ts';
import { readSpace } from './space.ts';
import type { StoreFolder } from './store-folder.ts';

const MICROSECONDS_A_DAY = 86_400_000_000;

/** Exchanges that retention may delete: ended, not pinned, not invented. */
const DELETABLE = `pinned = 0 AND state <> 'active' AND session_id IN (SELECT id FROM session WHERE sample = 0)`;

/**
 * Deletes the oldest exchanges until the capture keeps within age, count and bytes. Pinned exchanges, running ones and
 * sample traffic stay. Each step is a transaction; a crash between two leaves nothing wrong.
 *
 * @param now microseconds since the Unix epoch
 * @returns how many were deleted
 */
export async function enforceRetention(
  database: Database,
  folder: StoreFolder,
  edits: ExchangeEdits,
  retention: RetentionSettings,
  now: number,
  pause: Pause,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const ids = nextToGo(database, folder, retention, now);
    if (ids.length === 0) return deleted;
    deleteRows(database, folder, ids, () => {
      edits.count(ids, -1);
    });
    deleted += ids.length;
    await pause();
  }
}

/** The oldest exchanges that are too many, at most a step of them. */
function nextToGo(
  database: Database,
  folder: StoreFolder,
  { days, bytes, exchanges }: RetentionSettings,
  now: number,
): ExchangeId[] {
  const oldest = (condition: string, limit: number, ...parameters: number[]): ExchangeId[] =>
    database
      .prepare(`SELECT id FROM exchange WHERE ${condition} AND ${DELETABLE} ORDER BY id LIMIT ?`)
      .pluck()
      .all(...parameters, limit) as ExchangeId[];
  if (days > 0) {
    const eldest = now - days * MICROSECONDS_A_DAY;
    // What was imported is as old as its import.
    const sessions = database.prepare('SELECT id FROM session WHERE sample = 0 AND kept_from < ?').pluck().all(eldest);
    for (const session of sessions as number[]) {
      const tooOld = oldest('session_id = ? AND started_at < ?', ROWS_A_STEP, session, eldest);
      if (tooOld.length > 0) return tooOld;
    }
  }
  if (exchanges > 0) {
    const kept = database.prepare('SELECT coalesce(sum(exchanges), 0) FROM session WHERE sample = 0').pluck();
    const tooMany = (kept.get() as number) - exchanges;
    if (tooMany > 0) return oldest('session_id > 0', Math.min(ROWS_A_STEP, tooMany));
  }
  if (bytes > 0) {
    const { rowBytes, bodyBytes, exchanges: stored } = readSpace(database, folder);
    const used = rowBytes + bodyBytes;
    // About as many as the surplus holds, so that a little too much does not cost a thousand exchanges.
    const surplus = Math.ceil(((used - bytes) / Math.max(1, used)) * stored);
    if (used > bytes) return oldest('session_id > 0', Math.max(1, Math.min(ROWS_A_STEP, surplus)));
  }
  return [];
}
