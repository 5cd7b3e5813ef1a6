import type { Database } from 'better-sqlite3';
import type { ExchangeId, RetentionSettings, SessionId } from '#contract';
import type { ExchangeEdits } from './exchange-edits.ts';
import { dropFramesUpTo } from './frames/frame-rows.ts';
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
/** Rows that are deleted before space is measured again, and other work of the house has its turn. */
const ROWS_A_TURN = 10_000;

/** What one turn did. */
export interface RetentionTurn {
  readonly deleted: number;
  /** Sessions that it took rows from. */
  readonly sessions: ReadonlySet<SessionId>;
  /** The capture keeps within its limits now. */
  readonly done: boolean;
}

interface OldRow {
  readonly id: ExchangeId;
  readonly session: SessionId;
}

/**
 * Deletes the oldest exchanges until the capture keeps within age, count and bytes, for one turn. Pinned exchanges, running
 * ones and sample traffic stay. Each step is a transaction; a crash between two leaves nothing wrong.
 *
 * @param limits asked before each step: a person may change them meanwhile, and then the turn ends
 * @param now microseconds since the Unix epoch
 */
export async function enforceRetention(
  database: Database,
  folder: StoreFolder,
  edits: ExchangeEdits,
  limits: () => RetentionSettings,
  now: number,
  pause: Pause,
): Promise<RetentionTurn> {
  const retention = limits();
  const surplus = measureSurplus(database, folder, retention);
  const sessions = new Set<SessionId>();
  let { rows: left, bytes } = surplus;
  let deleted = 0;
  while (deleted < ROWS_A_TURN && limits() === retention) {
    const tooOld = oldOnes(database, retention.days, now);
    const rows = tooOld.length > 0 ? tooOld : oldest(database, '+session_id > 0', 'id', Math.min(ROWS_A_STEP, left));
    // What was measured has gone: it is measured again, unless nothing had to go. Or nothing is left that may go.
    if (rows.length === 0) return { deleted, sessions, done: left > 0 || deleted === 0 };
    for (const { session } of rows) sessions.add(session);
    const ids = rows.map(({ id }) => id);
    const freed = deleteRows(database, folder, ids, () => {
      edits.count(ids, -1);
    });
    dropFramesUpTo(database, Math.max(...ids));
    deleted += ids.length;
    left -= ids.length;
    bytes -= freed;
    // The bodies alone were enough, or may have been.
    if (bytes <= 0) left = 0;
    await pause(surplus.urgent);
  }
  return { deleted, sessions, done: false };
}

/** How much has to go. */
interface Surplus {
  /** About as many of the oldest exchanges. */
  readonly rows: number;
  /** When bodies of so many bytes have gone, it is measured again before more goes; infinite where count decides. */
  readonly bytes: number;
  /** The capture is so far past a limit that new traffic has to wait. */
  readonly urgent: boolean;
}

function measureSurplus(database: Database, folder: StoreFolder, { bytes, exchanges }: RetentionSettings): Surplus {
  const kept = database.prepare('SELECT coalesce(sum(exchanges), 0) FROM session WHERE sample = 0').pluck();
  const stored = kept.get() as number;
  const tooMany = exchanges > 0 ? Math.max(0, stored - exchanges) : 0;
  const space = bytes > 0 ? readSpace(database, folder) : null;
  const used = space === null ? 0 : space.rowBytes + space.bodyBytes;
  const surplus = bytes > 0 ? Math.max(0, used - bytes) : 0;
  // As many as hold so much on average: at least one, so that it ends.
  const tooLarge = surplus > 0 ? Math.max(1, Math.ceil((surplus / used) * stored)) : 0;
  return {
    rows: Math.max(tooMany, tooLarge),
    bytes: tooMany > 0 ? Infinity : surplus,
    urgent: (exchanges > 0 && stored > exchanges * URGENT) || (bytes > 0 && used > bytes * URGENT),
  };
}

function oldOnes(database: Database, days: number, now: number): readonly OldRow[] {
  if (days <= 0) return [];
  const eldest = now - days * MICROSECONDS_A_DAY;
  // What was imported is as old as its import.
  const sessions = database.prepare('SELECT id FROM session WHERE sample = 0 AND kept_from < ?').pluck().all(eldest);
  for (const session of sessions as number[]) {
    const rows = oldest(database, 'session_id = ? AND started_at < ?', 'started_at', ROWS_A_STEP, session, eldest);
    if (rows.length > 0) return rows;
  }
  return [];
}

function oldest(
  database: Database,
  condition: string,
  order: 'id' | 'started_at',
  limit: number,
  ...parameters: readonly number[]
): readonly OldRow[] {
  if (limit <= 0) return [];
  return database
    .prepare(
      `SELECT id, session_id AS session FROM exchange WHERE ${condition} AND ${DELETABLE} ORDER BY ${order} LIMIT ?`,
    )
    .all(...parameters, limit) as OldRow[];
}
