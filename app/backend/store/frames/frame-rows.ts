import type { Database, Statement } from 'better-sqlite3';
import type { ExchangeId } from '#contract';
import type { FrameChunk } from './frame-chunks.ts';

/** Frames of one connection that are kept: the newest. */
const KEPT_FRAMES = 10_000;

/** Writes frames as rows, inside a transaction that the caller holds. */
export class FrameRows {
  readonly #insert: Statement;
  readonly #forget: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT OR REPLACE INTO http2_frames VALUES (?, ?, ?, ?, ?)');
    // A row's first frame is no younger than its last: said too, the key leads to the old rows alone.
    this.#forget = database.prepare(
      'DELETE FROM http2_frames WHERE connection_id = :connection AND sequence <= :last AND last <= :last',
    );
  }

  /** @param newest the youngest exchange by now */
  write({ connection, first, last, packed }: FrameChunk, newest: ExchangeId): void {
    this.#insert.run(connection, first, last, newest, packed);
    if (last > KEPT_FRAMES) this.#forget.run({ connection, last: last - KEPT_FRAMES });
  }
}

/**
 * Deletes the frames of a time whose exchanges retention has deleted, but for those of connections that carried exchanges
 * which stay.
 *
 * @param upTo the youngest exchange that went
 */
export function dropFramesUpTo(database: Database, upTo: ExchangeId): void {
  database
    .prepare(
      `DELETE FROM http2_frames WHERE newest_exchange <= :upTo AND connection_id NOT IN (
         SELECT client_connection FROM exchange_detail WHERE exchange_id <= :upTo
         UNION ALL
         SELECT origin_connection FROM exchange_detail WHERE exchange_id <= :upTo AND origin_connection IS NOT NULL)`,
    )
    .run({ upTo });
}

/** Deletes the frames of a session's connections that no other session knows. */
export function dropFramesOf(database: Database, session: number): void {
  database
    .prepare(
      `DELETE FROM http2_frames WHERE connection_id IN (SELECT id FROM connection WHERE session_id = :session)
         AND connection_id NOT IN (SELECT id FROM connection WHERE session_id <> :session)`,
    )
    .run({ session });
}
