import { statSync } from 'node:fs';
import type { ExchangeQuery, SessionId, SortColumn } from '#contract';
import { StoreFolder } from '../../app/backend/store/store-folder.ts';
import { StoreReader } from '../../app/backend/store/store-reader.ts';
import { openStoreKit, type StoreKit } from '../../test/support/store-kit.ts';
import { NAMED_QUERIES, type NamedQuery } from './corpus.ts';

/** Rows that the list asks for at once. */
const PAGE_ROWS = 128;
const LABELLED = 1_000;
const DELETED = 100_000;
/** Ids that one call of the contract carries. */
const IDS_A_CALL = 10_000;
const BYTES_A_MIB = 1_048_576;

/** Milliseconds of one piece of work: on the clock, and of this thread's CPU. */
export interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** One line of the report. */
export interface Figure {
  readonly group: 'open' | 'first page' | 'count' | 'list page' | 'deep scroll' | 'edit';
  readonly name: string;
  readonly cost: Cost;
  /** What the clock must stay under; null without a target. */
  readonly targetMs: number | null;
  /** Rows, matches or bytes: what came out. */
  readonly result: string;
}

/** How large a filled store is. */
export interface StoreSizes {
  readonly exchanges: number;
  readonly databaseMiB: number;
  readonly searchMiB: number;
}

/** Measures a filled store. Marks and deletions are taken back, but for those that the last step compacts away. */
export class StoreMeasurement {
  readonly figures: Figure[] = [];
  readonly #folder: string;
  readonly #only: string | null;
  readonly #say: (line: string) => void;

  /**
   * @param only measures the figures whose group or name contains this
   * @param say tells each figure when it is there
   */
  constructor(folder: string, only: string | null, say: (line: string) => void) {
    this.#folder = folder;
    this.#only = only;
    this.#say = say;
  }

  sizes(): StoreSizes {
    const { database, search } = new StoreFolder(this.#folder);
    const reader = new StoreReader(this.#folder);
    const { exchanges } = reader.space();
    reader.close();
    return { exchanges, databaseMiB: sizeOf(database), searchMiB: sizeOf(search) };
  }

  async run(withEdits: boolean): Promise<void> {
    await this.#open();
    const reader = new StoreReader(this.#folder);
    try {
      const session = largestSession(reader);
      for (const query of NAMED_QUERIES) await this.#ask(reader, session, query);
      await this.#scroll(reader, session);
    } finally {
      reader.close();
    }
    if (withEdits) await this.#edit();
  }

  async #open(): Promise<void> {
    let kit: StoreKit | null = null;
    await this.#take('open', 'the writer', 1_000, () => {
      kit = openStoreKit(this.#folder);
      return 'ready to record';
    });
    let reader: StoreReader | null = null;
    await this.#take('open', 'a reader, its count and its last page', 1_000, async () => {
      const opened = new StoreReader(this.#folder);
      reader = opened;
      const session = largestSession(opened);
      const { count } = await opened.count({ session, filter: '', upTo: null });
      const { rows } = await opened.queryAt({ ...everything(session), index: count - PAGE_ROWS, limit: PAGE_ROWS });
      return `${String(count)} exchanges, ${String(rows.length)} rows`;
    });
    close(reader);
    close(kit);
  }

  /** As the list does: the newest matches at once, then their number, then the end of the list by position. */
  async #ask(reader: StoreReader, session: SessionId, { name, filter, indexed }: NamedQuery): Promise<void> {
    const query = { session, filter, sort: 'time', descending: true } as const;
    await this.#take('first page', `${name}: ${filter}`, indexed ? 150 : 1_000, async () => {
      const { rows } = await reader.query({ ...query, after: null, limit: PAGE_ROWS });
      return `${String(rows.length)} rows`;
    });
    let count = 0;
    await this.#take('count', `${name}: ${filter}`, null, async () => {
      count = (await reader.count({ session, filter, upTo: null })).count;
      return `${String(count)} matches`;
    });
    await this.#take('list page', `${name}: ${filter}`, null, async () => {
      const index = Math.max(0, count - PAGE_ROWS);
      const { rows } = await reader.queryAt({ ...query, descending: false, index, limit: PAGE_ROWS });
      return `${String(rows.length)} rows`;
    });
  }

  async #scroll(reader: StoreReader, session: SessionId): Promise<void> {
    const { count } = await reader.count({ session, filter: '', upTo: null });
    const sorts: readonly SortColumn[] = ['time', 'host', 'status', 'duration'];
    for (const sort of sorts) {
      for (const share of [0.1, 0.5, 0.9]) {
        await this.#take('deep scroll', `by ${sort}, at ${String(share * 100)} %`, 150, async () => {
          const index = Math.floor(count * share);
          const { rows } = await reader.queryAt({ ...everything(session), sort, index, limit: PAGE_ROWS });
          return `${String(rows.length)} rows`;
        });
      }
    }
    await this.#take('deep scroll', 'where a row in the middle stands', 150, async () => {
      const { rows } = await reader.query({ ...everything(session), after: null, limit: 1 });
      const id = (rows[0]?.id ?? 0) + Math.floor(count / 2);
      const { index } = await reader.indexOf({ ...everything(session), id });
      return `index ${String(index)}`;
    });
  }

  async #edit(): Promise<void> {
    const kit = openStoreKit(this.#folder);
    kit.writer.watched = false;
    const reader = kit.reader();
    const session = largestSession(reader);
    const { ids } = await reader.ids({ ...everything(session), index: 200_000, limit: DELETED });
    const inCalls = function* (): Generator<readonly number[]> {
      for (let at = 0; at < ids.length; at += IDS_A_CALL) yield ids.slice(at, at + IDS_A_CALL);
    };
    const some = ids.slice(0, LABELLED);
    await this.#take('edit', 'label 1,000', null, () => {
      kit.writer.mark(some, { label: 3 });
      return `${String(some.length)} rows`;
    });
    kit.writer.mark(some, { label: 0 });
    await this.#take('edit', 'delete 100,000', null, () => {
      let removed = 0;
      for (const call of inCalls()) removed += kit.writer.remove(call).length;
      return `${String(removed)} rows`;
    });
    await this.#take('edit', 'undo', null, () => {
      let restored = 0;
      for (const call of inCalls()) restored += kit.writer.restore(call).length;
      return `${String(restored)} rows`;
    });
    for (const call of inCalls()) kit.writer.remove(call);
    await this.#take('edit', 'compact after deleting 100,000', null, async () => {
      const before = sizeOf(new StoreFolder(this.#folder).database);
      await kit.writer.compact();
      return `${String(Math.round(before - sizeOf(new StoreFolder(this.#folder).database)))} MiB freed, log included`;
    });
    kit[Symbol.dispose]();
  }

  async #take(
    group: Figure['group'],
    name: string,
    targetMs: number | null,
    work: () => string | Promise<string>,
  ): Promise<void> {
    if (this.#only !== null && !`${group} ${name}`.includes(this.#only)) return;
    const startedAt = performance.now();
    const before = process.threadCpuUsage();
    const result = await work();
    const { user, system } = process.threadCpuUsage(before);
    const cost = { wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1_000 };
    this.figures.push({ group, name, cost, targetMs, result });
    this.#say(`${group}, ${name}: ${cost.wallMs.toFixed(0)} ms, ${cost.cpuMs.toFixed(0)} ms of CPU: ${result}`);
  }
}

function everything(session: SessionId): ExchangeQuery {
  return { session, filter: '', sort: 'time', descending: false };
}

/** The session of the corpus: opening the store made others. @throws Error for an empty store */
function largestSession(reader: StoreReader): SessionId {
  const [largest] = reader.sessions().sessions.toSorted((one, other) => other.exchanges - one.exchanges);
  if (largest === undefined) throw new Error('The store is empty.');
  return largest.id;
}

function close(what: StoreReader | StoreKit | null): void {
  if (what === null) return;
  if ('close' in what) what.close();
  else what[Symbol.dispose]();
}

/** MiB of a file with its write-ahead log. */
function sizeOf(path: string): number {
  const bytes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return bytes.reduce((sum, size) => sum + size, 0) / BYTES_A_MIB;
}
