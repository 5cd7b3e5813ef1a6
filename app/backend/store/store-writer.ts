import type { Database } from 'better-sqlite3';
import { readBatch } from '../../../proxy-engine/batches.ts';
import {
  ContractError,
  type ExchangeId,
  type ExchangeSummary,
  type MessageSummary,
  type RetentionSettings,
  type SessionId,
  type SessionInfo,
  type StoreTrouble,
} from '#contract';
import { probeSpool } from './body-files.ts';
import { Checkpointer } from './checkpointer.ts';
import { ExchangeAssembler } from './exchange-assembler.ts';
import { ExchangeRows, settleRuns } from './exchange-rows.ts';
import { openForWriting, setDamagedAside } from './open-database.ts';
import { ExchangeEdits, type MarkChange, type NamedClient } from './exchange-edits.ts';
import { Housekeeper } from './housekeeper.ts';
import type { PendingExchange } from './pending-exchange.ts';
import type { StoreOpened } from './protocol.ts';
import { recover } from './recovery.ts';
import { interruptedSession, Sessions } from './sessions.ts';
import { surroundingsOf } from './store-error.ts';
import { StoreFolder } from './store-folder.ts';
import { Tallies } from './tallies.ts';
import { Troubles } from './troubles.ts';

/** Time between a batch and the commit that makes it safe from a crash. */
const COMMIT_MS = 40;
/** Commits that take long come less often, since fewer and larger ones cost less; never later than this. */
const MOST_COMMIT_MS = 100;
const COMMIT_SHARE = 4;
/** A commit comes earlier when batches of this many bytes are held. */
const COMMIT_BYTES = 4_194_304;
const RETRY_MS = 1_000;
const SESSION_EVENT_MS = 500;
/** Rows of one `changed` event at most. */
const MOST_TOLD = 1_000;

/** One engine thread's way into the store. */
export interface CaptureSource {
  /** Null: whichever session is current. */
  readonly session: SessionId | null;
  /** These buffers were taken and can be written again. */
  giveBack(slabs: readonly ArrayBuffer[]): void;
}

/** What the writer needs of its host, and tells it. */
export interface WriterHost {
  /** Microseconds since the Unix epoch. */
  now(): number;
  changed(exchanges: readonly ExchangeSummary[]): void;
  messages(messages: readonly MessageSummary[]): void;
  session(session: SessionInfo): void;
  trouble(trouble: StoreTrouble | null): void;
}

interface OpenStore {
  readonly database: Database;
  readonly rows: ExchangeRows;
  readonly sessions: Sessions;
  readonly tallies: Tallies;
  readonly edits: ExchangeEdits;
  readonly housekeeper: Housekeeper;
  readonly checkpointer: Checkpointer;
  readonly recovered: number;
  current: SessionInfo;
}

interface HeldBatch {
  readonly batch: ArrayBuffer;
  readonly source: CaptureSource;
}

/**
 * The one writer of a data folder. Batches are committed together after at most 40 ms and given back after the commit, so
 * that what is not safe yet counts against the engine's credit. When the disk fails nothing is thrown: batches are held,
 * the engine's credit runs out and capture degrades, and a retry each second goes on where it stopped.
 */
export class StoreWriter {
  /** Whether `changed` is told. */
  watched = false;
  /** Exchanges of which `messages` is told. */
  watchedMessages: ReadonlySet<ExchangeId> = new Set();
  readonly #folder: StoreFolder;
  readonly #host: WriterHost;
  readonly #assembler: ExchangeAssembler;
  readonly #troubles: Troubles;
  #store: OpenStore | null = null;
  /** Batches that came while the database was not open. */
  #unread: HeldBatch[] = [];
  #held: HeldBatch[] = [];
  #heldBytes = 0;
  /** The last commit failed; only the retry tries again. */
  #blocked = false;
  #commitMs = COMMIT_MS;
  #commitTimer: NodeJS.Timeout | null = null;
  #retryTimer: NodeJS.Timeout | null = null;
  #sessionTimer: NodeJS.Timeout | null = null;
  #retention: RetentionSettings | null = null;
  #closed = false;
  readonly #awaitingEnds: (() => void)[] = [];
  /** A batch came since housekeeping asked last. */
  #traffic = false;

  constructor(folder: string, host: WriterHost) {
    this.#folder = new StoreFolder(folder);
    this.#host = host;
    this.#assembler = new ExchangeAssembler(this.#folder, () => {
      this.#commitSoon();
      if (!this.#assembler.isEnding) for (const resolve of this.#awaitingEnds.splice(0)) resolve();
    });
    this.#troubles = new Troubles((trouble) => {
      host.trouble(trouble);
    });
  }

  /** Opens the data folder. When that fails the trouble is told, and ids are given that no row has. */
  open(): StoreOpened {
    const store = this.#tryOpen();
    if (store === null) {
      const now = this.#host.now();
      const ids = Math.floor(now / 1_000) * 64;
      const session = { id: 0, name: 'Not recorded', startedAt: now, endedAt: null, exchanges: 0, sample: false };
      return { session, nextExchangeId: ids, nextConnectionId: ids, recovered: 0 };
    }
    return {
      session: store.current,
      nextExchangeId: nextId(store.database, 'exchange'),
      nextConnectionId: nextId(store.database, 'connection'),
      recovered: store.recovered,
    };
  }

  /** Takes one batch; never throws. */
  take(batch: ArrayBuffer, source: CaptureSource): void {
    if (this.#closed) return;
    this.#traffic = true;
    const held = { batch, source };
    if (this.#store === null) this.#unread.push(held);
    else this.#read(this.#store, held);
    if (this.#blocked) return;
    if (this.#heldBytes >= COMMIT_BYTES) this.commit();
    else this.#commitSoon();
  }

  /** Writes what is held. False when the disk does not take it; it stays held then. */
  commit(): boolean {
    if (this.#commitTimer !== null) clearTimeout(this.#commitTimer);
    this.#commitTimer = null;
    if (this.#closed) return false;
    const store = this.#store ?? this.#tryOpen();
    if (store === null) return false;
    const startedAt = performance.now();
    try {
      this.#commitTouched(store);
      this.#blocked = false;
      const took = performance.now() - startedAt;
      this.#commitMs = Math.min(MOST_COMMIT_MS, Math.max(COMMIT_MS, took * COMMIT_SHARE));
      return true;
    } catch (error: unknown) {
      this.#blocked = true;
      this.#troubles.report(error, 'nothing', this.#host.now());
      if (surroundingsOf(error)?.code === 'damaged') this.#abandon(store);
      this.#retryLater();
      return false;
    }
  }

  /**
   * Commits what is held, with the messages that are being decoded of exchanges that are over.
   * @throws ContractError `unavailable` with the reason when the disk does not take it
   */
  async flush(): Promise<void> {
    if (this.#assembler.isEnding) await new Promise<void>((resolve) => this.#awaitingEnds.push(resolve));
    this.#require();
  }

  /** Ends the current session and makes a new one current. @throws ContractError `unavailable` */
  beginSession(name: string | null): SessionInfo {
    const store = this.#require();
    const now = this.#host.now();
    store.sessions.end(store.current.id, now);
    store.current = store.sessions.add(name ?? nameAt(now), false, now);
    this.#assembler.sessionChanged();
    return store.current;
  }

  /** Makes a session beside the current one. @throws ContractError `unavailable` */
  addSession(name: string, sample: boolean): SessionInfo {
    return this.#require().sessions.addBeside(name, sample, this.#host.now());
  }

  /** Ends a session beside the current one; null when it is empty, and gone. @throws ContractError `unavailable` */
  endSession(id: SessionId): SessionInfo | null {
    const store = this.#require();
    store.sessions.end(id, this.#host.now());
    return store.sessions.find(id);
  }

  /**
   * Deletes a session; resolves when its disk space is free again.
   * @throws ContractError `unavailable`, `conflict` for the current session, `not-found`
   */
  async removeSession(id: SessionId): Promise<void> {
    const store = this.#require();
    if (store.current.id === id) {
      throw new ContractError('conflict', 'This session is being recorded. Begin a new one first, then delete it.');
    }
    if (store.sessions.find(id) === null) throw notFound();
    this.#assembler.dropWhere((session) => session === id);
    store.sessions.remove(id);
    await store.housekeeper.purge();
  }

  /** @throws ContractError `unavailable`, `not-found` */
  renameSession(id: SessionId, name: string): SessionInfo {
    const store = this.#require();
    if (store.sessions.find(id) === null) throw notFound();
    store.sessions.rename(id, name);
    const session = store.sessions.require(id);
    if (id === store.current.id) {
      store.current = session;
      this.#host.session(session);
    }
    return session;
  }

  /**
   * Moves everything of one session into another.
   * @throws ContractError `unavailable`, `not-found`, `conflict` for the current session or the same one twice
   */
  async mergeSessions(from: SessionId, into: SessionId): Promise<SessionInfo> {
    const store = this.#require();
    if (from === store.current.id || from === into) {
      throw new ContractError('conflict', 'This session is being recorded. Begin a new one first, then merge it.');
    }
    if (store.sessions.find(from) === null || store.sessions.find(into) === null) throw notFound();
    this.#assembler.dropWhere((session) => session === from);
    await store.housekeeper.merge(from, into);
    return store.sessions.require(into);
  }

  /** Labels or pins. @throws ContractError `unavailable` */
  mark(ids: readonly ExchangeId[], change: MarkChange): void {
    const store = this.#require();
    store.edits.mark(ids, change);
    this.#tellMarks(store, ids);
  }

  /** @throws ContractError `unavailable`, `not-found` */
  comment(id: ExchangeId, text: string): void {
    const store = this.#require();
    if (!store.edits.comment(id, text)) throw notFound('exchange');
    this.#tellMarks(store, [id]);
  }

  /** Takes exchanges out of every list and returns those that were in one. @throws ContractError `unavailable` */
  remove(ids: readonly ExchangeId[]): readonly ExchangeId[] {
    const store = this.#require();
    const hidden = store.edits.hide(ids);
    this.#setHidden(hidden, true);
    store.housekeeper.hid();
    this.#tellSessionSoon();
    return hidden;
  }

  /** Brings deleted exchanges back that were not purged yet. @throws ContractError `unavailable` */
  restore(ids: readonly ExchangeId[]): readonly ExchangeId[] {
    const store = this.#require();
    const restored = store.edits.restore(ids);
    this.#setHidden(restored, false);
    this.#tellSessionSoon();
    return restored;
  }

  /** What begins on this client connection repeats `original`; null: from now on it does not. */
  expectReplay(clientAddress: string, original: ExchangeId | null): void {
    if (original === null) this.#assembler.replays.forget(clientAddress);
    else this.#assembler.replays.expect(clientAddress, original);
  }

  /** Exchanges of these connections get the name of their program, those to come too. @throws ContractError `unavailable` */
  namePrograms(clients: readonly NamedClient[]): void {
    const store = this.#require();
    for (const client of clients) {
      const ids = this.#assembler.nameClient(client.connection, client.name);
      store.edits.setProgram(client, ids);
      this.#tellMarks(store, ids);
    }
  }

  /** @throws ContractError `unavailable` */
  retain(retention: RetentionSettings): void {
    this.#retention = retention;
    this.#require().housekeeper.keepWithin(retention);
  }

  /** @throws ContractError `unavailable` */
  async compact(): Promise<void> {
    await this.#require().housekeeper.compact();
  }

  /** Commits, ends the session and closes the database. */
  close(): void {
    this.#assembler.finishEnding();
    this.commit();
    this.#closed = true;
    for (const timer of [this.#commitTimer, this.#retryTimer, this.#sessionTimer]) {
      if (timer !== null) clearTimeout(timer);
    }
    const store = this.#store;
    this.#store = null;
    if (store === null) return;
    store.housekeeper.close();
    store.checkpointer.close();
    try {
      store.sessions.end(store.current.id, this.#host.now());
      store.database.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error: unknown) {
      this.#troubles.report(error, 'nothing', this.#host.now());
    }
    store.database.close();
  }

  #commitSoon(): void {
    if (this.#closed || this.#blocked) return;
    this.#commitTimer ??= setTimeout(() => {
      this.commit();
    }, this.#commitMs);
  }

  #require(): OpenStore {
    const { standing } = this.#troubles;
    if (this.commit() && this.#store !== null) return this.#store;
    throw new ContractError('unavailable', (this.#troubles.standing ?? standing)?.message ?? 'The store is closed.');
  }

  #tryOpen(): OpenStore | null {
    const now = this.#host.now();
    try {
      const { database, setAside } = openForWriting(this.#folder, Math.floor(now / 1_000));
      const recovered = recover(database, this.#folder);
      const sessions = new Sessions(database);
      const current = interruptedSession(database) ?? sessions.add(nameAt(now), false, now);
      const edits = new ExchangeEdits(database);
      const housekeeper = this.#keepHouse(database, edits);
      const store = {
        database,
        rows: new ExchangeRows(database),
        sessions,
        tallies: new Tallies(database),
        edits,
        housekeeper,
        checkpointer: new Checkpointer(database, this.#folder),
        recovered,
        current,
      };
      this.#store = store;
      if (setAside !== null) this.#troubles.reportSetAside(setAside, now);
      if (this.#troubles.standing !== null) this.#retryLater();
      const unread = this.#unread;
      this.#unread = [];
      for (const held of unread) this.#read(store, held);
      this.#host.session(current);
      housekeeper.purge().catch((error: unknown) => {
        this.#housekeepingFailed(housekeeper, error);
      });
      housekeeper.hid();
      if (this.#retention !== null) housekeeper.keepWithin(this.#retention);
      return store;
    } catch (error: unknown) {
      this.#blocked = true;
      this.#troubles.report(error, 'nothing', now);
      this.#retryLater();
      return null;
    }
  }

  #read(store: OpenStore, held: HeldBatch): void {
    this.#held.push(held);
    this.#heldBytes += held.batch.byteLength;
    this.#assembler.into(held.source.session ?? store.current.id);
    try {
      readBatch(held.batch, this.#assembler);
    } catch (error: unknown) {
      this.#troubles.report(error, 'some', this.#host.now());
      this.#retryLater();
    }
  }

  #commitTouched(store: OpenStore): void {
    const { touched } = this.#assembler;
    let runFailure: unknown = null;
    for (const exchange of touched) runFailure ??= settleRuns(exchange);
    try {
      this.#write(store, touched);
    } catch (error: unknown) {
      if (surroundingsOf(error) !== null) throw error;
      this.#writeOneByOne(store, error);
    }
    if (runFailure !== null) {
      this.#troubles.report(runFailure, 'bodies', this.#host.now());
      this.#retryLater();
    }
    const changed = this.watched
      ? [...touched].filter(({ hidden }) => !hidden).map((exchange) => exchange.summary)
      : [];
    const messages = this.watchedMessages.size === 0 ? [] : [...touched].flatMap((exchange) => this.#freshOf(exchange));
    const counted = touched.size > 0;
    store.checkpointer.committed(this.#heldBytes);
    this.#assembler.committed();
    this.#release();
    if (changed.length > 0) this.#host.changed(changed);
    if (messages.length > 0) this.#host.messages(messages);
    if (counted) this.#tellSessionSoon();
  }

  /** Messages that this commit stored, when somebody watches their exchange. */
  #freshOf({ begin, messages }: PendingExchange): MessageSummary[] {
    if (messages === null || !this.watchedMessages.has(begin.id)) return [];
    return messages.fresh.map(({ summary }) => summary);
  }

  #write(store: OpenStore, exchanges: Iterable<PendingExchange>): void {
    if (this.#assembler.isIdle) return;
    const { connections, frameChunks, newestExchange } = this.#assembler;
    const { recorded, adopted } = connections;
    const { rows, tallies } = store;
    tallies.reset();
    store.database
      .transaction(() => {
        for (const { session, record } of recorded) rows.connection(session, record);
        for (const { session, id } of adopted) rows.adoptConnection(session, id);
        for (const chunk of frameChunks.all()) rows.frames(chunk, newestExchange);
        for (const exchange of exchanges) {
          rows.write(exchange);
          tallies.count(exchange);
        }
        tallies.write();
      })
      .immediate();
  }

  /** One exchange that cannot be stored must not cost the others: it alone is lost. */
  #writeOneByOne(store: OpenStore, cause: unknown): void {
    let lost = 0;
    for (const exchange of [...this.#assembler.touched]) {
      try {
        this.#write(store, [exchange]);
      } catch (error: unknown) {
        if (surroundingsOf(error) !== null) throw error;
        this.#assembler.drop(exchange);
        lost += 1;
      }
      exchange.stored = true;
    }
    this.#troubles.report(cause, 'some', this.#host.now(), lost);
    this.#retryLater();
  }

  /** Gives the buffers of committed batches back to the engines that they came from. */
  #release(): void {
    const bySource = new Map<CaptureSource, ArrayBuffer[]>();
    for (const { batch, source } of this.#held) {
      const slabs = bySource.get(source);
      if (slabs === undefined) bySource.set(source, [batch]);
      else slabs.push(batch);
    }
    this.#held = [];
    this.#heldBytes = 0;
    for (const [source, slabs] of bySource) source.giveBack(slabs);
  }

  /** The database cannot be trusted any more: it is set aside, and what was being recorded into it is lost. */
  #abandon(store: OpenStore): void {
    const now = this.#host.now();
    this.#store = null;
    const lost = this.#assembler.dropWhere(() => true);
    this.#release();
    store.housekeeper.close();
    store.checkpointer.close();
    try {
      store.database.close();
      this.#troubles.reportSetAside(setDamagedAside(this.#folder, Math.floor(now / 1_000)), now, lost);
    } catch (error: unknown) {
      this.#troubles.report(error, 'nothing', now, lost);
    }
  }

  #retryLater(): void {
    if (this.#closed) return;
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = null;
      this.#retry();
    }, RETRY_MS);
  }

  /** Tries what had failed; when all of it works the trouble is over. */
  #retry(): void {
    if (!this.commit()) return;
    try {
      probeSpool(this.#folder);
      this.#troubles.clear();
    } catch (error: unknown) {
      this.#troubles.report(error, 'bodies', this.#host.now());
      this.#retryLater();
    }
  }

  #keepHouse(database: Database, edits: ExchangeEdits): Housekeeper {
    const housekeeper: Housekeeper = new Housekeeper({
      database,
      folder: this.#folder,
      edits,
      now: () => this.#host.now(),
      busy: () => {
        const came = this.#traffic;
        this.#traffic = false;
        return came;
      },
      forget: (ids) => {
        for (const id of ids) {
          const exchange = this.#assembler.active.get(id);
          if (exchange !== undefined) this.#assembler.drop(exchange);
        }
      },
      changed: () => {
        this.#tellSessionSoon();
      },
      failed: (error) => {
        this.#housekeepingFailed(housekeeper, error);
      },
    });
    return housekeeper;
  }

  /** A store that was closed meanwhile goes on with it at its next opening. */
  #housekeepingFailed(housekeeper: Housekeeper, error: unknown): void {
    if (housekeeper !== this.#store?.housekeeper) return;
    this.#troubles.report(error, 'some', this.#host.now());
    this.#retryLater();
  }

  #setHidden(ids: readonly ExchangeId[], hidden: boolean): void {
    for (const id of ids) {
      const exchange = this.#assembler.active.get(id);
      if (exchange !== undefined) exchange.hidden = hidden;
    }
  }

  /** Rows as they are marked now, also those that are being recorded still. */
  #tellMarks(store: OpenStore, ids: readonly ExchangeId[]): void {
    for (let at = 0; at < ids.length; at += MOST_TOLD) {
      const rows = store.edits.rows(ids.slice(at, at + MOST_TOLD));
      for (const { id, label, pinned, commented } of rows) {
        const exchange = this.#assembler.active.get(id);
        if (exchange !== undefined) exchange.marks = { label, pinned, commented };
      }
      if (this.watched && rows.length > 0) this.#host.changed(rows);
    }
  }

  #tellSessionSoon(): void {
    this.#sessionTimer ??= setTimeout(() => {
      this.#sessionTimer = null;
      const store = this.#store;
      if (store === null) return;
      store.current = store.sessions.require(store.current.id);
      this.#host.session(store.current);
    }, SESSION_EVENT_MS);
  }
}

function notFound(what: 'session' | 'exchange' = 'session'): ContractError {
  return new ContractError('not-found', `This ${what} does not exist any more.`);
}

const LAST_IDS = {
  exchange: 'SELECT max(id) FROM exchange',
  // The key begins with the session: one step into the index for each.
  connection: 'SELECT max((SELECT max(id) FROM connection WHERE session_id = session.id)) FROM session',
} as const;

/** The first id that no row of the data folder has or had. */
function nextId(database: Database, table: keyof typeof LAST_IDS): number {
  const mark = database.prepare(`SELECT ${table} FROM watermark`).pluck().get() as number;
  const last = database.prepare(LAST_IDS[table]).pluck().get() as number | null;
  return Math.max(mark, (last ?? 0) + 1);
}

/** A session's name until the user gives it another: when it began, in local time. */
function nameAt(microseconds: number): string {
  const date = new Date(microseconds / 1_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
