import { ContractError, MAX_IDS } from '#contract';
import type { ExchangeId, ExchangeQuery, ExchangeSummary, SessionId, SortColumn, StreamHandle } from '#contract';
import type { Backend } from './connection.svelte.ts';
import { ExchangePages, PAGE_ROWS } from './exchange-pages.ts';

/** What is listed, and in which order. */
export interface ListOrder {
  readonly sort: SortColumn;
  readonly descending: boolean;
}

export const TIME_ORDER: ListOrder = { sort: 'time', descending: false };

/** A wish of the model that the view scrolls: to a row, or along with rows that stand further down now. New each time. */
export type ScrollWish =
  { readonly index: number; readonly align: 'nearest' | 'centre' | 'start' | 'end' } | { readonly shift: number };

/** New exchanges are counted exactly up to this; then the pill says "100,000+". */
export const MOST_PENDING = 100_000;

/** Rows of a selected range that are looked up at most. */
export const MOST_RANGE = MAX_IDS;

/** With a filter on, only the backend knows what matches: it is asked at most this often, milliseconds. */
const REFRESH_MILLISECONDS = 250;

/** Runs a function soon, once a frame; tests hand in their own. */
export type Schedule = (run: () => void) => void;

/**
 * The exchange list as a window over the store: rows are loaded in pages by position, and changes arrive as a stream.
 *
 * In *follow* mode (ordered by time, at the tail) new rows are appended as they begin. Otherwise the list is a snapshot:
 * rows fill in as they finish, nothing moves, and `pending` counts what is new.
 */
export class ExchangeList {
  readonly #backend: Backend;
  readonly #schedule: Schedule;
  readonly #pages = new ExchangePages();
  readonly #unseen = new Set<ExchangeId>();

  #session: SessionId | null = null;
  #filter = $state('');
  #order = $state.raw<ListOrder>(TIME_ORDER);
  #total = $state(0);
  #pending = $state(0);
  #follow = $state(true);
  #loading = $state(false);
  #loaded = $state(false);
  #problem = $state.raw<ContractError | null>(null);
  #version = $state(0);
  #news = $state(0);
  #scrollWish = $state.raw<ScrollWish | null>(null);

  /** Highest id that the snapshot holds; null while following. */
  #upTo: ExchangeId | null = null;
  #highestId: ExchangeId = 0;
  #generation = 0;
  /** Ends the questions of the load that is under way. */
  #asking = new AbortController();
  #stream: StreamHandle | null = null;
  #incoming: ExchangeSummary[] = [];
  #wanted = { first: 0, end: 0 };
  /** The newest matches are shown while the others are being counted. */
  #previewing = false;
  readonly #inFlight = new Set<number>();
  #refresh: ReturnType<typeof setTimeout> | null = null;
  #refreshMilliseconds = REFRESH_MILLISECONDS;

  constructor(backend: Backend, schedule: Schedule = (run) => requestAnimationFrame(run)) {
    this.#backend = backend;
    this.#schedule = schedule;
  }

  get session(): SessionId | null {
    return this.#session;
  }

  get filter(): string {
    return this.#filter;
  }

  get order(): ListOrder {
    return this.#order;
  }

  /** Rows of the list. */
  get total(): number {
    return this.#total;
  }

  /** Exchanges that came since the snapshot and are not shown. */
  get pending(): number {
    return this.#pending;
  }

  get follow(): boolean {
    return this.#follow;
  }

  get loading(): boolean {
    return this.#loading;
  }

  /** False until the first answer for the session. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Why the last query failed; a `bad-filter` names the place in the text. */
  get problem(): ContractError | null {
    return this.#problem;
  }

  /** Grows with each change of a loaded row; reading it in a derivation follows the rows. */
  get version(): number {
    return this.#version;
  }

  /** Grows when traffic changed something in the session, loaded or not; for what is counted elsewhere. */
  get news(): number {
    return this.#news;
  }

  get scrollWish(): ScrollWish | null {
    return this.#scrollWish;
  }

  rowAt(index: number): ExchangeSummary | undefined {
    return this.#pages.at(index);
  }

  rowOf(id: ExchangeId): ExchangeSummary | undefined {
    return this.#pages.get(id);
  }

  indexOf(id: ExchangeId): number | undefined {
    return this.#pages.indexOf(id);
  }

  covers(first: number, end: number): boolean {
    return this.#pages.covers(first, Math.min(end, this.#total));
  }

  /** Lists a session, from its tail. */
  show(session: SessionId): void {
    this.#session = session;
    this.#highestId = 0;
    this.#loaded = false;
    this.#pages.clear();
    this.#total = 0;
    this.#stream?.close();
    this.#incoming = [];
    this.#stream = this.#backend.stream(
      'exchanges.changed',
      { session },
      {
        items: (items) => this.#receive(items),
        gap: () => {
          this.#onGap();
        },
      },
    );
    void this.#load(null);
  }

  /** @param keep the exchange to keep in view, if the filter leaves it in */
  setFilter(filter: string, keep: ExchangeId | null): void {
    if (filter === this.#filter && this.#problem === null) return;
    this.#filter = filter;
    void this.#load(keep);
  }

  /** @param keep the exchange to keep in view */
  setOrder(order: ListOrder, keep: ExchangeId | null): void {
    this.#order = order;
    void this.#load(keep);
  }

  /** Asks again, with everything that came meanwhile: the pill, and after a removal. */
  reload(keep: ExchangeId | null = null): void {
    void this.#load(keep);
  }

  /** Something in the list is being read: nothing moves from now on, also at the tail. */
  hold(): void {
    this.setAtTail(false);
  }

  /** The view tells whether it stands at the tail. Leaving it makes a snapshot; coming back follows again. */
  setAtTail(atTail: boolean): void {
    if (!isTimeOrder(this.#order) || atTail === this.#follow || (this.#loading && !this.#previewing)) return;
    if (this.#previewing) {
      // What comes of it is known when all are counted.
      this.#follow = atTail;
    } else if (!atTail) {
      this.#follow = false;
      this.#upTo = this.#highestId;
    } else {
      this.#follow = true;
      this.#upTo = null;
      if (this.#pending > 0) void this.#load(null);
    }
  }

  /** The view tells which rows it shows (`end` not included); they and their neighbours are loaded. */
  ensure(first: number, end: number): void {
    this.#wanted = { first, end };
    this.#pages.touch(first, end);
    this.#fetchWanted();
  }

  /**
   * The ids of a range of positions, both ends included, in order; looked up where not loaded, {@link MOST_RANGE} at most.
   * @throws ContractError
   */
  async idsBetween(from: number, to: number): Promise<ExchangeId[]> {
    const first = Math.max(0, Math.min(from, to));
    const end = Math.min(this.#total, Math.max(from, to) + 1, first + MOST_RANGE);
    const ids: ExchangeId[] = [];
    for (let index = first; index < end; index += 1) {
      const row = this.#pages.at(index);
      if (row === undefined) break;
      ids.push(row.id);
    }
    const rest = first + ids.length;
    if (rest >= end) return ids;
    const query = { ...this.#query(), index: rest, limit: end - rest };
    const found = await this.#backend.call('exchanges.ids', query);
    return [...ids, ...found.ids];
  }

  /** Brings an exchange into view, if the list has it; answers its position. */
  async reveal(id: ExchangeId): Promise<number | null> {
    const index = this.#pages.indexOf(id) ?? (await this.#findIndex(id));
    if (index !== null) this.#scrollWish = { index, align: 'centre' };
    return index;
  }

  /** The row that takes the place of those that go: the first behind them, else the last before them; loaded ones only. */
  neighbourOf(ids: ReadonlySet<ExchangeId>): ExchangeId | null {
    const places = [...ids].map((id) => this.#pages.indexOf(id)).filter((place) => place !== undefined);
    if (places.length === 0) return null;
    const first = Math.min(...places);
    const behind = (index: number): ExchangeId | undefined => this.#pages.at(index)?.id;
    for (let index = first, id = behind(index); id !== undefined; index += 1, id = behind(index)) {
      if (!ids.has(id)) return id;
    }
    for (let index = first - 1, id = behind(index); id !== undefined; index -= 1, id = behind(index)) {
      if (!ids.has(id)) return id;
    }
    return null;
  }

  /** Rows of the list were deleted: the others close up, and the view stays where it is. */
  removed(ids: readonly ExchangeId[]): void {
    this.#total -= Math.min(this.#total, ids.length);
    if (!this.#pages.remove(ids)) this.#pages.clear();
    this.#version += 1;
    this.#news += 1;
    this.#generation += 1;
    this.#inFlight.clear();
    this.#fetchWanted();
  }

  close(): void {
    this.#stream?.close();
    this.#generation += 1;
    if (this.#refresh !== null) clearTimeout(this.#refresh);
  }

  async #load(keep: ExchangeId | null): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    const generation = ++this.#generation;
    this.#cancelRefresh();
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#loading = true;
    this.#previewing = false;
    if (this.#filter !== '' && isTimeOrder(this.#order)) void this.#showNewest(generation);
    try {
      await (isTimeOrder(this.#order) ? this.#loadByTime(generation, keep) : this.#loadSnapshot(generation, keep));
      if (generation !== this.#generation) return;
      this.#problem = null;
      this.#loaded = true;
    } catch (error: unknown) {
      if (generation !== this.#generation) return;
      this.#problem = error instanceof ContractError ? error : new ContractError('internal', String(error));
    }
    this.#loading = false;
    this.#previewing = false;
    this.#inFlight.clear();
    this.#fetchWanted();
  }

  /**
   * The newest matches before anyone knows how many there are: a filter that looks into bodies may take a while to be
   * counted, and what it finds first is often what was looked for.
   */
  async #showNewest(generation: number): Promise<void> {
    const query = { session: this.#session ?? 0, filter: this.#filter, sort: 'time', descending: true } as const;
    try {
      const { rows } = await this.#backend.call(
        'exchanges.query',
        { ...query, after: null, limit: PAGE_ROWS },
        { signal: this.#asking.signal },
      );
      if (generation !== this.#generation || !this.#loading || rows.length === 0) return;
      this.#begin(rows.length);
      this.#pages.put(0, rows.toReversed());
      this.#loaded = true;
      this.#previewing = true;
      this.#follow = true;
      this.#scrollWish = { index: rows.length - 1, align: 'end' };
    } catch {
      // The load itself tells what is wrong.
    }
  }

  /** Gives up the load that is under way; what it found so far stays. */
  cancel(): void {
    if (!this.#loading) return;
    this.#generation += 1;
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#loading = false;
    this.#previewing = false;
  }

  /** Time order: the tail, or the neighbourhood of the exchange to keep when it does not stand in the tail. */
  async #loadByTime(generation: number, keep: ExchangeId | null): Promise<void> {
    this.#upTo = null;
    const { count } = await this.#count(null);
    const start = Math.max(0, Math.floor((count - 1) / PAGE_ROWS) * PAGE_ROWS - PAGE_ROWS);
    const { rows } = await this.#queryAt(start, 3 * PAGE_ROWS);
    const kept = keep === null || rows.some((row) => row.id === keep) ? null : await this.#findIndex(keep);
    const around = kept === null ? null : Math.max(0, Math.floor(kept / PAGE_ROWS) * PAGE_ROWS - PAGE_ROWS);
    const aroundRows = around === null ? [] : (await this.#queryAt(around, 3 * PAGE_ROWS)).rows;
    if (generation !== this.#generation) return;
    // Somebody scrolled up in the newest matches meanwhile: what is being read there stays where it is.
    const read = keep === null && this.#previewing && !this.#follow ? this.#wanted.first : null;
    const readId = read === null ? undefined : this.#pages.at(read)?.id;
    this.#begin(rows.length < 3 * PAGE_ROWS ? start + rows.length : Math.max(count, start + rows.length));
    this.#pages.put(start, rows);
    if (around !== null) this.#pages.put(around, aroundRows);
    for (const row of rows) this.#highestId = Math.max(this.#highestId, row.id);
    const readAt = readId === undefined ? undefined : this.#pages.indexOf(readId);
    if (read !== null && readAt !== undefined) {
      this.#upTo = this.#highestId;
      this.#scrollWish = { shift: readAt - read };
      return;
    }
    const place = keep === null ? undefined : (this.#pages.indexOf(keep) ?? kept ?? undefined);
    this.#follow = place === undefined || place >= this.#total - 8;
    if (this.#follow) {
      this.#scrollWish = { index: Math.max(0, this.#total - 1), align: 'end' };
    } else {
      this.#upTo = this.#highestId;
      this.#scrollWish = { index: place ?? 0, align: 'centre' };
    }
  }

  /** Any other order: a snapshot of everything up to the newest exchange. */
  async #loadSnapshot(generation: number, keep: ExchangeId | null): Promise<void> {
    const upTo = await this.#newestId();
    this.#upTo = upTo;
    const [{ count }, top, kept] = await Promise.all([
      this.#count(upTo),
      this.#queryAt(0, 2 * PAGE_ROWS),
      keep === null ? null : this.#findIndex(keep),
    ]);
    const around = kept === null ? 0 : Math.max(0, Math.floor(kept / PAGE_ROWS) * PAGE_ROWS - PAGE_ROWS);
    const aroundRows = around === 0 ? [] : (await this.#queryAt(around, 3 * PAGE_ROWS)).rows;
    if (generation !== this.#generation) return;
    this.#begin(count);
    this.#follow = false;
    this.#pages.put(0, top.rows);
    if (around > 0) this.#pages.put(around, aroundRows);
    this.#scrollWish = kept === null ? { index: 0, align: 'start' } : { index: kept, align: 'centre' };
  }

  #begin(total: number): void {
    this.#pages.clear();
    this.#unseen.clear();
    this.#pending = 0;
    this.#total = total;
    this.#version += 1;
  }

  #fetchWanted(): void {
    if (this.#loading || !this.#loaded) return;
    const { first, end } = this.#wanted;
    const last = Math.min(this.#total, end + PAGE_ROWS) - 1;
    const begin = Math.max(0, first - PAGE_ROWS);
    // What is on the screen first, then what is next to it.
    const centre = Math.floor((first + end) / 2 / PAGE_ROWS);
    const numbers: number[] = [];
    for (let number = Math.floor(begin / PAGE_ROWS); number * PAGE_ROWS <= last; number += 1) numbers.push(number);
    numbers.sort((one, other) => Math.abs(one - centre) - Math.abs(other - centre));
    for (const number of numbers) {
      if (this.#inFlight.size >= 2) return;
      const start = number * PAGE_ROWS;
      if (this.#inFlight.has(number) || this.#pages.covers(start, Math.min(start + PAGE_ROWS, this.#total))) continue;
      void this.#fetchPage(number);
    }
  }

  async #fetchPage(number: number): Promise<void> {
    const generation = this.#generation;
    this.#inFlight.add(number);
    try {
      const { rows } = await this.#queryAt(number * PAGE_ROWS, PAGE_ROWS);
      if (generation !== this.#generation) return;
      this.#pages.put(number * PAGE_ROWS, rows);
      this.#version += 1;
      this.#inFlight.delete(number);
      if (rows.length === 0) {
        // The list became shorter behind our back.
        this.#refreshSoon();
        return;
      }
      this.#fetchWanted();
    } catch (error: unknown) {
      if (generation !== this.#generation) return;
      this.#inFlight.delete(number);
      if (error instanceof ContractError && error.code !== 'unavailable') this.#problem = error;
    }
  }

  /** Rows of the stream wait for the next frame; the stream gets its credit back after that. */
  #receive(items: readonly ExchangeSummary[]): Promise<void> {
    return new Promise((resolve) => {
      const first = this.#incoming.length === 0;
      for (const item of items) this.#incoming.push(item);
      this.#schedule(() => {
        if (first) this.#applyIncoming();
        resolve();
      });
    });
  }

  #applyIncoming(): void {
    const items = this.#incoming;
    this.#incoming = [];
    let changed = false;
    let grown = this.#total;
    let unsure = false;
    const filtered = this.#filter !== '';
    for (const item of items) {
      if (this.#pages.replace(item)) {
        changed = true;
      } else if (this.#loading || !this.#loaded) {
        // The running query has it or asks again.
        unsure = true;
      } else if (filtered) {
        unsure = true;
      } else if (item.id > this.#highestId) {
        if (this.#follow) {
          this.#pages.append(grown, item);
          grown += 1;
          changed = true;
        } else if (this.#unseen.size < MOST_PENDING) {
          this.#unseen.add(item.id);
        }
      } else if (this.#follow) {
        unsure = item.state === 'active' || unsure;
      } else if (this.#upTo !== null && item.id > this.#upTo && this.#unseen.size < MOST_PENDING) {
        this.#unseen.add(item.id);
      }
      if (item.id > this.#highestId) this.#highestId = item.id;
    }
    this.#total = grown;
    this.#news += 1;
    if (!filtered) this.#pending = this.#unseen.size;
    if (changed) this.#version += 1;
    if (unsure) this.#refreshSoon();
  }

  #onGap(): void {
    this.#news += 1;
    if (!this.#loaded) {
      void this.#load(null);
      return;
    }
    if (this.#follow) {
      this.#refreshSoon();
      return;
    }
    // Rows on the screen may be stale; their places are not.
    this.#pages.clear();
    this.#fetchWanted();
    this.#refreshSoon();
  }

  /** Asks the backend about what the stream alone cannot tell; never faster than it answers. */
  #refreshSoon(): void {
    this.#refresh ??= setTimeout(() => void this.#runRefresh(), this.#refreshMilliseconds);
  }

  async #runRefresh(): Promise<void> {
    const generation = this.#generation;
    const began = performance.now();
    try {
      if (this.#follow) await this.#refreshTail(generation);
      else await this.#refreshPending(generation);
    } catch {
      // The connection says so by itself, and asks again when it is back.
    }
    this.#refresh = null;
    // A query that takes long is asked seldom.
    this.#refreshMilliseconds = Math.max(REFRESH_MILLISECONDS, 4 * (performance.now() - began));
  }

  async #refreshTail(generation: number): Promise<void> {
    const { count } = await this.#count(null);
    const start = Math.max(0, Math.floor((count - 1) / PAGE_ROWS) * PAGE_ROWS - PAGE_ROWS);
    const { rows } = await this.#queryAt(start, 3 * PAGE_ROWS);
    if (generation !== this.#generation || !this.#follow) return;
    this.#begin(rows.length < 3 * PAGE_ROWS ? start + rows.length : Math.max(count, start + rows.length));
    this.#pages.put(start, rows);
    for (const row of rows) this.#highestId = Math.max(this.#highestId, row.id);
    this.#fetchWanted();
  }

  async #refreshPending(generation: number): Promise<void> {
    const { count } = await this.#count(null);
    if (generation !== this.#generation || this.#follow) return;
    if (this.#filter !== '' || count - this.#total > this.#unseen.size) {
      this.#pending = Math.max(0, Math.min(MOST_PENDING, count - this.#total));
    }
  }

  #cancelRefresh(): void {
    if (this.#refresh !== null) clearTimeout(this.#refresh);
    this.#refresh = null;
  }

  #query(): ExchangeQuery {
    return { session: this.#session ?? 0, filter: this.#filter, ...this.#order, upTo: this.#upTo };
  }

  #queryAt(index: number, limit: number): Promise<{ readonly rows: readonly ExchangeSummary[] }> {
    return this.#backend.call('exchanges.queryAt', { ...this.#query(), index, limit }, { signal: this.#asking.signal });
  }

  #count(upTo: ExchangeId | null): Promise<{ readonly count: number }> {
    return this.#backend.call(
      'exchanges.count',
      { session: this.#session ?? 0, filter: this.#filter, upTo },
      { signal: this.#asking.signal },
    );
  }

  async #findIndex(id: ExchangeId): Promise<number | null> {
    const { index } = await this.#backend.call('exchanges.indexOf', { ...this.#query(), id });
    return index;
  }

  async #newestId(): Promise<ExchangeId> {
    const { rows } = await this.#backend.call('exchanges.query', {
      session: this.#session ?? 0,
      filter: '',
      sort: 'time',
      descending: true,
      after: null,
      limit: 1,
    });
    this.#highestId = Math.max(this.#highestId, rows[0]?.id ?? 0);
    return this.#highestId;
  }
}

function isTimeOrder(order: ListOrder): boolean {
  return order.sort === 'time' && !order.descending;
}
