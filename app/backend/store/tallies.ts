import type { Database, Statement } from 'better-sqlite3';
import type { SessionId } from '#contract';
import type { PendingExchange } from './pending-exchange.ts';

interface ProgramTally {
  readonly session: SessionId;
  readonly name: string;
  exchanges: number;
  errors: number;
}

interface HostTally {
  readonly session: SessionId;
  readonly host: string;
  readonly port: number;
  exchanges: number;
  errors: number;
}

/** A status from here on counts as an error of its host. */
const LEAST_ERROR_STATUS = 500;

/** Numbers that are kept beside the rows, so that no list has to count them: exchanges of sessions and of hosts. */
export class Tallies {
  readonly #addToSession: Statement;
  readonly #addToHost: Statement;
  readonly #addToProgram: Statement;
  readonly #hosts = new Map<string, HostTally>();
  readonly #programs = new Map<string, ProgramTally>();
  readonly #sessions = new Map<SessionId, number>();

  constructor(database: Database) {
    this.#addToSession = database.prepare('UPDATE session SET exchanges = exchanges + ? WHERE id = ?');
    this.#addToHost = database.prepare(
      `INSERT INTO host VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id, host, port)
       DO UPDATE SET exchanges = exchanges + excluded.exchanges, errors = errors + excluded.errors`,
    );
    this.#addToProgram = database.prepare(
      `INSERT INTO program VALUES (?, ?, ?, ?) ON CONFLICT (session_id, name)
       DO UPDATE SET exchanges = exchanges + excluded.exchanges, errors = errors + excluded.errors`,
    );
  }

  /** A transaction begins. */
  reset(): void {
    this.#hosts.clear();
    this.#programs.clear();
    this.#sessions.clear();
  }

  /** Counts what this commit adds by an exchange. */
  count(exchange: PendingExchange): void {
    // A deleted exchange counts again when it is brought back, as it stands by then.
    if (exchange.hidden) return;
    const { session } = exchange;
    const { host, port } = exchange.begin;
    const key = `${String(session)} ${String(port)} ${host}`;
    let tally = this.#hosts.get(key);
    if (tally === undefined) {
      tally = { session, host, port, exchanges: 0, errors: 0 };
      this.#hosts.set(key, tally);
    }
    const isNew = !exchange.stored;
    const failed =
      exchange.state === 'failed' || (exchange.state === 'complete' && (exchange.status ?? 0) >= LEAST_ERROR_STATUS);
    if (isNew) {
      tally.exchanges += 1;
      this.#sessions.set(session, (this.#sessions.get(session) ?? 0) + 1);
    }
    if (failed) tally.errors += 1;
    if (exchange.program !== null) this.#countProgram(session, exchange.program, isNew, failed);
  }

  #countProgram(session: SessionId, name: string, isNew: boolean, failed: boolean): void {
    const key = `${String(session)} ${name}`;
    let tally = this.#programs.get(key);
    if (tally === undefined) {
      tally = { session, name, exchanges: 0, errors: 0 };
      this.#programs.set(key, tally);
    }
    if (isNew) tally.exchanges += 1;
    if (failed) tally.errors += 1;
  }

  /** Writes what was counted, in the same transaction. */
  write(): void {
    for (const [session, exchanges] of this.#sessions) this.#addToSession.run(exchanges, session);
    for (const { session, host, port, exchanges, errors } of this.#hosts.values()) {
      if (exchanges > 0 || errors > 0) this.#addToHost.run(session, host, port, exchanges, errors);
    }
    for (const { session, name, exchanges, errors } of this.#programs.values()) {
      if (exchanges > 0 || errors > 0) this.#addToProgram.run(session, name, exchanges, errors);
    }
  }
}
