import type { Database } from 'better-sqlite3';
import {
  ContractError,
  parseFilter,
  type ExchangePage,
  type ExchangeQuery,
  type FilterNode,
  type PageKey,
  type SessionId,
} from '#contract';
import { decodeKey, encodeKey, ExchangeOrder, type KeyRange, type RowKey } from './exchange-order.ts';
import {
  both,
  BY_ID,
  conditionOf,
  needsList,
  NO_CONDITION,
  sourceOf,
  type Driver,
  type Plan,
} from './exchange-plan.ts';
import { compileFilter, driversOf, searchedTexts, type ValueColumn } from './filter-sql.ts';
import { ID_STREAMS } from './search-index.ts';
import type { Candidates, SearchCandidates } from './search-candidates.ts';
import { MatchCollector, MatchLists, type Cancellation } from './match-list.ts';
import { distinctValues, StatementCache } from './statement-cache.ts';
import { summaryOfRow, type ExchangeRow } from './summary.ts';

export const NEVER_CANCELLED: Cancellation = { cancelled: false };

/** A filter that so few rows can match at all is answered from those rows. */
const FEW_CANDIDATES = 5_000;
const FIRST_STEP_ROWS = 2_000;
const FIRST_DEEP_STEP_ROWS = 100;
const SMALLEST_STEP_ROWS = 20;
const LARGEST_STEP_ROWS = 50_000;
/** A step should not hold the thread longer than this; counted in its own time, since a busy machine is no reason for small steps. */
const STEP_MICROSECONDS = 15_000;
/** A page that has rows by then is given as it is, milliseconds. */
const PAGE_PATIENCE_MS = 300;
/** So many entries of an index are skipped in one go, a matter of 20 ms. */
const MOST_SKIPPED = 500_000;
/** So far into a scattered order a page is found without listing all of it. */
const FIRST_ROWS = 1_000;

/**
 * Answers list queries. A query without a filter follows an index. With one, the rows are walked in steps of bounded time
 * between which other questions are answered and cancellation is seen, unless an index shows that few rows can match.
 * Jumping into a filtered or sorted-on-demand query makes the list of its matches once and keeps it.
 */
export class ExchangeQueries {
  readonly #database: Database;
  readonly #statements: StatementCache;
  readonly #lists = new MatchLists();
  readonly #candidates: SearchCandidates;

  constructor(database: Database, candidates: SearchCandidates) {
    this.#database = database;
    this.#statements = new StatementCache(database);
    this.#candidates = candidates;
  }

  /**
   * One page behind `after`; a shorter one when its rows are far apart, since what was found first is often what was looked for.
   * @throws ContractError `bad-filter`, `bad-input`, `cancelled`
   */
  async page(
    query: ExchangeQuery & { readonly after: PageKey | null; readonly limit: number },
    cancellation: Cancellation,
  ): Promise<ExchangePage> {
    const plan = this.#plan(query);
    const after = query.after === null ? null : decodeKey(query.after);
    if (plan.driver === null && plan.order.scattered) {
      if (plan.filter === null) return this.#first(plan, after, query.limit, 0);
      const list = await this.#matches(query, plan, cancellation);
      const start = after === null ? 0 : await this.#placeBehind(list, plan, after, cancellation);
      return this.#asPage(plan.order, this.#byIds(list, start, query.limit), query.limit);
    }
    const rows: ExchangeRow[] = [];
    const until = performance.now() + PAGE_PATIENCE_MS;
    for await (const range of this.#ranges(plan, after, cancellation, query.limit)) {
      rows.push(...this.#rows(plan, range, query.limit - rows.length, 0));
      if (rows.length >= query.limit) break;
      if (rows.length > 0 && performance.now() > until) return this.#asPage(plan.order, rows, rows.length);
    }
    return this.#asPage(plan.order, rows, query.limit);
  }

  /** One page from the row at `index` on. @throws ContractError `bad-filter`, `cancelled` */
  async pageAt(
    query: ExchangeQuery & { readonly index: number; readonly limit: number },
    cancellation: Cancellation,
  ): Promise<ExchangePage> {
    const plan = this.#plan(query);
    if (plan.order.scattered && plan.filter === null && query.index <= FIRST_ROWS) {
      this.#listAhead(query, plan);
      return this.#first(plan, null, query.limit, query.index);
    }
    if (needsList(plan)) {
      const list = await this.#matches(query, plan, cancellation);
      return this.#asPage(plan.order, this.#byIds(list, query.index, query.limit), query.limit);
    }
    if (plan.filter === null) {
      const page = await this.#fromNearerEnd(query, plan, cancellation);
      if (page !== null) return page;
    }
    const rows: ExchangeRow[] = [];
    let skip = query.index;
    for await (const range of this.#ranges(plan, null, cancellation)) {
      if (skip > 0) {
        const matches = this.#count(plan, range);
        if (matches <= skip) {
          skip -= matches;
          continue;
        }
      }
      rows.push(...this.#rows(plan, range, query.limit - rows.length, skip));
      skip = 0;
      if (rows.length >= query.limit) break;
    }
    return this.#asPage(plan.order, rows, query.limit);
  }

  /**
   * A page of a query without a filter, by skipping in the index from the nearer end of the list: the tail of a list, which is
   * what is asked for most, costs nothing then. Null when both ends are so far that the way has to be cut into steps.
   */
  async #fromNearerEnd(
    {
      index,
      limit,
      session,
      upTo,
      sort,
      descending,
    }: ExchangeQuery & { readonly index: number; readonly limit: number },
    plan: Plan,
    cancellation: Cancellation,
  ): Promise<ExchangePage | null> {
    if (index <= MOST_SKIPPED) return this.#asPage(plan.order, this.#rows(plan, NO_CONDITION, limit, index), limit);
    const total = await this.count({ session, filter: '', upTo: upTo ?? null }, cancellation);
    const few = Math.min(limit, total - index);
    if (few <= 0) return { rows: [], next: null };
    if (total - index - few > MOST_SKIPPED) return null;
    const backwards = { ...plan, order: new ExchangeOrder(sort, !descending) };
    const rows = this.#rows(backwards, NO_CONDITION, few, total - index - few).reverse();
    return this.#asPage(plan.order, rows, limit);
  }

  /** Ids of the rows from `index` on. @throws ContractError `bad-filter`, `cancelled` */
  async idsAt(
    query: ExchangeQuery & { readonly index: number; readonly limit: number },
    cancellation: Cancellation,
  ): Promise<number[]> {
    const plan = this.#plan(query);
    if (plan.driver !== null) return (await this.pageAt(query, cancellation)).rows.map(({ id }) => id);
    const list = await this.#matches(query, plan, cancellation);
    return [...list.subarray(query.index, query.index + query.limit)];
  }

  /** How many rows a query has. @throws ContractError `bad-filter`, `cancelled` */
  async count(query: Pick<ExchangeQuery, 'session' | 'filter' | 'upTo'>, cancellation: Cancellation): Promise<number> {
    const plan = this.#plan({ ...query, sort: 'time', descending: false });
    if (plan.filter !== null) return this.#countWalk(plan, cancellation);
    // The number stands beside the rows; what came since the snapshot is counted.
    const { upTo = null, session } = query;
    const all = (): number =>
      (this.#statements.prepare('SELECT exchanges FROM session WHERE id = ?').pluck().get(session) as
        number | undefined) ?? 0;
    if (upTo === null) return all();
    const where = { condition: 'session_id = ? AND id > ?', parameters: [session, upTo] };
    const later = { ...plan, order: BY_ID, where };
    return this.#database.transaction(() => all() - this.#count(later, NO_CONDITION))();
  }

  async #countWalk(plan: Plan, cancellation: Cancellation): Promise<number> {
    let count = 0;
    for await (const range of this.#ranges(plan, null, cancellation)) count += this.#count(plan, range);
    return count;
  }

  /** How many rows of the query stand before this one; null when it is not among them. @throws as `count` */
  async indexOf(query: ExchangeQuery & { readonly id: number }, cancellation: Cancellation): Promise<number | null> {
    const plan = this.#plan(query);
    if (needsList(plan)) {
      const index = (await this.#matches(query, plan, cancellation)).indexOf(query.id);
      return index < 0 ? null : index;
    }
    const { order, where } = plan;
    const found = this.#statements
      .prepare(`SELECT ${order.column} AS value, id FROM exchange WHERE id = ? AND ${where.condition}`)
      .get(query.id, ...where.parameters) as RowKey | undefined;
    return found === undefined ? null : this.#countBefore(plan, found, cancellation);
  }

  /** Rows of the plan before a key, whether or not that is a row's. */
  async #countBefore(plan: Plan, key: RowKey, cancellation: Cancellation): Promise<number> {
    const { order, driver } = plan;
    if (driver !== null) return this.#count(plan, order.before(key));
    if (!order.scattered) {
      return this.#count(plan, order.earlierValues(key)) + this.#count(plan, order.sameValueBefore(key));
    }
    const walk = { ...plan, order: BY_ID };
    let index = 0;
    for await (const range of this.#ranges(walk, null, cancellation)) {
      index += this.#count(walk, both(range, order.before(key)));
    }
    return index;
  }

  /** Where a list goes on behind a page's last row; by counting, when that row is not in the list any more. */
  async #placeBehind(list: Float64Array, plan: Plan, after: RowKey, cancellation: Cancellation): Promise<number> {
    const index = list.indexOf(after.id);
    return index < 0 ? this.#countBefore(plan, after, cancellation) : index + 1;
  }

  /** Whoever looks at the beginning of a snapshot will jump into it: its list is made meanwhile, in steps as always. */
  #listAhead(query: ExchangeQuery, plan: Plan): void {
    if (query.upTo === undefined || query.upTo === null) return;
    this.#matches(query, plan, NEVER_CANCELLED).catch(() => {
      // The jump asks again and tells what is wrong.
    });
  }

  /** The ids of every match in the query's order. */
  #matches(query: ExchangeQuery, plan: Plan, cancellation: Cancellation): Promise<Float64Array> {
    const { session, filter, sort, descending, upTo = null } = query;
    const key = JSON.stringify([session, filter, sort, descending, upTo]);
    // What a snapshot holds stays; what follows the traffic is as of this commit.
    const version = upTo === null ? (this.#database.pragma('data_version', { simple: true }) as number) : null;
    return this.#lists.get(key, version, cancellation, (all) => this.#collect(plan, all));
  }

  async #collect(plan: Plan, cancellation: Cancellation): Promise<Float64Array> {
    const { order } = plan;
    const walk = order.scattered ? { ...plan, order: BY_ID } : plan;
    const value = order.scattered ? order.column : '0';
    const collector = new MatchCollector();
    for await (const range of this.#ranges(walk, null, cancellation)) {
      const { condition, parameters } = both(walk.where, range);
      const rows = this.#statements
        .prepare(
          `SELECT id, ${value} FROM exchange INDEXED BY ${walk.order.index}
         WHERE ${condition} ORDER BY ${walk.order.orderBy}`,
        )
        .raw()
        .all(...parameters) as [number, number][];
      for (const [id, figure] of rows) collector.add(id, figure);
    }
    if (!order.scattered) return collector.asCollected();
    return order.descending ? collector.sorted().reverse() : collector.sorted();
  }

  /**
   * The first rows of a scattered order, or those behind a key: one look at the figures of every row, of which SQLite keeps
   * the few that are asked for. Much quicker than the whole list, but only near the beginning.
   */
  #first(plan: Plan, after: RowKey | null, limit: number, offset: number): ExchangePage {
    const { condition, parameters } = after === null ? plan.where : both(plan.where, plan.order.after(after));
    const ids = this.#statements
      .prepare(
        `SELECT id FROM exchange INDEXED BY ${plan.order.index}
       WHERE ${condition} ORDER BY ${plan.order.orderBy} LIMIT ? OFFSET ?`,
      )
      .pluck()
      .all(...parameters, limit, offset) as number[];
    return this.#asPage(plan.order, this.#byIds(Float64Array.from(ids), 0, limit), limit);
  }

  /** A stretch of a list as rows; those that were deleted meanwhile are left out. */
  #byIds(list: Float64Array, start: number, limit: number): ExchangeRow[] {
    const ids = [...list.subarray(start, start + limit)];
    const rows = this.#statements
      .prepare('SELECT * FROM exchange WHERE id IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(ids)) as ExchangeRow[];
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  #plan(query: ExchangeQuery): Plan {
    const node = readFilter(query.filter);
    const { session } = query;
    const distinct = (column: ValueColumn): readonly string[] => distinctValues(this.#statements, column, session);
    const filter = compileFilter(node, distinct, (text) => this.#candidates.find(text));
    const conditions = [{ condition: 'session_id = ?', parameters: [session] }];
    if (query.upTo !== undefined && query.upTo !== null) {
      conditions.push({ condition: 'id <= ?', parameters: [query.upTo] });
    }
    const base = conditions.reduce<KeyRange>(both, NO_CONDITION);
    const where = filter === null ? base : both(base, filter);
    const order = new ExchangeOrder(query.sort, query.descending);
    return { order, session, where, filter, driver: this.#driver(node, session, distinct) };
  }

  /** The index that shows that few rows can match. */
  #driver(
    node: FilterNode | null,
    session: SessionId,
    distinct: (column: ValueColumn) => readonly string[],
  ): Driver | null {
    let fewest = FEW_CANDIDATES + 1;
    let best: Driver | null = null;
    for (const { index, sql } of driversOf(node, distinct)) {
      const candidates = this.#statements
        .prepare(
          `SELECT count(*) AS count FROM (SELECT 1 FROM exchange INDEXED BY ${index}
         WHERE session_id = ? AND ${sql.condition} LIMIT ${String(FEW_CANDIDATES + 1)})`,
        )
        .get(session, ...sql.parameters) as { count: number };
      if (candidates.count >= fewest) continue;
      fewest = candidates.count;
      best = { source: `exchange INDEXED BY ${index}`, range: sql };
    }
    for (const text of searchedTexts(node)) {
      const candidates = this.#candidates.find(text);
      const ids = candidates === null ? null : this.#fewIds(candidates, session, fewest - 1);
      if (ids === null) continue;
      fewest = ids.length;
      const condition = 'id IN (SELECT value FROM json_each(?))';
      best = { source: 'exchange NOT INDEXED', range: { condition, parameters: [JSON.stringify(ids)] } };
    }
    return best;
  }

  /** The rows that may contain a text with those that nobody knows of yet; null when there are more than `most`. */
  #fewIds({ ids, waiting, indexed }: Candidates, session: SessionId, most: number): readonly number[] | null {
    const known = ids.size + waiting.size;
    if (known > most) return null;
    const unknown = ID_STREAMS.flatMap(({ end }, stream) =>
      this.#statements
        .prepare(
          `SELECT id FROM exchange INDEXED BY exchange_figures WHERE session_id = ? AND id > ? AND id < ? LIMIT ?`,
        )
        .pluck()
        .all(session, indexed[stream] ?? -1, end, most + 1),
    ) as number[];
    return known + unknown.length > most ? null : [...ids, ...waiting, ...unknown];
  }

  /**
   * Cuts the order behind `after` into ranges, each small enough to be read in a moment.
   * @param enough rows that the caller needs; without a filter one range of that many is the first
   */
  async *#ranges(
    plan: Plan,
    after: RowKey | null,
    cancellation: Cancellation,
    enough = LARGEST_STEP_ROWS,
  ): AsyncGenerator<KeyRange> {
    const { order, driver, filter } = plan;
    if (driver !== null) {
      yield after === null ? NO_CONDITION : order.after(after);
      return;
    }
    let step = filter === null ? enough : filter.deep ? FIRST_DEEP_STEP_ROWS : FIRST_STEP_ROWS;
    let position = after;
    let sameValue = position !== null;
    for (;;) {
      if (cancellation.cancelled) throw new ContractError('cancelled', 'The query was cancelled.');
      const before = process.threadCpuUsage();
      const begin =
        position === null ? NO_CONDITION : sameValue ? order.sameValueAfter(position) : order.laterValues(position);
      const end = this.#keyAt(plan, begin, step - 1);
      yield end === null ? begin : both(begin, order.upTo(end));
      if (end !== null) position = end;
      // A stretch of equal values that ended goes over into the later values; those that ended are the end of all.
      if (end === null && !sameValue) return;
      sameValue = end !== null;
      const { user, system } = process.threadCpuUsage(before);
      const took = user + system;
      if (took > STEP_MICROSECONDS) step = Math.max(SMALLEST_STEP_ROWS, Math.floor(step / 2));
      else if (took < STEP_MICROSECONDS / 3) step = Math.min(LARGEST_STEP_ROWS, step * 2);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The key `offset` rows into a range, by the order's index alone. */
  #keyAt(plan: Plan, range: KeyRange, offset: number): RowKey | null {
    const { order, session } = plan;
    const key = this.#statements
      .prepare(
        `SELECT ${order.column} AS value, id FROM exchange INDEXED BY ${order.index}
       WHERE session_id = ? AND ${range.condition} ORDER BY ${order.orderBy} LIMIT 1 OFFSET ?`,
      )
      .get(session, ...range.parameters, offset) as RowKey | undefined;
    return key ?? null;
  }

  #rows(plan: Plan, range: KeyRange, limit: number, offset: number): ExchangeRow[] {
    const { condition, parameters } = conditionOf(plan, range);
    return this.#statements
      .prepare(
        `SELECT * FROM ${sourceOf(plan)}
       WHERE ${condition} ORDER BY ${plan.order.orderBy} LIMIT ? OFFSET ?`,
      )
      .all(...parameters, limit, offset) as ExchangeRow[];
  }

  #count(plan: Plan, range: KeyRange): number {
    const { condition, parameters } = conditionOf(plan, range);
    const row = this.#statements
      .prepare(`SELECT count(*) AS count FROM ${sourceOf(plan)} WHERE ${condition}`)
      .get(...parameters) as { count: number };
    return row.count;
  }

  #asPage(order: ExchangeOrder, rows: readonly ExchangeRow[], limit: number): ExchangePage {
    const last = rows.at(-1);
    const column = order.column as 'started_at' | 'host' | 'duration';
    const next = last === undefined || rows.length < limit ? null : encodeKey({ value: last[column], id: last.id });
    return { rows: rows.map(summaryOfRow), next };
  }
}

function readFilter(text: string): FilterNode | null {
  const parsed = parseFilter(text);
  if (parsed.ok) return parsed.node;
  const { message, position, end } = parsed.error;
  throw new ContractError('bad-filter', message, { position, end });
}
