import type { Database } from 'better-sqlite3';
import { unlinkQuietly } from './body-files.ts';
import type { StoreFolder } from './store-folder.ts';

const ROWS_A_STEP = 1_000;
const PAGES_A_STEP = 2_000;

const SEGMENT_COLUMNS = [
  'request_body_segment',
  'response_body_segment',
  'request_framing_segment',
  'response_framing_segment',
] as const;

/**
 * Deletes what belongs to sessions that have no row any more, a piece at a time, and gives the disk space back. Stopping
 * between two pieces (or a crash there) leaves nothing wrong: the next purge goes on.
 *
 * @param pause lets commits of traffic come between two pieces
 */
export async function purge(database: Database, folder: StoreFolder, pause: () => Promise<void>): Promise<void> {
  for (let session = nextGone(database); session !== null; session = nextGone(database)) {
    while (deleteSome(database, folder, session)) await pause();
  }
  while (shrinkSome(database)) await pause();
}

/** The first session id that exchanges, connections or hosts name and that no session has. */
function nextGone(database: Database): number | null {
  for (const table of ['exchange', 'connection', 'host']) {
    const next = database.prepare(`SELECT min(session_id) FROM ${table} WHERE session_id > ?`).pluck();
    const exists = database.prepare('SELECT 1 FROM session WHERE id = ?').pluck();
    for (let id = next.get(-1) as number | null; id !== null; id = next.get(id) as number | null) {
      if (exists.get(id) === undefined) return id;
    }
  }
  return null;
}

/** False once nothing of the session is left. */
function deleteSome(database: Database, folder: StoreFolder, session: number): boolean {
  const hashes: Buffer[] = [];
  const more = database
    .transaction(() => {
      const ids = database
        .prepare('SELECT id FROM exchange WHERE session_id = ? LIMIT ?')
        .pluck()
        .all(session, ROWS_A_STEP) as number[];
      if (ids.length === 0) {
        keepWatermark(database, 'connection', session);
        database.prepare('DELETE FROM connection WHERE session_id = ?').run(session);
        database.prepare('DELETE FROM host WHERE session_id = ?').run(session);
        return false;
      }
      keepWatermark(database, 'exchange', session);
      const detail = database
        .prepare(`SELECT ${SEGMENT_COLUMNS.join(', ')} FROM exchange_detail WHERE exchange_id = ?`)
        .raw();
      const release = database.prepare('UPDATE segment SET refs = refs - 1 WHERE id = ? RETURNING refs').pluck();
      const dropSegment = database.prepare('DELETE FROM segment WHERE id = ? RETURNING hash').pluck();
      const dropDetail = database.prepare('DELETE FROM exchange_detail WHERE exchange_id = ?');
      const dropExchange = database.prepare('DELETE FROM exchange WHERE id = ?');
      for (const id of ids) {
        for (const segment of (detail.get(id) as (number | null)[] | undefined) ?? []) {
          if (segment === null || release.get(segment) !== 0) continue;
          hashes.push(dropSegment.get(segment) as Buffer);
        }
        dropDetail.run(id);
        dropExchange.run(id);
      }
      return true;
    })
    .immediate();
  // Files go after the rows: a file without a row is swept up, a row without a file would be a loss.
  for (const hash of hashes) unlinkQuietly(folder.segment(hash));
  return more;
}

/** Ids must never come back, also when the newest rows are deleted. */
function keepWatermark(database: Database, table: 'exchange' | 'connection', session: number): void {
  database
    .prepare(
      `UPDATE watermark SET ${table} = max(${table}, coalesce((SELECT max(id) + 1 FROM ${table} WHERE session_id = ?), 0))`,
    )
    .run(session);
}

function shrinkSome(database: Database): boolean {
  const free = (): number => database.pragma('freelist_count', { simple: true }) as number;
  if (free() === 0) return false;
  database.pragma(`incremental_vacuum(${String(PAGES_A_STEP)})`);
  return free() > 0;
}
