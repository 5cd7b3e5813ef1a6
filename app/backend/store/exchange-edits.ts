import type { Database, Statement } from 'better-sqlite3';
import type { ExchangeId, ExchangeSummary } from '#contract';
import { summaryOfRow, type ExchangeRow } from './summary.ts';

/** Marks to set on rows; absent ones stay. */
export interface MarkChange {
  /** 0 for none, else 1 to 6. */
  readonly label?: number;
  readonly pinned?: boolean;
}

/** A client's connection and the program at its end. */
export interface NamedClient {
  readonly connection: number;
  readonly name: string;
  readonly pid: number;
  /** Empty when the system does not tell. */
  readonly path: string;
}

/** Ids as SQLite takes many of them: one parameter. */
const THESE = 'id IN (SELECT value FROM json_each(?))';

/** A row that counts among the errors of its host, as `Tallies` counts. */
const IS_ERROR = "(state = 'failed' OR (state = 'complete' AND status >= 500))";

interface CountRow {
  readonly session: number;
  readonly host: string;
  readonly port: number;
  readonly program: string;
  readonly exchanges: number;
  readonly errors: number;
}

/** What people do to stored exchanges. Each method is a transaction of its own, or part of the caller's. */
export class ExchangeEdits {
  readonly #database: Database;
  readonly #rows: Statement;
  readonly #counts: Statement;
  readonly #setLabel: Statement;
  readonly #setPinned: Statement;
  readonly #hide: Statement;
  readonly #restore: Statement;
  readonly #move: Statement;
  readonly #tallySession: Statement;
  readonly #tallyHost: Statement;
  readonly #dropHost: Statement;
  readonly #tallyProgram: Statement;
  readonly #dropProgram: Statement;

  constructor(database: Database) {
    this.#database = database;
    this.#rows = database.prepare(`SELECT * FROM exchange WHERE ${THESE} AND session_id > 0`);
    this.#counts = database.prepare(
      `SELECT abs(session_id) AS session, host, port, program, count(*) AS exchanges, sum(${IS_ERROR}) AS errors
       FROM exchange WHERE ${THESE} GROUP BY session_id, host, port, program`,
    );
    this.#setLabel = database.prepare(`UPDATE exchange SET label = ? WHERE ${THESE}`);
    this.#setPinned = database.prepare(`UPDATE exchange SET pinned = ? WHERE ${THESE}`);
    this.#hide = database.prepare(`UPDATE exchange SET session_id = -session_id WHERE ${THESE}`);
    this.#restore = database.prepare(`UPDATE exchange SET session_id = -session_id WHERE ${THESE}`);
    this.#move = database.prepare(`UPDATE exchange SET session_id = ? WHERE ${THESE}`);
    this.#tallySession = database.prepare('UPDATE session SET exchanges = exchanges + ? WHERE id = ?');
    this.#tallyHost = database.prepare(
      `INSERT INTO host VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id, host, port)
       DO UPDATE SET exchanges = exchanges + excluded.exchanges, errors = max(0, errors + excluded.errors)`,
    );
    this.#dropHost = database.prepare('DELETE FROM host WHERE session_id = ? AND exchanges <= 0');
    this.#tallyProgram = database.prepare(
      `INSERT INTO program VALUES (?, ?, ?, ?) ON CONFLICT (session_id, name)
       DO UPDATE SET exchanges = exchanges + excluded.exchanges, errors = max(0, errors + excluded.errors)`,
    );
    this.#dropProgram = database.prepare('DELETE FROM program WHERE session_id = ? AND exchanges <= 0');
  }

  /** The rows as they stand, without those that are hidden. */
  rows(ids: readonly ExchangeId[]): ExchangeSummary[] {
    return (this.#rows.all(JSON.stringify(ids)) as ExchangeRow[]).map(summaryOfRow);
  }

  mark(ids: readonly ExchangeId[], { label, pinned }: MarkChange): void {
    const these = JSON.stringify(ids);
    this.#transaction(() => {
      if (label !== undefined) this.#setLabel.run(label, these);
      if (pinned !== undefined) this.#setPinned.run(pinned ? 1 : 0, these);
    });
  }

  /** @returns false when there is no such exchange */
  comment(id: ExchangeId, text: string): boolean {
    return this.#transaction(() => {
      this.#database.prepare('UPDATE exchange_detail SET comment = ? WHERE exchange_id = ?').run(text, id);
      const { changes } = this.#database
        .prepare('UPDATE exchange SET commented = ? WHERE id = ? AND session_id > 0')
        .run(text === '' ? 0 : 1, id);
      return changes > 0;
    });
  }

  /** Notes who a client is, and gives these exchanges of it the name. */
  setProgram({ connection, name, pid, path }: NamedClient, ids: readonly ExchangeId[]): void {
    this.#transaction(() => {
      this.#database
        .prepare('INSERT OR REPLACE INTO client_program VALUES (?, ?, ?, ?)')
        .run(connection, name, pid, path);
      if (ids.length === 0) return;
      const unnamed = this.#those(ids, "session_id > 0 AND program = ''");
      this.count(unnamed, -1);
      this.#database.prepare(`UPDATE exchange SET program = ? WHERE ${THESE}`).run(name, JSON.stringify(unnamed));
      this.count(unnamed, 1);
    });
  }

  /** Takes rows out of every list; they can come back until they are purged. @returns those that were in one */
  hide(ids: readonly ExchangeId[]): ExchangeId[] {
    return this.#transaction(() => {
      const present = this.#those(ids, 'session_id > 0');
      this.count(present, -1);
      this.#hide.run(JSON.stringify(present));
      return present;
    });
  }

  /** Brings hidden rows back, but for those whose session is gone. @returns those that came back */
  restore(ids: readonly ExchangeId[]): ExchangeId[] {
    return this.#transaction(() => {
      const hidden = this.#those(ids, 'session_id < 0 AND -session_id IN (SELECT id FROM session)');
      this.#restore.run(JSON.stringify(hidden));
      this.count(hidden, 1);
      return hidden;
    });
  }

  /** Brings rows into another session. */
  move(ids: readonly ExchangeId[], session: number): void {
    this.#transaction(() => {
      this.count(ids, -1);
      this.#move.run(session, JSON.stringify(ids));
      this.count(ids, 1);
    });
  }

  /** Adds these rows to the numbers that are kept beside them, or takes them away. In the caller's transaction. */
  count(ids: readonly ExchangeId[], sign: 1 | -1): void {
    const sessions = new Set<number>();
    for (const row of this.#counts.all(JSON.stringify(ids)) as CountRow[]) {
      const { session, host, port, program } = row;
      const exchanges = sign * row.exchanges;
      const errors = sign * row.errors;
      sessions.add(session);
      this.#tallySession.run(exchanges, session);
      this.#tallyHost.run(session, host, port, exchanges, errors);
      if (program !== '') this.#tallyProgram.run(session, program, exchanges, errors);
    }
    if (sign > 0) return;
    for (const session of sessions) {
      this.#dropHost.run(session);
      this.#dropProgram.run(session);
    }
  }

  #those(ids: readonly ExchangeId[], condition: string): ExchangeId[] {
    return this.#database
      .prepare(`SELECT id FROM exchange WHERE ${THESE} AND ${condition}`)
      .pluck()
      .all(JSON.stringify(ids)) as ExchangeId[];
  }

  #transaction<Result>(work: () => Result): Result {
    return this.#database.transaction(work).immediate();
  }
}
