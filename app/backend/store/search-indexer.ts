import type { Database, Statement } from 'better-sqlite3';
import { exchangeUrl } from '#contract';
import { openForReading } from './open-database.ts';
import { ID_STREAMS, openIndexForWriting } from './search-index.ts';
import { bodySearchText, searchText, wantedText } from './search-text.ts';
import type { StoreFolder } from './store-folder.ts';
import { summaryOfRow, type ExchangeRow } from './summary.ts';

/** Rows that one look at the store takes. */
const ROWS_A_LOOK = 64;
/** Threads of the engine hand their records over within this time: a lower id may come so much later. */
const SETTLED_MICROSECONDS = 1_000_000;
/** The lag is counted up to here. */
const MOST_LAG = 100_000;

type IndexedRow = ExchangeRow & {
  readonly request_head: Buffer | null;
  readonly response_head: Buffer | null;
  readonly request_body: Buffer | null;
  readonly response_body: Buffer | null;
  readonly request_hash: Buffer | null;
  readonly response_hash: Buffer | null;
};

const ROW = `SELECT exchange.*, request_head, response_head, request_body, response_body,
    (SELECT hash FROM segment WHERE id = request_body_segment) AS request_hash,
    (SELECT hash FROM segment WHERE id = response_body_segment) AS response_hash
  FROM exchange JOIN exchange_detail ON exchange_id = exchange.id`;

/** Reads exchanges that ended and writes what occurs in them into the index, oldest first. */
export class SearchIndexer {
  readonly #folder: StoreFolder;
  readonly #store: Database;
  readonly #index: Database;
  readonly #next: Statement;
  readonly #one: Statement;
  readonly #put: Statement;
  readonly #wait: Statement;
  readonly #waited: Statement;
  readonly #mark: Statement;
  readonly #now: () => number;

  /**
   * @param now microseconds since the Unix epoch
   * @throws StoreError when the store cannot be read
   */
  constructor(folder: StoreFolder, now: () => number) {
    this.#folder = folder;
    this.#now = now;
    this.#store = openForReading(folder);
    this.#index = openIndexForWriting(folder);
    this.#next = this.#store.prepare(`${ROW} WHERE exchange.id > ? AND exchange.id < ? ORDER BY exchange.id LIMIT ?`);
    this.#one = this.#store.prepare(`${ROW} WHERE exchange.id = ? AND state <> 'active'`);
    this.#put = this.#index.prepare('INSERT OR REPLACE INTO text (rowid, body) VALUES (?, ?)');
    this.#wait = this.#index.prepare('INSERT OR IGNORE INTO waiting VALUES (?)');
    this.#waited = this.#index.prepare('DELETE FROM waiting WHERE id = ?');
    this.#mark = this.#index.prepare(
      'INSERT INTO stream VALUES (?, ?) ON CONFLICT (first) DO UPDATE SET indexed = excluded.indexed',
    );
  }

  /** Grows with each commit of the store's writer. */
  get storeVersion(): number {
    return this.#store.pragma('data_version', { simple: true }) as number;
  }

  /**
   * Indexes for about so long.
   * @returns how many exchanges it indexed; 0 when there is nothing to do for now
   */
  work(milliseconds: number): number {
    const until = performance.now() + milliseconds;
    return this.#index
      .transaction(() => {
        let indexed = this.#indexWaiting(until);
        for (const { first, end } of ID_STREAMS) {
          // At least one look each time, however late it is: the caller takes 0 for the end.
          for (let rows = 1; rows > 0 && (indexed === 0 || performance.now() < until);) {
            rows = this.#indexNext(first, end, until);
            indexed += rows;
          }
        }
        return indexed;
      })
      .immediate();
  }

  /** Exchanges that are not in the index yet, up to 100,000; running ones do not count. */
  lag(): number {
    const count = this.#store
      .prepare(`SELECT count(*) FROM (SELECT 1 FROM exchange WHERE id > ? AND id < ? LIMIT ${String(MOST_LAG)})`)
      .pluck();
    let lag = 0;
    for (const { first, end } of ID_STREAMS) lag += count.get(this.#indexedUpTo(first), end) as number;
    return Math.min(MOST_LAG, lag);
  }

  close(): void {
    this.#index.close();
    this.#store.close();
  }

  #indexNext(first: number, end: number, until: number): number {
    const upTo = this.#indexedUpTo(first);
    const settled = this.#now() - SETTLED_MICROSECONDS;
    let last = upTo;
    let indexed = 0;
    for (const row of this.#next.iterate(upTo, end, ROWS_A_LOOK) as IterableIterator<IndexedRow>) {
      if (row.started_at > settled || (indexed > 0 && performance.now() > until)) break;
      if (row.state === 'active') this.#wait.run(row.id);
      else this.#put.run(row.id, this.#textOf(row));
      last = row.id;
      indexed += 1;
    }
    if (last > upTo) this.#mark.run(first, last);
    return indexed;
  }

  /** Exchanges that were running when their turn came. */
  #indexWaiting(until: number): number {
    const ids = this.#index.prepare('SELECT id FROM waiting').pluck().all() as number[];
    let indexed = 0;
    for (const id of ids) {
      if (performance.now() > until) break;
      const row = this.#one.get(id) as IndexedRow | undefined;
      if (row === undefined) {
        if (this.#store.prepare('SELECT 1 FROM exchange WHERE id = ?').get(id) === undefined) this.#waited.run(id);
        continue;
      }
      this.#put.run(id, this.#textOf(row));
      this.#waited.run(id);
      indexed += 1;
    }
    return indexed;
  }

  #indexedUpTo(first: number): number {
    const indexed = this.#index.prepare('SELECT indexed FROM stream WHERE first = ?').pluck().get(first);
    return typeof indexed === 'number' ? indexed : first - 1;
  }

  #textOf(row: IndexedRow): string {
    const summary = summaryOfRow(row);
    const parts = [
      wantedText(exchangeUrl(summary)),
      wantedText(row.method),
      row.request_head === null ? '' : searchText(row.request_head),
      row.response_head === null ? '' : searchText(row.response_head),
      bodySearchText(this.#folder, row.request_head, row.request_body, row.request_hash),
      bodySearchText(this.#folder, row.response_head, row.response_body, row.response_hash),
    ];
    return parts.join('\n').replaceAll('\0', ' ');
  }
}
