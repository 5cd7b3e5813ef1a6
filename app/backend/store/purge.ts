import type { Database } from 'better-sqlite3';
import type { ExchangeId } from '#contract';
import { unlinkQuietly } from './body-files.ts';
import { dropFramesOf } from './frames/frame-rows.ts';
import type { StoreFolder } from './store-folder.ts';

/** Rows that are deleted in one transaction. */
export const ROWS_A_STEP = 1_000;
const PAGES_A_STEP = 2_000;

const SEGMENT_COLUMNS = [
  'request_body_segment',
  'response_body_segment',
  'request_framing_segment',
  'response_framing_segment',
] as const;

/** Lets commits of traffic come between two pieces of long work; of work that is urgent, one at a time. */
export type Pause = (urgent?: boolean) => Promise<void>;

/**
 * Deletes what belongs to sessions that have no row any more, a piece at a time, and gives the disk space back. Stopping
 * between two pieces (or a crash there) leaves nothing wrong: the next purge goes on.
 */
export async function purge(database: Database, folder: StoreFolder, pause: Pause): Promise<void> {
  for (let session = nextGone(database); session !== null; session = nextGone(database)) {
    while (deleteSome(database, folder, session)) await pause();
  }
  await shrink(database, pause);
}

/**
 * Deletes the rows that were taken out of the lists; from now on they cannot come back.
 * @param forget hears of each piece before it is deleted
 */
export async function purgeHidden(
  database: Database,
  folder: StoreFolder,
  forget: (ids: readonly ExchangeId[]) => void,
  pause: Pause,
): Promise<void> {
  const next = database.prepare(`SELECT id FROM exchange WHERE session_id < 0 LIMIT ${String(ROWS_A_STEP)}`).pluck();
  for (let ids = next.all() as ExchangeId[]; ids.length > 0; ids = next.all() as ExchangeId[]) {
    forget(ids);
    deleteRows(database, folder, ids);
    await pause();
  }
  await shrink(database, pause);
}

/**
 * Deletes rows with all that belongs to them alone, in one transaction.
 * @param also further work of that transaction, before the rows go
 * @returns bytes of bodies that went with them
 */
export function deleteRows(
  database: Database,
  folder: StoreFolder,
  ids: readonly ExchangeId[],
  also: () => void = () => undefined,
): number {
  const hashes: Buffer[] = [];
  let bytes = 0;
  database
    .transaction(() => {
      also();
      keepWatermark(database, 'exchange', Math.max(0, ...ids));
      const detail = database
        .prepare(`SELECT ${SEGMENT_COLUMNS.join(', ')} FROM exchange_detail WHERE exchange_id = ?`)
        .raw();
      const messageRuns = database.prepare('SELECT segment FROM message_run WHERE exchange_id = ?').pluck();
      const release = database.prepare('UPDATE segment SET refs = refs - 1 WHERE id = ? RETURNING refs').pluck();
      const dropSegment = database.prepare('DELETE FROM segment WHERE id = ? RETURNING hash, bytes');
      const dropDetail = database.prepare('DELETE FROM exchange_detail WHERE exchange_id = ?');
      const dropExchange = database.prepare('DELETE FROM exchange WHERE id = ?');
      const dropMessages = database.prepare('DELETE FROM message WHERE exchange_id = ?');
      const dropMessageRuns = database.prepare('DELETE FROM message_run WHERE exchange_id = ?');
      for (const id of ids) {
        const segments = (detail.get(id) as (number | null)[] | undefined) ?? [];
        segments.push(...(messageRuns.all(id) as (number | null)[]));
        for (const segment of segments) {
          if (segment === null || release.get(segment) !== 0) continue;
          const dropped = dropSegment.get(segment) as { readonly hash: Buffer; readonly bytes: number };
          hashes.push(dropped.hash);
          bytes += dropped.bytes;
        }
        dropMessages.run(id);
        dropMessageRuns.run(id);
        dropDetail.run(id);
        dropExchange.run(id);
      }
    })
    .immediate();
  // Files go after the rows: a file without a row is swept up, a row without a file would be a loss.
  for (const hash of hashes) unlinkQuietly(folder.segment(hash));
  return bytes;
}

/** Gives the free pages of the database back to the disk. */
async function shrink(database: Database, pause: Pause): Promise<void> {
  while (shrinkSome(database)) await pause();
}

/** The first session id that exchanges, connections or hosts name and that no session has. */
function nextGone(database: Database): number | null {
  for (const table of ['exchange', 'connection', 'host', 'program']) {
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
  const ids = database
    .prepare('SELECT id FROM exchange WHERE session_id = ? LIMIT ?')
    .pluck()
    .all(session, ROWS_A_STEP) as number[];
  if (ids.length > 0) {
    deleteRows(database, folder, ids);
    return true;
  }
  const last = database.prepare('SELECT max(id) FROM connection WHERE session_id = ?').pluck();
  database
    .transaction(() => {
      keepWatermark(database, 'connection', (last.get(session) as number | null) ?? 0);
      // A connection that a later session adopted is still somebody's.
      database
        .prepare(
          `DELETE FROM client_program WHERE connection_id IN (SELECT id FROM connection WHERE session_id = ?)
             AND connection_id NOT IN (SELECT id FROM connection WHERE session_id <> ?)`,
        )
        .run(session, session);
      dropFramesOf(database, session);
      for (const table of ['connection', 'host', 'program']) {
        database.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(session);
      }
    })
    .immediate();
  return false;
}

/** Ids must never come back, also when the newest rows are deleted. */
function keepWatermark(database: Database, column: 'exchange' | 'connection', last: number): void {
  database.prepare(`UPDATE watermark SET ${column} = max(${column}, ?)`).run(last + 1);
}

function shrinkSome(database: Database): boolean {
  const free = (): number => database.pragma('freelist_count', { simple: true }) as number;
  if (free() === 0) return false;
  database.pragma(`incremental_vacuum(${String(PAGES_A_STEP)})`);
  return free() > 0;
}
