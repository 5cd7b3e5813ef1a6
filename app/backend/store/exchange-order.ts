import { ContractError, type PageKey, type SortColumn } from '#contract';

interface OrderFacts {
  readonly column: string;
  readonly index: string;
  /** The index does not stand in this order: rows must be collected and sorted. */
  readonly scattered?: true;
}

/** The column and index behind each order. Rows of equal value stand in the order of their ids. */
const ORDERS: Readonly<Record<SortColumn | 'id', OrderFacts>> = {
  id: { column: 'id', index: 'exchange_figures' },
  time: { column: 'started_at', index: 'exchange_by_time' },
  status: { column: 'status', index: 'exchange_by_status' },
  host: { column: 'host', index: 'exchange_by_host' },
  size: { column: 'response_body_bytes', index: 'exchange_figures', scattered: true },
  duration: { column: 'duration', index: 'exchange_figures', scattered: true },
  method: { column: 'method', index: 'exchange_by_method' },
  type: { column: 'media_type', index: 'exchange_by_type' },
};

/** Where a row stands in an order. */
export interface RowKey {
  readonly value: string | number;
  readonly id: number;
}

/** A stretch of an order as a condition. */
export interface KeyRange {
  readonly condition: string;
  readonly parameters: readonly (string | number)[];
}

/**
 * One order of the rows of a session, in terms of SQL. An index cannot seek to "value and id after these" in one step, so
 * a position is passed in two stretches: the rest of the rows of equal value, then those of later values.
 */
export class ExchangeOrder {
  readonly column: string;
  readonly index: string;
  readonly orderBy: string;
  readonly descending: boolean;
  readonly scattered: boolean;
  readonly #after: '<' | '>';

  constructor(sort: SortColumn | 'id', descending: boolean) {
    const { column, index, scattered = false } = ORDERS[sort];
    this.descending = descending;
    this.scattered = scattered;
    this.column = column;
    this.index = index;
    this.#after = descending ? '<' : '>';
    const direction = descending ? 'DESC' : 'ASC';
    this.orderBy = `${column} ${direction}, id ${direction}`;
  }

  /** Rows of the same value behind a key. */
  sameValueAfter(key: RowKey): KeyRange {
    return { condition: `${this.column} = ? AND id ${this.#after} ?`, parameters: [key.value, key.id] };
  }

  laterValues(key: RowKey): KeyRange {
    return { condition: `${this.column} ${this.#after} ?`, parameters: [key.value] };
  }

  /** Rows of the same value before a key. */
  sameValueBefore(key: RowKey): KeyRange {
    return { condition: `${this.column} = ? AND id ${this.#before} ?`, parameters: [key.value, key.id] };
  }

  earlierValues(key: RowKey): KeyRange {
    return { condition: `${this.column} ${this.#before} ?`, parameters: [key.value] };
  }

  /**
   * Rows up to a key, and it. The first condition follows from the other one: an index can end there, where it would read on
   * to its own end without.
   */
  upTo(key: RowKey): KeyRange {
    return {
      condition: `${this.column} ${this.#before}= ? AND (${this.column} ${this.#before} ? OR id ${this.#before}= ?)`,
      parameters: [key.value, key.value, key.id],
    };
  }

  /** Rows behind a key, for statements that do not follow this order's index. */
  after(key: RowKey): KeyRange {
    return { condition: `(${this.column}, id) ${this.#after} (?, ?)`, parameters: [key.value, key.id] };
  }

  /** Rows before a key. */
  before(key: RowKey): KeyRange {
    return { condition: `(${this.column}, id) ${this.#before} (?, ?)`, parameters: [key.value, key.id] };
  }

  get #before(): '<' | '>' {
    return this.#after === '>' ? '<' : '>';
  }
}

export function encodeKey(key: RowKey): PageKey {
  return JSON.stringify([key.value, key.id]);
}

/** @throws ContractError `bad-input` for a text that no page carried */
export function decodeKey(text: PageKey): RowKey {
  const parsed = parse(text);
  if (Array.isArray(parsed)) {
    const [value, id] = parsed as unknown[];
    if ((typeof value === 'string' || typeof value === 'number') && typeof id === 'number') return { value, id };
  }
  throw new ContractError('bad-input', 'This page key does not come from a page of the list.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
