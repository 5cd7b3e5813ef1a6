import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { SortColumn } from '#contract';
import { ExchangeOrder } from './exchange-order.ts';
import { migrate } from './migrations/migrate.ts';

const SORTS: readonly (SortColumn | 'id')[] = ['id', 'time', 'status', 'host', 'method', 'type'];
const KEY = { value: 5, id: 5 };

test.each(SORTS.flatMap((sort) => [false, true].map((descending) => [sort, descending] as const)))(
  'a step of a walk by %s, descending %s, is read from its beginning to its end and no further',
  (sort, descending) => {
    const database = new Database(':memory:');
    migrate(database);
    const order = new ExchangeOrder(sort, descending);
    const [from, to] = [order.laterValues(KEY), order.upTo(KEY)];
    const [{ detail }] = database
      .prepare(
        `EXPLAIN QUERY PLAN SELECT count(*) FROM exchange INDEXED BY ${order.index}
         WHERE session_id = 1 AND ${from.condition} AND ${to.condition}`,
      )
      .all(...from.parameters, ...to.parameters) as [{ detail: string }];
    database.close();
    expect(detail).toContain(`${order.column}>? AND ${order.column}<?`);
  },
);
