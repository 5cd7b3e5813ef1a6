import type { Database } from 'better-sqlite3';
import type { ExchangeId, RetentionSettings, SessionId } from '#contract';
import type { ExchangeEdits } from './exchange-edits.ts';
import { purge, purgeHidden, ROWS_A_STEP } from './purge.ts';
import { enforceRetention } from './retention.ts';
import type { StoreFolder } from './store-folder.ts';

/** Deleted rows can be brought back at least this long. */
const UNDO_MS = 60_000;
const RETENTION_EVERY_MS = 60_000;
/** While traffic is being recorded, a piece of work is followed by a rest of so many times its length. */
const REST_SHARE = 3;

const UNLIMITED: RetentionSettings = { days: 0, bytes: 0, exchanges: 0 };

/** What the housekeeper works on, and whom it tells. */
export interface HousekeeperParts {
  readonly database: Database;
  readonly folder: StoreFolder;
  readonly edits: ExchangeEdits;
  /** Microseconds since the Unix epoch. */
  now(): number;
  /** Traffic has come since this was asked last. */
  busy(): boolean;
  /** Rows of these ids are about to be deleted for good. */
  forget(ids: readonly ExchangeId[]): void;
  /** Rows went or moved: counters are to be told again. */
  changed(): void;
  failed(error: unknown): void;
}

/**
 * Deletes and moves many rows, a piece at a time, so that commits of traffic come between two pieces: nothing new may be
 * lost since something old is being deleted. One work follows the other; a crash or a close between two pieces leaves
 * nothing wrong, and the next start goes on.
 */
export class Housekeeper {
  readonly #parts: HousekeeperParts;
  #retention: RetentionSettings = UNLIMITED;
  #last: Promise<unknown> = Promise.resolve();
  #undoTimer: NodeJS.Timeout | null = null;
  #retentionTimer: NodeJS.Timeout | null = null;
  #closed = false;
  /** The limits are being enforced, and the next time for it is left out. */
  #enforcing = false;
  /** When the present piece of work began, `performance.now()`. */
  #pieceBegan = 0;

  constructor(parts: HousekeeperParts) {
    this.#parts = parts;
  }

  /** Deletes what sessions that are gone left behind. */
  purge(): Promise<void> {
    const { database, folder } = this.#parts;
    return this.#queue(() => purge(database, folder, () => this.#pause()));
  }

  /** Rows were taken out of the lists; they are deleted a minute after the last of them. */
  hid(): void {
    if (this.#undoTimer !== null) clearTimeout(this.#undoTimer);
    this.#undoTimer = setTimeout(() => {
      this.#undoTimer = null;
      this.#inBackground(this.#purgeHidden());
    }, UNDO_MS);
    this.#undoTimer.unref();
  }

  /** Keeps the capture within these limits from now on. */
  keepWithin(retention: RetentionSettings): void {
    this.#retention = retention;
    this.#inBackground(this.#enforce());
    this.#retentionTimer ??= setInterval(() => {
      if (!this.#enforcing) this.#inBackground(this.#enforce());
    }, RETENTION_EVERY_MS);
    this.#retentionTimer.unref();
  }

  /** Deletes for good what was deleted, and gives all free space back to the disk. */
  async compact(): Promise<void> {
    if (this.#undoTimer !== null) clearTimeout(this.#undoTimer);
    this.#undoTimer = null;
    await this.#purgeHidden();
    await this.#enforce();
    await this.purge();
    await this.#queue(() => {
      this.#parts.database.pragma('wal_checkpoint(TRUNCATE)');
    });
  }

  /** Moves what one session holds into another, and removes the empty one. */
  async merge(from: SessionId, into: SessionId): Promise<void> {
    const { database, edits } = this.#parts;
    await this.#queue(async () => {
      const next = database
        .prepare(`SELECT id FROM exchange WHERE session_id = ? LIMIT ${String(ROWS_A_STEP)}`)
        .pluck();
      // Facts of connections are looked up by session: they have to be there before the first row is.
      database
        .prepare(
          `INSERT OR IGNORE INTO connection
           SELECT ?, id, side, address, protocol, tls FROM connection WHERE session_id = ?`,
        )
        .run(into, from);
      for (let ids = next.all(from) as ExchangeId[]; ids.length > 0; ids = next.all(from) as ExchangeId[]) {
        edits.move(ids, into);
        await this.#pause();
      }
      database.transaction(() => {
        // The merged session began when the earlier of the two did.
        database
          .prepare(
            `UPDATE session SET started_at = min(session.started_at, merged.started_at),
               kept_from = max(session.kept_from, merged.kept_from)
             FROM (SELECT started_at, kept_from FROM session WHERE id = ?) AS merged WHERE id = ?`,
          )
          .run(from, into);
        database.prepare('DELETE FROM session WHERE id = ?').run(from);
      })();
    });
    await this.purge();
    this.#parts.changed();
  }

  close(): void {
    this.#closed = true;
    if (this.#undoTimer !== null) clearTimeout(this.#undoTimer);
    if (this.#retentionTimer !== null) clearInterval(this.#retentionTimer);
  }

  #purgeHidden(): Promise<void> {
    const { database, folder, forget } = this.#parts;
    return this.#queue(() => purgeHidden(database, folder, forget, () => this.#pause()));
  }

  async #enforce(): Promise<void> {
    const { database, folder, edits, now, changed } = this.#parts;
    let deleted = 0;
    this.#enforcing = true;
    try {
      // In turns: under traffic that never ends it may not end either, and others wait for theirs.
      for (let done = false; !done;) {
        const turn = await this.#queue(() =>
          enforceRetention(
            database,
            folder,
            edits,
            () => this.#retention,
            now(),
            (urgent) => this.#pause(urgent),
          ),
        );
        ({ done } = turn);
        if (turn.deleted > 0) {
          deleted += turn.deleted;
          this.#dropEmptied([...turn.sessions]);
          changed();
        }
      }
    } finally {
      this.#enforcing = false;
    }
    if (deleted > 0) await this.purge();
  }

  /** Not those that nothing was taken from: an import may have begun. Nor those whose rows can still be brought back. */
  #dropEmptied(sessions: readonly SessionId[]): void {
    this.#parts.database
      .prepare(
        `DELETE FROM session WHERE id IN (SELECT value FROM json_each(?)) AND ended_at IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM exchange WHERE session_id IN (session.id, -session.id))`,
      )
      .run(JSON.stringify(sessions));
  }

  /** One work after the other: two that delete at once would wait for each other's rows. */
  #queue<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const next = this.#last.then(() => {
      if (this.#closed) throw new HousekeeperClosed();
      this.#pieceBegan = performance.now();
      return work();
    });
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #pause(urgent = false): Promise<void> {
    const rest = this.#parts.busy() && !urgent ? (performance.now() - this.#pieceBegan) * REST_SHARE : 0;
    await new Promise<void>((resolve) => {
      if (rest > 0) setTimeout(resolve, rest);
      else setImmediate(resolve);
    });
    if (this.#closed) throw new HousekeeperClosed();
    this.#pieceBegan = performance.now();
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      // The next start goes on with it.
      if (!this.#closed) this.#parts.failed(error);
    });
  }
}

/** Work ends here when the store is closed. */
class HousekeeperClosed extends Error {
  override readonly name = 'HousekeeperClosed';

  constructor() {
    super('The store was closed.');
  }
}
