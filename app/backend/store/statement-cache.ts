import type { Database, Statement } from 'better-sqlite3';
import type { SessionId } from '#contract';
import type { ValueColumn } from './filter-sql.ts';

const CACHED_STATEMENTS = 200;

/** Prepared statements by their text. */
export class StatementCache {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Statements are kept: the same query comes page after page. */
  prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= CACHED_STATEMENTS) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Distinct values of a column in a session by leaping through an index: one seek a value. */
export function distinctValues(statements: StatementCache, column: ValueColumn, session: SessionId): readonly string[] {
  if (column === 'host') {
    const hosts = statements.prepare('SELECT DISTINCT host AS value FROM host WHERE session_id = ?').all(session);
    return (hosts as { value: string }[]).map((row) => row.value);
  }
  const rows = statements
    .prepare(
      `WITH RECURSIVE leap (value) AS (
         SELECT min(${column}) FROM exchange WHERE session_id = @session
         UNION ALL
         SELECT (SELECT min(${column}) FROM exchange WHERE session_id = @session AND ${column} > leap.value)
         FROM leap WHERE leap.value IS NOT NULL)
       SELECT value FROM leap WHERE value IS NOT NULL`,
    )
    .all({ session });
  return (rows as { value: string }[]).map((row) => row.value);
}
