import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openStoreKit, type StoreKit } from '../../../test/support/store-kit.ts';
import { SearchIndexer } from './search-indexer.ts';
import { StoreFolder } from './store-folder.ts';
import type { StoreReader } from './store-reader.ts';

/** Long after everything that the kit records. */
const LATE = 1_900_000_000_000_000;

function indexAll(kit: StoreKit, now = LATE): number {
  const indexer = new SearchIndexer(new StoreFolder(kit.folder), () => now);
  while (indexer.work(50) > 0);
  const lag = indexer.lag();
  indexer.close();
  return lag;
}

async function find(reader: StoreReader, kit: StoreKit, filter: string): Promise<number[]> {
  const query = { session: kit.opened.session.id, filter, sort: 'time', descending: false } as const;
  const { rows } = await reader.query({ ...query, after: null, limit: 500 });
  const ids = rows.map(({ id }) => id);
  expect([filter, await reader.count(query)]).toEqual([filter, { count: ids.length }]);
  return ids;
}

/** Traffic in which every part of an exchange holds something to find. */
function recordMany(kit: StoreKit): void {
  const gzip = gzipSync('a packed needle, and Größe');
  const odd = Buffer.concat([
    Buffer.from('text before '),
    Buffer.from([0xff, 0xfe, 0x80]),
    Buffer.from(' NEEDLE after'),
  ]);
  for (let round = 0; round < 8; round += 1) {
    kit.record({ path: `/needle/${String(round)}`, host: 'shop.test' });
    kit.record({ requestHeaders: ['X-Trace: needle-in-head'], responseBody: `{"round":${String(round)}}` });
    kit.record({ method: 'POST', requestBody: '{"query":"out of stock"}', responseBody: 'nothing here' });
    kit.record({ responseHeaders: ['Content-Encoding: gzip'], responseBody: gzip });
    kit.record({ responseBody: odd });
    kit.record({ responseBody: Buffer.concat([Buffer.alloc(20), Buffer.from('needle in a binary')]) });
    kit.record({ responseBody: `${'x'.repeat(30_000)} needle ${'y'.repeat(30_000)}` });
    kit.record({ responseBody: '日本語のテキスト' });
    kit.record({ responseBody: 'the haystack without it: needles, ne-edle, "quoted"' });
  }
  kit.commit();
}

const FILTERS = [
  'needle',
  'NEEDLE',
  'text:needle',
  'text:"out of stock"',
  'text:of',
  'body:needle',
  '-needle',
  'needle or stock',
  'needle -body:haystack',
  'header:x-trace',
  'header:x-trace=head',
  'größe',
  '本語',
  'ne',
  'nothing-has-this',
  '"\\"quoted\\""',
  'post',
  'shop.test',
  'https://shop',
  'needle status:200 method:get',
];

test('a search finds the same with the index, without it, and while it lags', async () => {
  using kit = openStoreKit();
  recordMany(kit);
  const reader = kit.reader();
  const without = new Map<string, number[]>();
  for (const filter of FILTERS) without.set(filter, await find(reader, kit, filter));
  expect(without.get('needle')?.length).toBeGreaterThan(40);
  expect(without.get('text:needle')?.length).toBeLessThan(without.get('needle')?.length ?? 0);
  expect(without.get('nothing-has-this')).toEqual([]);

  // Half of it: what began later is not settled yet.
  const half = kit.changed[Math.floor(kit.changed.length / 2)]?.startedAt ?? 0;
  expect(indexAll(kit, half + 1_000_000)).toBeGreaterThan(20);
  for (const filter of FILTERS)
    expect([filter, await find(reader, kit, filter)]).toEqual([filter, without.get(filter)]);

  expect(indexAll(kit)).toBe(0);
  for (const filter of FILTERS)
    expect([filter, await find(reader, kit, filter)]).toEqual([filter, without.get(filter)]);
});

test('an exchange that ran when its turn came is found before and after its end', async () => {
  using kit = openStoreKit();
  const id = kit.record({ status: null, ended: false });
  kit.record({});
  kit.commit();
  indexAll(kit);
  const reader = kit.reader();
  expect(await find(reader, kit, 'marzipan')).toEqual([]);

  kit.tap.response(id, {
    status: 200,
    head: Buffer.from('HTTP/1.1 200 OK\r\nX-Kind: marzipan\r\n\r\n'),
    sentHead: null,
  });
  kit.commit();
  expect(await find(reader, kit, 'marzipan')).toEqual([id]);
  kit.tap.end(id, {
    timing: { dns: null, connect: null, tls: null, sent: 1, firstByte: 2, end: 3 },
    requestBodyBytes: 0,
    responseBodyBytes: 0,
    error: null,
    anomalies: [],
    complete: true,
    sentRequestFraming: 'as-received',
    sentResponseFraming: 'as-received',
  });
  kit.commit();
  indexAll(kit);
  expect(await find(reader, kit, 'marzipan')).toEqual([id]);
});

test('deleted rows are found no more, and are found again once they are back', async () => {
  using kit = openStoreKit();
  const id = kit.record({ path: '/marzipan' });
  kit.commit();
  indexAll(kit);
  const reader = kit.reader();
  kit.writer.remove([id]);
  expect(await find(reader, kit, 'marzipan')).toEqual([]);
  kit.writer.restore([id]);
  expect(await find(reader, kit, 'marzipan')).toEqual([id]);
});

test('a damaged index is made anew, and its file is the user’s alone', async () => {
  using kit = openStoreKit();
  const id = kit.record({ path: '/marzipan' });
  kit.commit();
  writeFileSync(join(kit.folder, 'search.db'), 'this is no database, whatever its name says '.repeat(100));
  const reader = kit.reader();
  expect(await find(reader, kit, 'marzipan')).toEqual([id]);
  expect(indexAll(kit)).toBe(0);
  expect(await find(reader, kit, 'marzipan')).toEqual([id]);
  expect(existsSync(join(kit.folder, 'search.db'))).toBe(true);
  if (process.platform !== 'win32') expect(statSync(join(kit.folder, 'search.db')).mode & 0o777).toBe(0o600);
});
