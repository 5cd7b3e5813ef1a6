import type { SessionId } from '#contract';
import { ExchangeOrder, type KeyRange } from './exchange-order.ts';
import type { FilterSql } from './filter-sql.ts';

/** An index, or a list of ids, that holds every match of a filter and few other rows. */
export interface Driver {
  /** What stands behind FROM. */
  readonly source: string;
  /** Which rows those are. */
  readonly range: KeyRange;
}

/** How a query is answered. */
export interface Plan {
  readonly order: ExchangeOrder;
  readonly session: SessionId;
  /** Condition of every row of the query. */
  readonly where: KeyRange;
  readonly filter: FilterSql | null;
  /** Where the few rows stand that can match the filter at all; null when there are many. */
  readonly driver: Driver | null;
}

/** For walks in no particular order: what they need stands in that index alone. */
export const BY_ID = new ExchangeOrder('id', false);

export const NO_CONDITION: KeyRange = { condition: '1', parameters: [] };

export function both(left: KeyRange, right: KeyRange): KeyRange {
  return {
    condition: `${left.condition} AND ${right.condition}`,
    parameters: [...left.parameters, ...right.parameters],
  };
}

export function sourceOf({ driver, order }: Plan): string {
  return driver?.source ?? `exchange INDEXED BY ${order.index}`;
}

/** Rows of a range that meet the plan; those that the driver names are found by it, before the filter looks at any. */
export function conditionOf({ driver, where }: Plan, range: KeyRange): KeyRange {
  const here = both(where, range);
  return driver === null ? here : both(driver.range, here);
}

/** Finding a place in it takes as long as listing it. */
export function needsList({ driver, filter, order }: Plan): boolean {
  return driver === null && (filter !== null || order.scattered);
}
