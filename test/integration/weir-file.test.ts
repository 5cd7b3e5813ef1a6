import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ContractClient, ExchangeDetail, ExportPreview, ImportReport } from '#contract';
import { MAX_WINDOW_BYTES, USUAL_REDACTION } from '#contract';
import { join } from 'node:path';
import { exactSource, exportWeir } from '../../app/backend/store/export-weir.ts';
import { StoreReader } from '../../app/backend/store/store-reader.ts';
import { getThrough, startBackend, type TestBackend } from '../support/backend-kit.ts';

let weir: TestBackend;
let client: ContractClient;
let origin: Server;
let base: string;
let ids: readonly number[];

beforeAll(async () => {
  weir = await startBackend();
  client = await weir.connect();
  origin = createServer((request, response) => {
    if (request.url === '/chunked') {
      response.writeHead(200, { 'Content-Type': 'text/plain', Trailer: 'X-Sum' });
      for (let number = 0; number < 40; number += 1) response.write('part '.repeat(2_000));
      response.addTrailers({ 'X-Sum': '7' });
      response.end();
    } else
      response
        .writeHead(
          404,
          [
            ['X-Twice', 'one'],
            ['x-twice', 'two'],
          ].flat(),
        )
        .end('gone');
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  base = `http://localhost:${String((origin.address() as AddressInfo).port)}`;
  await getThrough(weir.port, `${base}/chunked`);
  await getThrough(weir.port, `${base}/gone`);
  await getThrough(weir.port, 'http://localhost:1/refused');
  const all = { filter: '', sort: 'time', descending: false } as const;
  const session = (await client.call('sessions.list', {})).sessions[0]?.id ?? 0;
  do {
    ids = (await client.call('exchanges.ids', { ...all, session, index: 0, limit: 10 })).ids;
  } while (ids.length < 3);
  await client.call('exchanges.mark', { ids: ids.slice(0, 1), label: 3, pinned: true });
  await client.call('exchanges.comment', { id: ids[0] ?? 0, text: 'look here' });
});
afterAll(async () => {
  origin.close();
  await weir.stop();
});

async function exported(): Promise<string> {
  const reader = new StoreReader(join(weir.dataFolder, 'store'));
  const rows = (async function* () {
    for (const id of ids) yield await Promise.resolve({ id });
  })();
  let text = '';
  for await (const line of exportWeir(exactSource(reader), rows, 'test')) text += line;
  reader.close();
  return text;
}

async function imported(bytes: Buffer): Promise<ImportReport> {
  const { import: id } = await client.call('import.begin', { fileName: 'a.weir' });
  for (let at = 0; at < bytes.length; at += 1_000) {
    await client.call('import.write', { import: id, bytes: new Uint8Array(bytes.subarray(at, at + 1_000)) });
  }
  return client.call('import.end', { import: id });
}

async function whole(id: number): Promise<{ detail: ExchangeDetail; raw: string[] }> {
  const detail = await client.call('exchanges.get', { id });
  const raw: string[] = [];
  for (const side of ['request', 'response'] as const) {
    let text = '';
    for (;;) {
      const window = { id, side, as: 'received', offset: text.length, length: MAX_WINDOW_BYTES } as const;
      const { bytes } = await client.call('exchanges.readRaw', window);
      if (bytes.length === 0) break;
      text += Buffer.from(bytes).toString('latin1');
    }
    raw.push(text);
  }
  return { detail, raw };
}

test('what a session holds is the same after it went out and in', async () => {
  const report = await imported(gzipSync(await exported()));
  expect(report).toMatchObject({ imported: 3, skipped: 0, problem: null });
  const session = report.session?.id ?? 0;
  const query = { session, filter: '', sort: 'time', descending: false, index: 0, limit: 10 } as const;
  const copies = (await client.call('exchanges.ids', query)).ids;
  for (const [at, id] of ids.entries()) {
    const [before, after] = [await whole(id), await whole(copies[at] ?? 0)];
    expect(after.raw).toEqual(before.raw);
    const own = { id: 0, session: 0, program: null };
    expect({ ...after.detail.summary, ...own }).toEqual({ ...before.detail.summary, ...own });
    expect(after.detail.timing).toEqual(before.detail.timing);
    expect(after.detail.response?.trailers).toEqual(before.detail.response?.trailers);
    expect(after.detail.comment).toBe(before.detail.comment);
  }
  expect((await whole(copies[0] ?? 0)).detail.summary).toMatchObject({ label: 3, pinned: true, commented: true });
});

test('a file that is cut gives what stands before, and a newer or foreign one is refused with a reason', async () => {
  const packed = gzipSync(await exported());
  const cut = await imported(packed.subarray(0, packed.length - 400));
  expect(cut.problem).toContain('cut');
  expect(cut.imported).toBeGreaterThan(0);
  expect((await imported(Buffer.from('{"weir":2}\n'))).problem).toContain('newer Weir');
  expect((await imported(gzipSync('hello'))).problem).toContain('no HAR file');
});

test('all of a session that passes a filter is one file, which traffic that goes on does not make longer', async () => {
  const session = (await client.call('sessions.list', {})).sessions.find(({ endedAt }) => endedAt === null)?.id ?? 0;
  const recorded = async (filter: string): Promise<number> =>
    (await client.call('exchanges.count', { session, filter })).count;
  const before = await recorded('status:404');
  expect(before).toBeGreaterThan(0);
  const choice = { session, filter: 'status:404' };
  const { export: id, total } = await client.call('export.begin', {
    choice,
    format: 'har',
    redaction: USUAL_REDACTION,
  });
  expect(total).toBe(before);
  await getThrough(weir.port, `${base}/gone?later`);
  while ((await recorded('status:404')) === before);
  const { bytes, done, exchanges } = await client.call('export.read', { export: id });
  expect({ done, exchanges }).toEqual({ done: true, exchanges: before });
  const { log } = JSON.parse(Buffer.from(bytes).toString()) as {
    log: { entries: { request: { url: string }; response: { status: number } }[] };
  };
  expect(log.entries.map(({ response }) => response.status)).toEqual(Array.from({ length: before }, () => 404));
  expect(log.entries.some(({ request }) => request.url.includes('later'))).toBe(false);
  await expect(
    client.call('export.begin', { choice: { session, filter: 'status:' }, format: 'har', redaction: USUAL_REDACTION }),
  ).rejects.toMatchObject({ code: 'bad-filter' });
});

test('a page gets the file with what it chose blanked, in heads as received and as sent, and is told before', async () => {
  await getThrough(weir.port, `${base}/gone?password=hunter2`);
  const session = (await client.call('sessions.list', {})).sessions.find(({ endedAt }) => endedAt === null)?.id ?? 0;
  const query = { session, filter: 'path:hunter2 is:complete', sort: 'time', descending: false } as const;
  let found: readonly number[];
  do {
    found = (await client.call('exchanges.ids', { ...query, index: 0, limit: 1 })).ids;
  } while (found.length === 0);
  const order = { choice: { ids: found }, format: 'weir', redaction: USUAL_REDACTION } as const;
  const preview = await new Promise<ExportPreview>((resolve, reject) => {
    let last: ExportPreview | undefined;
    client.stream('export.preview', order, {
      items: (items) => {
        last = items.at(-1);
      },
      gap: () => undefined,
      ended: (failure) => {
        if (failure === null && last !== undefined) resolve(last);
        else reject(new Error(failure?.message ?? 'The preview said nothing.'));
      },
    });
  });
  expect(preview).toMatchObject({ done: true, report: { exchanges: 1, parameters: 1 } });

  const { export: id } = await client.call('export.begin', order);
  const { bytes, done } = await client.call('export.read', { export: id });
  expect(done).toBe(true);
  const text = gunzipSync(bytes).toString();
  const { heads } = JSON.parse(text.split('\n')[1] ?? '') as { heads: Record<string, string> };
  const head = (name: string): string => Buffer.from(heads[name] ?? '', 'base64').toString();
  expect(head('request')).toContain('/gone?password=redacted HTTP/1.1');
  expect(head('requestSent')).toContain('GET /gone?password=redacted HTTP/1.1');
  expect(text).not.toContain('hunter2');
});
