import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExchangeSummary, SortColumn } from '#contract';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { openStoreKit, type RecordedExchange, type StoreKit } from '../../../test/support/store-kit.ts';
import type { StoreReader } from './store-reader.ts';

const ROWS = 3_000;
const SORTS: readonly SortColumn[] = ['time', 'status', 'host', 'size', 'duration', 'method', 'type'];

/** What a filter should find is said here once more, in plain words over summaries. */
const FILTERS: readonly (readonly [string, (row: ExchangeSummary) => boolean])[] = [
  ['', () => true],
  ['host:api', (row) => row.host.includes('api')],
  ['host:API.example.test:8443', (row) => row.host === 'api.example.test' && row.port === 8_443],
  ['host:*.example.test', (row) => row.host.endsWith('.example.test')],
  ['host:nowhere', () => false],
  ['-host:cdn', (row) => !row.host.includes('cdn')],
  // Nobody knows who asked for these.
  ['-app:curl', (row) => row.program === null],
  ['-(app:curl or operation:Cart)', () => true],
  ['method:post', (row) => row.method === 'POST'],
  ['status:>=400', (row) => (row.status ?? 0) >= 400],
  ['status:4xx or status:200', (row) => row.status === 404 || row.status === 200],
  ['status:<300', (row) => row.status !== null && row.status < 300],
  ['-status:200', (row) => row.status !== 200],
  ['type:json', (row) => row.mediaType === 'application/json'],
  ['type:js', (row) => row.mediaType === 'text/javascript'],
  ['size:>1kb', (row) => row.responseBodyBytes > 1_000],
  ['size:500..600', (row) => row.responseBodyBytes >= 500 && row.responseBodyBytes <= 600],
  ['dur:>500ms', (row) => row.duration !== null && row.duration > 500_000],
  ['path:/item/7', (row) => row.path.includes('/item/7')],
  ['path:100%', (row) => row.path.includes('100%')],
  ['path:_x', (row) => row.path.includes('_x')],
  [
    'url:https://api.example.test/item/1',
    (row) =>
      row.host === 'api.example.test' && row.path.startsWith('/item/1') && row.scheme === 'https' && row.port === 443,
  ],
  ['is:active', (row) => row.state === 'active'],
  ['is:failed', (row) => row.state === 'failed'],
  ['has:error', (row) => row.error !== null],
  ['error:refused', (row) => row.error?.code === 'connect.refused'],
  ['has:query', (row) => row.path.includes('?')],
  ['has:request-body', (row) => row.requestBodyBytes > 0],
  ['scheme:http', (row) => row.scheme === 'http'],
  ['protocol:http/1.1', () => true],
  [
    '(host:api or host:cdn) method:get -status:200',
    (row) => /api|cdn/.test(row.host) && row.method === 'GET' && row.status !== 200,
  ],
  ['not (host:api method:post)', (row) => !(row.host.includes('api') && row.method === 'POST')],
];

let kit: StoreKit;
let reader: StoreReader;
let all: readonly ExchangeSummary[];

beforeAll(() => {
  kit = openStoreKit();
  const random = new SeededRandom(42);
  const rows = new Map<number, ExchangeSummary>();
  for (let count = 0; count < ROWS; count += 1) kit.record(anyExchange(random));
  kit.commit();
  for (const row of kit.changed) rows.set(row.id, row);
  all = [...rows.values()];
  reader = kit.reader();
});

afterAll(() => {
  kit[Symbol.dispose]();
});

test.each(FILTERS)('%j finds the rows that it describes, and counts them', async (filter, accepts) => {
  const expected = inOrder(all.filter(accepts), 'time', false).map(({ id }) => id);

  expect(await idsOf(filter, 'time', false, 500)).toEqual(expected);
  expect((await reader.count({ session: session(), filter })).count).toBe(expected.length);
});

describe.each(SORTS)('sorted by %s', (sort) => {
  test.each([
    ['', false, 500],
    ['', true, 7],
    ['-host:cdn', false, 61],
    ['type:json or has:error', true, 500],
    ['host:api', true, 13],
  ] as const)('%j, descending %s, pages of %d give every row once and in order', async (filter, descending, limit) => {
    const accepts =
      FILTERS.find(([text]) => text === filter)?.[1] ??
      ((row): boolean => row.mediaType === 'application/json' || row.error !== null);
    const expected = inOrder(all.filter(accepts), sort, descending).map(({ id }) => id);

    expect(await idsOf(filter, sort, descending, limit)).toEqual(expected);
  });

  test('a row is found at its index, and its index by its id', async () => {
    for (const [filter, descending] of [
      ['', false],
      ['-host:cdn', true],
      ['status:404', false],
    ] as const) {
      const accepts = FILTERS.find(([text]) => text === filter)?.[1] ?? ((row): boolean => row.status === 404);
      const expected = inOrder(all.filter(accepts), sort, descending);
      for (const index of [0, 1, 17, Math.floor(expected.length / 2), expected.length - 1]) {
        const query = { session: session(), filter, sort, descending };
        const page = await reader.queryAt({ ...query, index, limit: 3 });
        expect(page.rows).toEqual(expected.slice(index, index + 3));
        expect(await reader.indexOf({ ...query, id: expected[index]?.id ?? -1 })).toEqual({ index });
      }
    }
  });
});

test('a snapshot leaves later rows out', async () => {
  const upTo = all[1_000]?.id ?? 0;
  const expected = all.filter(({ id, host }) => id <= upTo && host.includes('api')).length;

  expect((await reader.count({ session: session(), filter: 'host:api', upTo })).count).toBe(expected);
  expect((await reader.count({ session: session(), filter: '', upTo })).count).toBe(1_001);
  const page = await reader.query({
    session: session(),
    filter: '',
    sort: 'time',
    descending: true,
    upTo,
    after: null,
    limit: 1,
  });
  expect(page.rows.every(({ id }) => id <= upTo)).toBe(true);
});

test('a row that the query leaves out has no index', async () => {
  const other = all.find(({ host }) => !host.includes('api'));
  const query = { session: session(), filter: 'host:api', sort: 'time', descending: false } as const;

  expect(await reader.indexOf({ ...query, id: other?.id ?? -1 })).toEqual({ index: null });
  expect(await reader.indexOf({ ...query, id: 999_999 })).toEqual({ index: null });
});

test('a wrong filter fails with its place, a foreign page key is refused', async () => {
  const query = { session: session(), sort: 'time', descending: false, limit: 5 } as const;

  await expect(reader.query({ ...query, filter: 'a (b', after: null })).rejects.toMatchObject({
    code: 'bad-filter',
    position: 2,
    end: 3,
  });
  for (const after of ['', '[]', '[1]', '{"a":1}', '[{},1]', '1']) {
    await expect(reader.query({ ...query, filter: '', after })).rejects.toMatchObject({ code: 'bad-input' });
  }
});

test('a cancelled query stops between two steps', async () => {
  const cancellation = { cancelled: false };
  const counting = reader.count({ session: session(), filter: 'body:nothing-has-this' }, cancellation);
  cancellation.cancelled = true;

  await expect(counting).rejects.toMatchObject({ code: 'cancelled' });
});

test('bare words and body: look into URL, heads and decoded bodies of both sides, header: into one field', async () => {
  using small = openStoreKit();
  const ids = {
    path: small.record({ path: '/needle' }),
    head: small.record({ responseHeaders: ['X-Tag: NEEDLE and more', 'Content-Encoding: gzip'] }),
    gzip: small.record({ responseHeaders: ['Content-Encoding: gzip'], responseBody: gzipSync('<p>Needle in hay</p>') }),
    upload: small.record({ method: 'POST', requestBody: '{"name":"needle"}' }),
    large: small.record({ responseBody: `${'hay '.repeat(50_000)}needle` }),
    unicode: small.record({ responseBody: 'Straße nach Nadelöhr' }),
    none: small.record({ path: '/hay', responseBody: 'hay' }),
  };
  small.commit();
  const found = async (filter: string): Promise<number[]> => {
    const page = await small
      .reader()
      .query({ session: small.opened.session.id, filter, sort: 'time', descending: false, after: null, limit: 50 });
    return page.rows.map(({ id }) => id);
  };

  expect(await found('needle')).toEqual([ids.path, ids.head, ids.gzip, ids.upload, ids.large]);
  expect(await found('body:needle')).toEqual([ids.gzip, ids.upload, ids.large]);
  expect(await found('body:"needle in"')).toEqual([ids.gzip]);
  expect(await found('header:x-tag')).toEqual([ids.head]);
  expect(await found('header:X-TAG=needle')).toEqual([ids.head]);
  expect(await found('header:x-tag=hay')).toEqual([]);
  expect(await found('needle -body:needle')).toEqual([ids.path, ids.head]);
  expect(await found('body:"Nadelöhr"')).toEqual([ids.unicode]);
  expect(await found('-needle')).toEqual([ids.unicode, ids.none]);
});

function session(): number {
  return kit.opened.session.id;
}

async function idsOf(filter: string, sort: SortColumn, descending: boolean, limit: number): Promise<number[]> {
  const ids: number[] = [];
  let after: string | null = null;
  do {
    const page = await reader.query({ session: session(), filter, sort, descending, after, limit });
    ids.push(...page.rows.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  return ids;
}

function inOrder(rows: readonly ExchangeSummary[], sort: SortColumn, descending: boolean): ExchangeSummary[] {
  const sorted = rows.toSorted((left, right) => {
    const [a, b] = [valueOf(left, sort), valueOf(right, sort)];
    return a < b ? -1 : a > b ? 1 : left.id - right.id;
  });
  return descending ? sorted.toReversed() : sorted;
}

function valueOf(row: ExchangeSummary, sort: SortColumn): string | number {
  switch (sort) {
    case 'time':
      return row.startedAt;
    case 'status':
      return row.status ?? 0;
    case 'host':
      return row.host;
    case 'size':
      return row.responseBodyBytes;
    case 'duration':
      return row.duration ?? -1;
    case 'method':
      return row.method;
    case 'type':
      return row.mediaType ?? '';
  }
}

function anyExchange(random: SeededRandom): RecordedExchange {
  const failed = random.chance(20);
  const body = random.chance(3) ? 'b'.repeat(random.below(2_000)) : '';
  const type = random.pick(['application/json', 'text/html', 'text/javascript', 'image/png', '']);
  return {
    method: random.pick(['GET', 'GET', 'GET', 'POST', 'PUT']),
    scheme: random.pick(['http', 'https']),
    host: random.pick(['api.example.test', 'www.example.test', 'cdn.other.test', 'example.test', '::1']),
    ...(random.chance(10) ? { port: 8_443 } : {}),
    path: random.pick(['/', '/item/7?q=1', '/item/17', '/item/1', '/100%25', '/a_x', '/abx']),
    status: failed ? null : random.pick([200, 200, 200, 204, 304, 404, 500]),
    responseHeaders: type === '' ? [] : [`Content-Type: ${type}; charset=utf-8`],
    requestBody: random.chance(6) ? 'up' : '',
    responseBody: failed ? '' : body,
    ended: !random.chance(50),
    startedAt: 1_764_000_000_000_000 + random.below(1_000) * 1_000,
    end: {
      timing: { dns: null, connect: null, tls: null, sent: 1, firstByte: 2, end: random.below(1_000_000) },
      ...(failed
        ? {
            complete: false,
            error: { code: 'connect.refused', side: 'origin', phase: 'connect', message: 'The origin refused.' },
          }
        : {}),
    },
  };
}
