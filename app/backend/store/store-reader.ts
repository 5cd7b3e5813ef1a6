import type { Database } from 'better-sqlite3';
import {
  ContractError,
  type BodyWindow,
  type ExchangeDetail,
  type ExchangePage,
  type MessageSide,
  type SessionId,
  type SessionInfo,
  type StoreSpace,
} from '#contract';
import { DecodedBodies } from './decoded-bodies.ts';
import { ExchangeDetails, type StoredExchange } from './exchange-detail.ts';
import { ExchangeQueries, NEVER_CANCELLED } from './exchange-queries.ts';
import { contentCodingsOf, parseHead } from './head-fields.ts';
import type { Cancellation } from './match-list.ts';
import { openForReading } from './open-database.ts';
import type { ReaderCalls } from './protocol.ts';
import { FrameQueries } from './frames/frame-queries.ts';
import { LlmQueries } from './messages/llm-queries.ts';
import { MessageQueries } from './messages/message-queries.ts';
import { oneChunk, readRaw, type RawMessage } from './raw-message.ts';
import { SearchCandidates } from './search-candidates.ts';
import { registerSearchFunctions } from './search-functions.ts';
import { listSessions } from './sessions.ts';
import { readSpace } from './space.ts';
import { StoreFolder } from './store-folder.ts';
import type { StoredBytes } from './stored-run.ts';

/** Replays that one question tells of. */
const MOST_REPLAYS = 1_000;

/**
 * Reads a data folder, also while a writer writes there: what it committed is seen by the next call. Every method throws
 * ContractError with the codes that the contract names; `cancelled` when the cancellation says so.
 */
export class StoreReader {
  readonly #folder: StoreFolder;
  readonly #database: Database;
  readonly #candidates: SearchCandidates;
  readonly #queries: ExchangeQueries;
  readonly #details: ExchangeDetails;
  readonly #messages: MessageQueries;
  readonly #frames: FrameQueries;
  readonly #llm: LlmQueries;
  readonly #decoded = new DecodedBodies();

  /** @throws StoreError `missing`, `older`, `newer`, `damaged` */
  constructor(folder: string) {
    const place = new StoreFolder(folder);
    this.#folder = place;
    this.#database = openForReading(place);
    registerSearchFunctions(this.#database, place);
    this.#candidates = new SearchCandidates(this.#database, place);
    this.#queries = new ExchangeQueries(this.#database, this.#candidates);
    this.#details = new ExchangeDetails(this.#database, place);
    this.#messages = new MessageQueries(this.#database, this.#details);
    this.#frames = new FrameQueries(this.#database);
    this.#llm = new LlmQueries(this.#details, this.#messages, (id, side, most) => this.#bodyText(id, side, most));
  }

  query(input: ReaderCalls['query']['input'], cancellation: Cancellation = NEVER_CANCELLED): Promise<ExchangePage> {
    return this.#queries.page(input, cancellation);
  }

  queryAt(input: ReaderCalls['queryAt']['input'], cancellation: Cancellation = NEVER_CANCELLED): Promise<ExchangePage> {
    return this.#queries.pageAt(input, cancellation);
  }

  async count(
    input: ReaderCalls['count']['input'],
    cancellation: Cancellation = NEVER_CANCELLED,
  ): Promise<{ count: number }> {
    return { count: await this.#queries.count(input, cancellation) };
  }

  async indexOf(
    input: ReaderCalls['indexOf']['input'],
    cancellation: Cancellation = NEVER_CANCELLED,
  ): Promise<{ index: number | null }> {
    return { index: await this.#queries.indexOf(input, cancellation) };
  }

  /** Asynchronous as every source of exports is. */
  get(id: number): Promise<ExchangeDetail> {
    return Promise.resolve().then(() => this.#details.get(id));
  }

  sessions(): { sessions: readonly SessionInfo[] } {
    return { sessions: listSessions(this.#database) };
  }

  hosts(session: SessionId): ReaderCalls['hosts']['output'] {
    const hosts = this.#database
      .prepare('SELECT host, port, exchanges, errors FROM host WHERE session_id = ? ORDER BY host, port')
      .all(session) as ReaderCalls['hosts']['output']['hosts'];
    return { hosts };
  }

  /** A window of a body. `decoded` undoes its content codings as far as they can be undone. */
  async readBody(input: ReaderCalls['readBody']['input']): Promise<BodyWindow> {
    const { id, side, form, offset, length } = input;
    const stored = this.#details.find(id);
    const codings = form === 'decoded' ? codingsOf(stored, side) : [];
    const run = this.#openBody(stored, side);
    const cut = isCut(stored, side, run.length);
    if (codings.length === 0) {
      const bytes = Uint8Array.from(run.read(offset, length));
      const totalBytes = stored.row.state === 'active' ? null : run.length;
      run.close();
      return { bytes, totalBytes, stopped: cut ? 'cut' : null };
    }
    const key = `${String(id)} ${side} ${String(run.length)}`;
    run.close();
    const open = (): StoredBytes => this.#openBody(stored, side);
    const window = await this.#decoded.read(key, open, codings, offset, length);
    return cut && window.stopped === null && window.totalBytes !== null ? { ...window, stopped: 'cut' } : window;
  }

  /** A window of head and body as they were on the wire. */
  readRaw(input: ReaderCalls['readRaw']['input']): BodyWindow {
    const message = this.#rawMessage(input.id, input.side, input.as);
    try {
      return readRaw(message, input.offset, input.length);
    } finally {
      message.payload.close();
    }
  }

  messagePage(
    input: ReaderCalls['messagePage']['input'],
    cancellation: Cancellation = NEVER_CANCELLED,
  ): Promise<ReaderCalls['messagePage']['output']> {
    return this.#messages.page(input, cancellation);
  }

  messageFind(
    input: ReaderCalls['messageFind']['input'],
    cancellation: Cancellation = NEVER_CANCELLED,
  ): Promise<ReaderCalls['messageFind']['output']> {
    return this.#messages.find(input, cancellation);
  }

  /** Frames of an HTTP/2 connection. */
  framePage(input: ReaderCalls['framePage']['input']): ReaderCalls['framePage']['output'] {
    return this.#frames.page(input);
  }

  /** What an exchange says as a call of a language model. */
  async llm(id: number): Promise<ReaderCalls['llm']['output']> {
    return { facts: await this.#llm.facts(id) };
  }

  /** A window of a message's payload as it can be read. */
  messageRead(input: ReaderCalls['messageRead']['input']): BodyWindow {
    return this.#messages.read(input);
  }

  /** What the capture takes on the disk. */
  space(): StoreSpace {
    return readSpace(this.#database, this.#folder);
  }

  /** Ids of a stretch of a query. */
  async ids(
    input: ReaderCalls['ids']['input'],
    cancellation: Cancellation = NEVER_CANCELLED,
  ): Promise<ReaderCalls['ids']['output']> {
    return { ids: await this.#queries.idsAt(input, cancellation) };
  }

  programs(session: SessionId): ReaderCalls['programs']['output'] {
    const programs = this.#database
      .prepare('SELECT name, exchanges, errors FROM program WHERE session_id = ? ORDER BY exchanges DESC, name')
      .all(session) as ReaderCalls['programs']['output']['programs'];
    return { programs };
  }

  /** Replays of an exchange that are not deleted, oldest first; the newest thousand of them. */
  replays(id: number): ReaderCalls['replays']['output'] {
    const newestFirst = this.#database
      .prepare(
        `SELECT id FROM exchange INDEXED BY exchange_replays
         WHERE replay_of = ? AND replay_of > 0 AND session_id > 0 ORDER BY id DESC LIMIT ${String(MOST_REPLAYS)}`,
      )
      .pluck()
      .all(id) as number[];
    return { ids: newestFirst.reverse() };
  }

  close(): void {
    this.#candidates.close();
    this.#decoded.close();
    this.#database.close();
  }

  /** A decoded body as text; null when it was not kept or is longer than that. */
  async #bodyText(id: number, side: MessageSide, mostBytes: number): Promise<string | null> {
    try {
      const input = { id, side, form: 'decoded', offset: 0, length: mostBytes } as const;
      const { bytes, totalBytes } = await this.readBody(input);
      return bytes.length === totalBytes ? Buffer.from(bytes).toString('utf8') : null;
    } catch (error: unknown) {
      if (error instanceof ContractError && error.code === 'body-dropped') return null;
      throw error;
    }
  }

  #rawMessage(id: number, side: MessageSide, as: 'received' | 'sent'): RawMessage {
    const stored = this.#details.find(id);
    const { row, detail } = stored;
    const received = side === 'request' ? detail.request_head : detail.response_head;
    const sent = side === 'request' ? detail.request_sent_head : detail.response_sent_head;
    const sentFraming = side === 'request' ? detail.request_sent_framing : detail.response_sent_framing;
    const payload = this.#details.openRun(row.id, side, 'body');
    const cut = payload === null || isCut(stored, side, payload.length);
    const body = payload ?? NO_BYTES;
    return {
      head: (as === 'sent' ? sent : null) ?? received ?? Buffer.alloc(0),
      payload: body,
      framing: this.#framing(row.id, side, as === 'sent' ? sentFraming : 'as-received', body.length),
      cut,
    };
  }

  #framing(id: number, side: MessageSide, kind: string, payloadBytes: number): Buffer {
    if (kind === 'identity') return Buffer.alloc(0);
    if (kind === 'chunked') return oneChunk(payloadBytes);
    const run = this.#details.openRun(id, side, 'framing');
    if (run === null) return Buffer.alloc(0);
    try {
      return run.read(0, run.length);
    } finally {
      run.close();
    }
  }

  /** @throws ContractError `body-dropped` when bytes passed and none were kept */
  #openBody({ row }: StoredExchange, side: MessageSide): StoredBytes {
    const run = this.#details.openRun(row.id, side, 'body');
    const passed = side === 'request' ? row.request_body_bytes : row.response_body_bytes;
    if (run !== null && (run.length > 0 || passed === 0)) return run;
    run?.close();
    if (run !== null && row.state === 'active') return NO_BYTES;
    throw new ContractError(
      'body-dropped',
      run === null
        ? 'The file of this body is missing from the data folder.'
        : 'This body was not recorded: recording of bodies was limited, or the store could not keep up.',
    );
  }
}

const NO_BYTES: StoredBytes = { length: 0, read: () => Buffer.alloc(0), close: () => undefined };

function codingsOf({ detail }: StoredExchange, side: MessageSide): readonly string[] {
  const head = side === 'request' ? detail.request_head : detail.response_head;
  return head === null ? [] : contentCodingsOf(parseHead(head).headers);
}

/** Fewer bytes are stored than passed; while they are still coming that says nothing. */
function isCut({ row }: StoredExchange, side: MessageSide, storedBytes: number): boolean {
  const passed = side === 'request' ? row.request_body_bytes : row.response_body_bytes;
  return row.state !== 'active' && storedBytes < passed;
}
