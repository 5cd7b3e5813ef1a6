import type { Database, Statement } from 'better-sqlite3';
import {
  ContractError,
  type AnomalyCode,
  type BodyWindow,
  type MessageFilter,
  type MessageKind,
  type MessageMark,
  type MessagePage,
  type MessageSide,
  type MessageSummary,
} from '#contract';
import type { ExchangeDetails } from '../exchange-detail.ts';
import type { Cancellation } from '../match-list.ts';
import type { ReaderCalls } from '../protocol.ts';
import type { StoredBytes } from '../stored-run.ts';
import type { PayloadRun } from './message-payload.ts';

/** A row of `message`. */
interface MessageRow {
  readonly exchange_id: number;
  readonly sequence: number;
  readonly side: string;
  readonly kind: string;
  readonly time: number;
  readonly bytes: number;
  readonly wire_bytes: number;
  readonly run: string;
  readonly place: number;
  readonly stored_bytes: number;
  readonly inline: Buffer | null;
  readonly marks: string;
  readonly anomalies: string;
  readonly facts: string | null;
  readonly preview: string;
}

/** Rows that are read in one step; between two steps other questions are answered. */
const STEP_ROWS = 500;
/** Time after which a call answers with what it has found, ms. */
const MOMENT_MS = 40;
/** Bytes of a payload that are searched at once; pieces overlap by the length of the text. */
const SEARCHED_BYTES = 1_048_576;

/** Answers questions about messages. A text is looked for in whole payloads, by walking them. */
export class MessageQueries {
  readonly #details: ExchangeDetails;
  readonly #page: Statement;
  readonly #one: Statement;

  constructor(database: Database, details: ExchangeDetails) {
    this.#details = details;
    this.#page = database.prepare(
      `SELECT * FROM message WHERE exchange_id = ? AND sequence > ? ORDER BY sequence LIMIT ${String(STEP_ROWS)}`,
    );
    this.#one = database.prepare('SELECT * FROM message WHERE exchange_id = ? AND sequence = ?');
  }

  /** @throws ContractError `not-found`, `cancelled` */
  async page(input: ReaderCalls['messagePage']['input'], cancellation: Cancellation): Promise<MessagePage> {
    const rows: MessageRow[] = [];
    const next = await this.#walk(input, cancellation, (row) => rows.push(row));
    return { rows: rows.map(summaryOf), next };
  }

  /** @throws ContractError `not-found`, `cancelled` */
  async find(
    input: ReaderCalls['messageFind']['input'],
    cancellation: Cancellation,
  ): Promise<ReaderCalls['messageFind']['output']> {
    const sequences: number[] = [];
    const next = await this.#walk(input, cancellation, (row) => sequences.push(row.sequence));
    return { sequences, next };
  }

  /** @throws ContractError `not-found`, `body-dropped` */
  read({ exchange, sequence, offset, length }: ReaderCalls['messageRead']['input']): BodyWindow {
    const row = this.#one.get(exchange, sequence) as MessageRow | undefined;
    this.#details.find(exchange);
    if (row === undefined) {
      throw new ContractError(
        'not-found',
        `Message ${String(sequence)} of exchange ${String(exchange)} does not exist.`,
      );
    }
    const runs = new Runs(this.#details, exchange);
    try {
      const bytes = runs.read(row, offset, length);
      if (bytes === null) {
        throw new ContractError('body-dropped', 'The file of this payload is missing from the data folder.');
      }
      const isCut = row.stored_bytes < row.bytes || row.marks.split(',').includes('cut');
      return { bytes: Uint8Array.from(bytes), totalBytes: row.stored_bytes, stopped: isCut ? 'cut' : null };
    } finally {
      runs.close();
    }
  }

  /** Every message of a side in order with its payload, at most `mostBytes` of it. */
  *payloads(
    exchange: number,
    side: MessageSide,
    mostBytes: number,
  ): Generator<{ summary: MessageSummary; payload: Buffer }> {
    const runs = new Runs(this.#details, exchange);
    try {
      for (let after = 0; ;) {
        const rows = this.#page.all(exchange, after) as MessageRow[];
        for (const row of rows) {
          after = row.sequence;
          if (row.side !== side) continue;
          yield {
            summary: summaryOf(row),
            payload: runs.read(row, 0, Math.min(row.stored_bytes, mostBytes)) ?? NOTHING,
          };
        }
        if (rows.length < STEP_ROWS) return;
      }
    } finally {
      runs.close();
    }
  }

  /** Hands over what the filter leaves, up to the limit or for a moment. @returns where to go on; null at the end */
  async #walk(
    { exchange, filter, after, limit }: ReaderCalls['messagePage']['input'],
    cancellation: Cancellation,
    take: (row: MessageRow) => void,
  ): Promise<number | null> {
    this.#details.find(exchange);
    const runs = new Runs(this.#details, exchange);
    const matches = matcherOf(filter, runs);
    const until = performance.now() + MOMENT_MS;
    let position = after;
    let taken = 0;
    try {
      for (;;) {
        const rows = this.#page.all(exchange, position) as MessageRow[];
        for (const row of rows) {
          position = row.sequence;
          if (!matches(row)) continue;
          take(row);
          taken += 1;
          if (taken >= limit) return position;
        }
        if (rows.length < STEP_ROWS) return null;
        if (performance.now() > until) return position;
        await new Promise((resolve) => setImmediate(resolve));
        if (cancellation.cancelled) throw new ContractError('cancelled', 'The query was cancelled.');
      }
    } finally {
      runs.close();
    }
  }
}

const NOTHING = Buffer.alloc(0);

function matcherOf(filter: MessageFilter, runs: Runs): (row: MessageRow) => boolean {
  const { side, text } = filter;
  const kinds: ReadonlySet<string> = new Set(filter.kinds);
  const needle = text.toLowerCase();
  return (row) =>
    (side === null || row.side === side) &&
    (kinds.size === 0 || kinds.has(row.kind)) &&
    (needle === '' || containsText(row, needle, runs));
}

/** In what the list shows of it, or in its payload read as UTF-8. */
function containsText(row: MessageRow, needle: string, runs: Runs): boolean {
  if (row.preview.toLowerCase().includes(needle)) return true;
  if (row.facts?.toLowerCase().includes(needle) ?? false) return true;
  const overlap = Buffer.byteLength(needle) * 2;
  for (let at = 0; at < row.stored_bytes; at += SEARCHED_BYTES) {
    const piece = runs.read(row, at, Math.min(SEARCHED_BYTES + overlap, row.stored_bytes - at));
    if (piece === null) return false;
    if (piece.toString('utf8').toLowerCase().includes(needle)) return true;
  }
  return false;
}

/** The runs of one exchange, opened when they are needed. */
class Runs {
  readonly #details: ExchangeDetails;
  readonly #exchange: number;
  readonly #open = new Map<string, StoredBytes | null>();

  constructor(details: ExchangeDetails, exchange: number) {
    this.#details = details;
    this.#exchange = exchange;
  }

  /** Null: the file is gone. */
  read(row: MessageRow, offset: number, length: number): Buffer | null {
    const most = Math.max(0, Math.min(length, row.stored_bytes - offset));
    if (most === 0) return NOTHING;
    if (row.inline !== null) return row.inline.subarray(offset, offset + most);
    return this.#run(row.side as MessageSide, row.run as PayloadRun)?.read(row.place + offset, most) ?? null;
  }

  close(): void {
    for (const run of this.#open.values()) run?.close();
    this.#open.clear();
  }

  #run(side: MessageSide, run: PayloadRun): StoredBytes | null {
    if (run === 'row') return null;
    const key = `${side} ${run}`;
    let opened = this.#open.get(key);
    if (opened === undefined) {
      opened = this.#details.openRun(this.#exchange, side, run);
      this.#open.set(key, opened);
    }
    return opened;
  }
}

function summaryOf(row: MessageRow): MessageSummary {
  return {
    exchange: row.exchange_id,
    sequence: row.sequence,
    side: row.side as MessageSide,
    kind: row.kind as MessageKind,
    time: row.time,
    bytes: row.bytes,
    wireBytes: row.wire_bytes,
    marks: row.marks === '' ? [] : (row.marks.split(',') as MessageMark[]),
    anomalies: row.anomalies === '' ? [] : (row.anomalies.split(',') as AnomalyCode[]),
    facts: row.facts === null ? {} : (JSON.parse(row.facts) as Record<string, string>),
    preview: row.preview,
  };
}
