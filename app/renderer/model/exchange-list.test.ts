import { expect, test } from 'vitest';
import { FakeBackend } from '../../../test/support/fake-backend.ts';
import { ExchangeList, TIME_ORDER } from './exchange-list.svelte.ts';
import { PAGE_ROWS } from './exchange-pages.ts';

async function listOf(rows: number): Promise<{ backend: FakeBackend; list: ExchangeList }> {
  const backend = new FakeBackend(rows);
  const list = new ExchangeList(backend, (run) => {
    run();
  });
  list.show(1);
  await settled(list);
  return { backend, list };
}

/** A list that shows its newest matches while the others are not counted before `count` is called. */
async function listBeingCounted(): Promise<{ list: ExchangeList; count: () => void }> {
  const { backend, list } = await listOf(1_000);
  const counted = Promise.withResolvers<undefined>();
  const call = backend.call.bind(backend);
  backend.call = async (name, input, options) => {
    if (name === 'exchanges.count') await counted.promise;
    return call(name, input, options);
  };
  list.setFilter('status:200', null);
  await expect.poll(() => list.rowAt(list.total - 1)?.status, { interval: 1 }).toBe(200);
  return {
    list,
    count: () => {
      counted.resolve(undefined);
    },
  };
}

/** Resolves when no query is under way. */
async function settled(list: ExchangeList): Promise<void> {
  await expect.poll(() => list.loading, { interval: 1 }).toBe(false);
}

function wishedIndex({ scrollWish }: ExchangeList): number {
  return scrollWish !== null && 'index' in scrollWish ? scrollWish.index : -1;
}

test('a session is shown from its tail', async () => {
  const { list } = await listOf(1_000);
  expect(list.total).toBe(1_000);
  expect(list.follow).toBe(true);
  expect(list.rowAt(999)?.id).toBe(1_000);
  expect(list.scrollWish).toMatchObject({ index: 999, align: 'end' });
});

test('at the tail new exchanges are appended as they begin and fill in as they finish', async () => {
  const { backend, list } = await listOf(10);
  backend.begin(1, 'active');
  expect(list.total).toBe(11);
  expect(list.rowAt(10)).toMatchObject({ id: 11, state: 'active', status: null });
  backend.finish(11);
  expect(list.rowAt(10)).toMatchObject({ id: 11, state: 'complete' });
  expect(list.total).toBe(11);
});

test('appending goes on over the end of a page', async () => {
  const { backend, list } = await listOf(PAGE_ROWS - 1);
  backend.begin(3);
  expect(list.total).toBe(PAGE_ROWS + 2);
  expect(list.rowAt(PAGE_ROWS + 1)?.id).toBe(PAGE_ROWS + 2);
});

test('away from the tail nothing is added; the new ones are counted once each', async () => {
  const { backend, list } = await listOf(500);
  list.setAtTail(false);
  backend.begin(3, 'active');
  backend.finish(501, 502);
  expect(list.total).toBe(500);
  expect(list.pending).toBe(3);
});

test('coming back to the tail shows what came meanwhile', async () => {
  const { backend, list } = await listOf(500);
  list.setAtTail(false);
  backend.begin(128);
  list.setAtTail(true);
  await settled(list);
  expect(list.total).toBe(628);
  expect(list.pending).toBe(0);
  expect(list.rowAt(627)?.id).toBe(628);
});

test('a list sorted by size is a snapshot: rows that come later wait in the pill', async () => {
  const { backend, list } = await listOf(100);
  list.setOrder({ sort: 'size', descending: true }, null);
  await settled(list);
  expect(list.rowAt(0)?.responseBodyBytes).toBe(312_000);
  const first = list.rowAt(0)?.id;
  backend.begin(19);
  expect(list.total).toBe(100);
  expect(list.pending).toBe(19);
  expect(list.rowAt(0)?.id).toBe(first);
  list.reload();
  await settled(list);
  expect(list.total).toBe(119);
});

test('a row in a snapshot still fills in', async () => {
  const { backend, list } = await listOf(100);
  backend.begin(1, 'active');
  list.setOrder({ sort: 'host', descending: false }, null);
  await settled(list);
  const index = list.indexOf(101);
  backend.finish(101);
  expect(list.indexOf(101)).toBe(index);
  expect(list.rowOf(101)?.state).toBe('complete');
});

test('only pages around the view are loaded', async () => {
  const { backend, list } = await listOf(100_000);
  const before = backend.calls.length;
  list.ensure(50_000, 50_040);
  await expect.poll(() => list.covers(50_000, 50_040), { interval: 1 }).toBe(true);
  await expect.poll(() => list.covers(50_000 - PAGE_ROWS, 50_040), { interval: 1 }).toBe(true);
  expect(list.rowAt(50_000)?.id).toBe(50_001);
  expect(list.rowAt(20_000)).toBeUndefined();
  expect(backend.calls.length - before).toBeLessThanOrEqual(4);
});

test('a filter shows its own rows from the tail', async () => {
  const { list } = await listOf(190);
  list.setFilter('status:404', null);
  await settled(list);
  expect(list.total).toBe(10);
  expect(list.rowAt(9)?.status).toBe(404);
});

test('with a filter on, rows that begin to match appear', async () => {
  const { backend, list } = await listOf(190);
  list.setFilter('status:404', null);
  await settled(list);
  backend.begin(19);
  await expect.poll(() => list.total).toBe(11);
});

test('a filter that cannot be read keeps the old rows and says where', async () => {
  const { list } = await listOf(50);
  list.setFilter('status:abc', null);
  await settled(list);
  expect(list.problem).toMatchObject({ code: 'bad-filter', position: 7, end: 10 });
  expect(list.total).toBe(50);
  list.setFilter('', null);
  await settled(list);
  expect(list.problem).toBeNull();
});

test('the chosen exchange stays in view when filter or order change', async () => {
  const { list } = await listOf(5_000);
  list.setFilter('host:api', 8);
  await settled(list);
  expect(list.follow).toBe(false);
  const index = list.indexOf(8);
  expect(index).toBeDefined();
  expect(list.scrollWish).toMatchObject({ index, align: 'centre' });
  list.setFilter('', 8);
  await settled(list);
  expect(list.scrollWish).toMatchObject({ index: 7 });
  list.setOrder({ sort: 'duration', descending: true }, 8);
  await settled(list);
  expect(list.rowAt(wishedIndex(list))?.id).toBe(8);
  list.setOrder(TIME_ORDER, null);
  await settled(list);
  expect(list.follow).toBe(true);
});

test('after lost items the tail is asked for again', async () => {
  const { backend } = await listOf(10);
  const before = backend.calls.length;
  backend.gap();
  await expect.poll(() => backend.calls.slice(before).some(({ name }) => name === 'exchanges.queryAt')).toBe(true);
});

test('a range is looked up where it is not loaded', async () => {
  const { list } = await listOf(10_000);
  const ids = await list.idsBetween(2_000, 1_000);
  expect(ids).toHaveLength(1_001);
  expect([ids[0], ids.at(-1)]).toEqual([1_001, 2_001]);
});

test('an answer that comes after a newer question is dropped', async () => {
  const { backend, list } = await listOf(190);
  let open: () => void = () => undefined;
  backend.gate = new Promise((resolve) => (open = resolve));
  list.setFilter('status:404', null);
  list.setFilter('status:500', null);
  open();
  backend.gate = null;
  await settled(list);
  expect(list.rowAt(0)?.status).toBe(500);
});

test('a filter shows its newest matches before all are counted, and the counting can be given up', async () => {
  const { list, count } = await listBeingCounted();
  expect(list.total).toBe(PAGE_ROWS);
  expect(list.loading).toBe(true);

  list.cancel();
  count();
  expect(list.loading).toBe(false);
  expect(list.total).toBe(PAGE_ROWS);

  list.reload();
  await settled(list);
  expect(list.total).toBeGreaterThan(PAGE_ROWS);
});

test('somebody who scrolls up in the newest matches goes on reading there when all are counted', async () => {
  const { list, count } = await listBeingCounted();
  expect(list.follow).toBe(true);
  list.setAtTail(false);
  expect(list.follow).toBe(false);
  list.ensure(40, 60);
  const before = { read: list.rowAt(40)?.id, total: list.total };

  count();
  await settled(list);
  const shift = list.total - before.total;
  expect(shift).toBeGreaterThan(0);
  expect([list.follow, list.scrollWish]).toEqual([false, { shift }]);
  expect(list.rowAt(40 + shift)?.id).toBe(before.read);
});

test('deleted rows close up, and those behind them keep their order', async () => {
  const { list } = await listOf(1_000);
  list.removed([900, 902, 1_000]);
  expect(list.total).toBe(997);
  expect([898, 899, 900, 901].map((index) => list.rowAt(index)?.id)).toEqual([899, 901, 903, 904]);
  expect(list.neighbourOf(new Set([903, 904]))).toBe(905);
  expect(list.neighbourOf(new Set([999]))).toBe(998);
});
