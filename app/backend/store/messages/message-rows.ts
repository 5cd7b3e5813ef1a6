import type { Database, Statement } from 'better-sqlite3';
import type { ExchangeId, MessageSide } from '#contract';
import type { RunCollector } from '../run-collector.ts';
import type { MessageLog } from './message-log.ts';

const COLUMNS = 15;

/** Writes messages and the runs of their payloads, inside a transaction that the caller holds. */
export class MessageRows {
  readonly #insert: Statement;
  readonly #putRun: Statement;

  constructor(database: Database) {
    const marks = Array.from({ length: COLUMNS }, () => '?').join(', ');
    // A commit that failed is tried again.
    this.#insert = database.prepare(`INSERT OR REPLACE INTO message VALUES (${marks})`);
    this.#putRun = database.prepare('INSERT OR REPLACE INTO message_run VALUES (?, ?, ?, ?)');
  }

  /**
   * @param ended the exchange is over, so that its runs are finished
   * @param useSegment counts a use of a finished file and gives its id
   */
  write(id: ExchangeId, log: MessageLog, ended: boolean, useSegment: (hash: Buffer, bytes: number) => number): void {
    for (const { summary, payload } of log.fresh) {
      const { facts } = summary;
      this.#insert.run(
        id,
        summary.sequence,
        summary.side,
        summary.kind,
        summary.time,
        summary.bytes,
        summary.wireBytes,
        payload.run,
        payload.place,
        payload.storedBytes,
        payload.inline,
        summary.marks.join(','),
        summary.anomalies.join(','),
        Object.keys(facts).length === 0 ? null : JSON.stringify(facts),
        summary.preview,
      );
    }
    for (const side of ['request', 'response'] as const) this.#writeRun(id, side, log.runs[side], ended, useSegment);
  }

  #writeRun(
    id: ExchangeId,
    side: MessageSide,
    run: RunCollector | null,
    ended: boolean,
    useSegment: (hash: Buffer, bytes: number) => number,
  ): void {
    if (run === null) return;
    if (!ended) {
      this.#putRun.run(id, side, null, run.inline);
      return;
    }
    const { inline, segment } = run.finish();
    this.#putRun.run(id, side, segment === null ? null : useSegment(segment.hash, segment.bytes), inline);
  }
}
