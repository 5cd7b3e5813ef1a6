import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { ERROR_CODES, type ExchangeError, type MessageSide } from '#contract';
import { listSegmentFiles, rescueSpool, unlinkQuietly } from './body-files.ts';
import { INLINE_BYTES } from './run-collector.ts';
import { parseSpoolName, type RunKind, type StoreFolder } from './store-folder.ts';

const STOPPED: ExchangeError = {
  code: 'weir.stopped',
  side: ERROR_CODES['weir.stopped'].side,
  phase: ERROR_CODES['weir.stopped'].phase,
  message: 'Weir stopped before this exchange was over. What had been recorded by then is kept.',
};

/**
 * Puts in order what a crash left: exchanges that were active are failed, bodies that were still coming are kept as far as
 * they came, files that no row names are removed.
 *
 * @returns how many exchanges were active
 */
export function recover(database: Database, folder: StoreFolder): number {
  const names = readdirSync(folder.spool);
  // A session that nobody ended: Weir was killed, perhaps between a deletion's commit and its files.
  const killed = database.prepare('SELECT 1 FROM session WHERE ended_at IS NULL AND sample = 0').get() !== undefined;
  const active = database.prepare("SELECT id FROM exchange WHERE state = 'active'").pluck().all() as number[];
  if (names.length === 0 && active.length === 0) {
    if (killed) removeOrphans(database, folder);
    return 0;
  }
  const running = new Set(active);
  for (const name of names) {
    const path = join(folder.spool, name);
    const owner = parseSpoolName(name);
    if (owner !== null && running.has(owner.id)) {
      database
        .transaction(() => {
          keepSpool(database, folder, path, owner);
          if (owner.kind === 'body') restateBodyBytes(database, owner.id, `${owner.side}_body`);
        })
        .immediate();
    }
    unlinkQuietly(path);
  }
  failActive(database);
  removeOrphans(database, folder);
  return active.length;
}

/** Deletes files among the bodies that no row names. */
function removeOrphans(database: Database, folder: StoreFolder): void {
  const isKnown = database.prepare('SELECT 1 FROM segment WHERE hash = ?').pluck();
  for (const { path, hash } of listSegmentFiles(folder)) {
    if (isKnown.get(hash) === undefined) unlinkQuietly(path);
  }
}

function keepSpool(
  database: Database,
  folder: StoreFolder,
  path: string,
  owner: { readonly id: number; readonly side: MessageSide; readonly kind: RunKind },
): void {
  const isShort = statSync(path).size <= INLINE_BYTES;
  const inline = isShort ? readFileSync(path) : null;
  const segment = isShort ? null : useRescued(database, folder, path);
  if (owner.kind === 'messages') {
    database
      .prepare('INSERT OR REPLACE INTO message_run VALUES (?, ?, ?, ?)')
      .run(owner.id, owner.side, segment, inline);
    return;
  }
  const column = `${owner.side}_${owner.kind}`;
  database
    .prepare(`UPDATE exchange_detail SET ${column} = ?, ${column}_segment = ? WHERE exchange_id = ?`)
    .run(inline, segment, owner.id);
}

/** Makes a segment of the file and returns its id. */
function useRescued(database: Database, folder: StoreFolder, path: string): number {
  const segment = rescueSpool(folder, path);
  return database
    .prepare(
      `INSERT INTO segment (hash, bytes, refs) VALUES (?, ?, 1)
       ON CONFLICT (hash) DO UPDATE SET refs = refs + 1 RETURNING id`,
    )
    .pluck()
    .get(segment.hash, segment.bytes) as number;
}

/** The row said how much had come at its last commit; more may have reached the file. */
function restateBodyBytes(database: Database, id: number, column: 'request_body' | 'response_body'): void {
  database
    .prepare(
      `UPDATE exchange SET ${column}_bytes = max(${column}_bytes, coalesce(
         (SELECT length(${column}) FROM exchange_detail WHERE exchange_id = exchange.id),
         (SELECT bytes FROM segment JOIN exchange_detail ON segment.id = ${column}_segment WHERE exchange_id = exchange.id),
         0)) WHERE id = ?`,
    )
    .run(id);
}

function failActive(database: Database): void {
  database
    .transaction(() => {
      database.exec(`
        UPDATE host SET errors = errors + (
          SELECT count(*) FROM exchange
          WHERE state = 'active' AND exchange.session_id = host.session_id
            AND exchange.host = host.host AND exchange.port = host.port)
        WHERE session_id IN (SELECT session_id FROM exchange WHERE state = 'active')`);
      database
        .prepare(
          `UPDATE exchange SET state = 'failed', error = ?,
             bodies = CASE WHEN request_body_bytes + response_body_bytes > 0 THEN 'truncated' ELSE bodies END
           WHERE state = 'active'`,
        )
        .run(JSON.stringify(STOPPED));
    })
    .immediate();
}
