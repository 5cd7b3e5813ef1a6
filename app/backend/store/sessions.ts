import type { Database, Statement } from 'better-sqlite3';
import type { SessionId, SessionInfo } from '#contract';

interface SessionRow {
  readonly id: number;
  readonly name: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly sample: number;
  readonly exchanges: number;
}

/** The session table as the writer uses it. */
export class Sessions {
  readonly #insert: Statement;
  readonly #end: Statement;
  readonly #get: Statement;
  readonly #keepFrom: Statement;
  readonly #dropEmpty: Statement;
  readonly #remove: Statement;
  readonly #rename: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      'INSERT INTO session (name, started_at, ended_at, sample, exchanges) VALUES (?, ?, NULL, ?, 0)',
    );
    this.#end = database.prepare('UPDATE session SET ended_at = ? WHERE id = ? AND ended_at IS NULL');
    this.#keepFrom = database.prepare('UPDATE session SET kept_from = ? WHERE id = ?');
    this.#get = database.prepare('SELECT * FROM session WHERE id = ?');
    this.#dropEmpty = database.prepare('DELETE FROM session WHERE id = ? AND exchanges = 0');
    this.#remove = database.prepare('DELETE FROM session WHERE id = ?');
    this.#rename = database.prepare('UPDATE session SET name = ? WHERE id = ?');
  }

  /** @param now microseconds since the Unix epoch */
  add(name: string, sample: boolean, now: number): SessionInfo {
    const { lastInsertRowid } = this.#insert.run(name, now, sample ? 1 : 0);
    return this.require(Number(lastInsertRowid));
  }

  /**
   * A session that nothing is recorded into but what its own source brings. It counts as over from the beginning: if its
   * source dies, it must not be taken for the one that was being recorded. What comes into it may be old; its age counts
   * from now.
   */
  addBeside(name: string, sample: boolean, now: number): SessionInfo {
    const { id } = this.add(name, sample, now);
    this.#end.run(now, id);
    this.#keepFrom.run(now, id);
    return this.require(id);
  }

  /** Ends a session; one that holds nothing is not worth a line in the list and goes. */
  end(id: SessionId, now: number): void {
    this.#end.run(now, id);
    this.#dropEmpty.run(id);
  }

  /** Removes the session's own row; `purge` deletes what belonged to it. */
  remove(id: SessionId): void {
    this.#remove.run(id);
  }

  rename(id: SessionId, name: string): void {
    this.#rename.run(name, id);
  }

  find(id: SessionId): SessionInfo | null {
    const row = this.#get.get(id) as SessionRow | undefined;
    return row === undefined ? null : sessionOfRow(row);
  }

  require(id: SessionId): SessionInfo {
    const session = this.find(id);
    if (session === null) throw new Error(`Session ${String(id)} does not exist.`);
    return session;
  }
}

/** The session that a crash interrupted: it goes on. */
export function interruptedSession(database: Database): SessionInfo | null {
  const row = database
    .prepare('SELECT * FROM session WHERE ended_at IS NULL AND sample = 0 ORDER BY id DESC LIMIT 1')
    .get() as SessionRow | undefined;
  return row === undefined ? null : sessionOfRow(row);
}

/** All sessions, newest first. */
export function listSessions(database: Database): SessionInfo[] {
  return (database.prepare('SELECT * FROM session ORDER BY id DESC').all() as SessionRow[]).map(sessionOfRow);
}

function sessionOfRow(row: SessionRow): SessionInfo {
  return {
    id: row.id,
    name: row.name,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    exchanges: row.exchanges,
    sample: row.sample !== 0,
  };
}
