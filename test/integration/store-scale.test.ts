import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SortColumn } from '#contract';
import type { StoreReader } from '../../app/backend/store/store-reader.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { openStoreKit, recordExchange, type StoreKit } from '../support/store-kit.ts';

/*
 * Costs at 100,000 exchanges, in CPU time of this thread, which other load on the machine hardly changes. The bounds are
 * several times what a quiet machine needs: they catch a query that lost its index, not a slow disk.
 */

const ROWS = 100_000;
const ROWS_A_COMMIT = 500;
const PAGE = 200;

let kit: StoreKit;
let reader: StoreReader;
let storeMicroseconds = 0;

beforeAll(() => {
  kit = openStoreKit();
  kit.writer.watched = false;
  const random = new SeededRandom(100_000);
  const types = ['application/json', 'text/html', 'image/png', 'text/css', 'text/javascript'].map(
    (type) => `Content-Type: ${type}`,
  );
  const headers = Array.from({ length: 10 }, (_, index) => `X-Field-${String(index)}: a value of usual length`);
  const body = Buffer.alloc(1_024, 'b');
  for (let id = 1; id <= ROWS; id += 1) {
    recordExchange(kit.tap, id, {
      host: `h${String(random.below(300))}.example.test`,
      path: `/item/${String(random.below(50_000))}?page=${String(random.below(9))}`,
      method: random.pick(['GET', 'GET', 'GET', 'POST', 'PUT']),
      status: random.chance(5_000) ? 418 : random.pick([200, 200, 200, 304, 404]),
      requestHeaders: headers,
      responseHeaders: [random.pick(types), ...headers],
      responseBody: body,
      end: {
        timing: { dns: null, connect: null, tls: null, sent: 1, firstByte: 2, end: random.below(3_000_000) },
        responseBodyBytes: random.below(500_000),
      },
    });
    if (id % ROWS_A_COMMIT !== 0) continue;
    const before = process.threadCpuUsage();
    kit.commit();
    const { user, system } = process.threadCpuUsage(before);
    storeMicroseconds += user + system;
  }
  reader = kit.reader();
});

afterAll(() => {
  kit[Symbol.dispose]();
});

test('an exchange with heads and a body of 1 KB costs the store a bounded time', () => {
  const each = storeMicroseconds / ROWS;
  console.log(
    `The store's thread used ${each.toFixed(1)} µs an exchange: ${Math.round(1e6 / each).toString()}/s at most.`,
  );

  // 5,000 exchanges a second must leave half of the thread's core free.
  expect(each).toBeLessThan(100);
});

test.each<SortColumn>(['time', 'status', 'host', 'size', 'duration', 'method', 'type'])(
  'the first page by %s, and one from the middle, come from the index',
  async (sort) => {
    const query = { ...everything(), sort, descending: true };
    const first = await reader.query({ ...query, after: null, limit: PAGE });
    const costMs = await cost(async () => {
      await reader.query({ ...query, after: null, limit: PAGE });
      await reader.query({ ...query, after: first.next, limit: PAGE });
    });
    const middleMs = await cost(() => reader.queryAt({ ...query, index: ROWS / 2, limit: PAGE }));

    expect(costMs).toBeLessThan(80);
    expect(middleMs).toBeLessThan(200);
  },
);

test.each([
  ['host:h7.example.test', 150],
  ['status:418', 100],
  ['status:418 method:post', 100],
  ['type:json', 100],
  ['dur:>2.99s', 600],
  ['size:>499kb', 600],
  ['host:nowhere', 50],
])('%s is answered by an index', async (filter, mostMs) => {
  const query = { ...everything(), filter, after: null, limit: PAGE };
  await reader.query(query);

  expect(await cost(() => reader.query(query))).toBeLessThan(mostMs);
});

test('what no index knows is found by looking at every row, once', async () => {
  const query = { ...everything(), filter: 'path:/nothing/like/this', after: null, limit: PAGE };

  expect(await cost(() => reader.query(query))).toBeLessThan(2_500);
});

test('counting everything and finding a row are quick', async () => {
  const { session } = everything();
  expect(await cost(() => reader.count({ session, filter: '' }))).toBeLessThan(150);
  expect(await cost(() => reader.indexOf({ ...everything(), sort: 'duration', id: 777 }))).toBeLessThan(150);
  expect(await cost(() => Promise.resolve(reader.hosts(session)))).toBeLessThan(30);
});

function everything(): { session: number; filter: string; sort: SortColumn; descending: boolean } {
  return { session: kit.opened.session.id, filter: '', sort: 'time', descending: false };
}

/** CPU time of this thread, milliseconds. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
