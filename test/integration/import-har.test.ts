import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ContractClient, ExchangeDetail, ImportReport } from '#contract';
import { MAX_WINDOW_BYTES, NO_REDACTION } from '#contract';
import { startBackend, type TestBackend } from '../support/backend-kit.ts';

const FIXTURES = fileURLToPath(new URL('../../../shared/fixtures/har/', import.meta.url));
const present = existsSync(FIXTURES);
if (!present) console.warn(`HAR files of other programs are not at ${FIXTURES}: those tests are left out.`);

let weir: TestBackend;
let client: ContractClient;

beforeAll(async () => {
  weir = await startBackend();
  client = await weir.connect();
});
afterAll(() => weir.stop());

async function importText(name: string, bytes: Buffer): Promise<ImportReport> {
  const { import: id } = await client.call('import.begin', { fileName: name });
  for (let at = 0; at < bytes.length; at += MAX_WINDOW_BYTES) {
    await client.call('import.write', { import: id, bytes: new Uint8Array(bytes.subarray(at, at + MAX_WINDOW_BYTES)) });
  }
  return client.call('import.end', { import: id });
}

async function detailsOf(report: ImportReport): Promise<ExchangeDetail[]> {
  const session = report.session?.id ?? 0;
  const { ids } = await client.call('exchanges.ids', {
    ...{ session, filter: '', sort: 'time', descending: false, index: 0, limit: 1_000 },
  });
  return Promise.all(ids.map((id) => client.call('exchanges.get', { id })));
}

async function bodyOf(id: number, side: 'request' | 'response'): Promise<string> {
  const { bytes } = await client.call('exchanges.readBody', {
    id,
    side,
    form: 'decoded',
    offset: 0,
    length: MAX_WINDOW_BYTES,
  });
  return Buffer.from(bytes).toString();
}

async function exportOf(ids: readonly number[]): Promise<string> {
  const { export: id } = await client.call('export.begin', { choice: { ids }, format: 'har', redaction: NO_REDACTION });
  const parts: Uint8Array[] = [];
  for (;;) {
    const piece = await client.call('export.read', { export: id });
    parts.push(piece.bytes);
    if (piece.done) return Buffer.concat(parts).toString();
  }
}

interface Expected {
  readonly request: { readonly method: string; readonly host: string; readonly path: string };
  readonly response: { readonly status_code: number } | null;
}

const names = present ? readdirSync(FIXTURES).filter((name) => name.endsWith('.har')) : [];
/** Files that are no HAR, and how many exchanges the others hold that are traffic. */
const BROKEN = ['brokenfile.har', 'not-json.har'];

test.runIf(present).each(names)('%s is read, or the report says why not', async (name) => {
  const report = await importText(name, readFileSync(`${FIXTURES}${name}`));
  if (BROKEN.includes(name)) {
    expect(report.problem).not.toBeNull();
    expect(report.imported).toBe(0);
    return;
  }
  const file = JSON.parse(readFileSync(`${FIXTURES}${name}`, 'utf8').replace(/^\uFEFF/, '')) as {
    log: { entries: unknown[] };
  };
  expect(report.problem).toBeNull();
  expect(report.imported + report.skipped).toBe(file.log.entries.length);
  expect(await detailsOf(report)).toHaveLength(report.imported);
  const expectedFile = `${FIXTURES}${name.replace(/har$/, 'expected.json')}`;
  if (!existsSync(expectedFile)) return;
  const expected = JSON.parse(readFileSync(expectedFile, 'utf8')) as Expected[];
  const facts = (await detailsOf(report)).map(
    ({ summary: { method, host, path, status } }) => `${method} ${host}${path} ${String(status ?? 0)}`,
  );
  expect(facts.sort()).toEqual(
    expected
      .map(
        ({ request, response }) => `${request.method} ${request.host}${request.path} ${String(response?.status_code)}`,
      )
      .sort(),
  );
});

const ENTRY = {
  startedDateTime: '2026-03-01T10:00:00.123456Z',
  time: 60.5,
  serverIPAddress: '192.0.2.7',
  connection: '42',
  request: {
    method: 'POST',
    url: 'https://api.example.test/v1/items?q=a%20b',
    httpVersion: 'HTTP/1.1',
    headers: [
      { name: 'Host', value: 'api.example.test' },
      { name: 'Content-Type', value: 'application/octet-stream' },
      { name: 'X-Twice', value: 'one' },
      { name: 'x-twice', value: 'two' },
    ],
    postData: {
      mimeType: 'application/octet-stream',
      text: Buffer.from([0, 255, 1]).toString('base64'),
      _encoding: 'base64',
    },
  },
  response: {
    status: 200,
    statusText: 'Fine',
    httpVersion: 'HTTP/1.1',
    headers: [
      { name: 'Content-Encoding', value: 'gzip' },
      { name: 'Content-Type', value: 'text/plain' },
    ],
    _trailers: [{ name: 'X-Sum', value: '7' }],
    content: { mimeType: 'text/plain', text: 'hello, ü', size: 9 },
  },
  timings: { blocked: -1, dns: 1.5, connect: 20, ssl: 12, send: 0.25, wait: 30, receive: 8.75 },
  comment: 'a note',
};

test('an imported exchange has its heads, bodies, trailers, times and comment', async () => {
  const report = await importText(
    'one.har',
    Buffer.from(JSON.stringify({ log: { version: '1.1', entries: [ENTRY] } })),
  );
  expect(report).toMatchObject({ imported: 1, skipped: 0, problem: null, session: { name: 'one.har', exchanges: 1 } });
  const [detail] = await detailsOf(report);
  expect(detail?.summary).toMatchObject({
    method: 'POST',
    host: 'api.example.test',
    path: '/v1/items?q=a%20b',
    status: 200,
    state: 'complete',
  });
  expect(detail?.request?.headers.slice(2)).toEqual([
    ['X-Twice', 'one'],
    ['x-twice', 'two'],
  ]);
  expect(detail?.response).toMatchObject({ startLine: 'HTTP/1.1 200 Fine', trailers: [['X-Sum', '7']] });
  expect(detail?.timing).toEqual({
    dns: 1_500,
    connect: 9_500,
    tls: 21_500,
    sent: 21_750,
    firstByte: 51_750,
    end: 60_500,
  });
  expect(detail?.summary.startedAt).toBe(Date.UTC(2026, 2, 1, 10) * 1_000 + 123_456);
  expect(detail?.comment).toBe('a note');
  expect(await bodyOf(detail?.summary.id ?? 0, 'response')).toBe('hello, ü');
});

test('what Weir exports it imports again without loss', async () => {
  const failed = {
    ...ENTRY,
    response: { status: 0 },
    _error: { code: 'connect.refused', side: 'origin', phase: 'connect', message: 'No.' },
  };
  const socket = {
    ...ENTRY,
    _resourceType: 'websocket',
    request: { ...ENTRY.request, method: 'GET', url: 'https://api.example.test/live', postData: undefined },
    response: {
      status: 101,
      statusText: 'Switching Protocols',
      httpVersion: 'HTTP/1.1',
      headers: [{ name: 'Upgrade', value: 'websocket' }],
    },
    _webSocketMessages: [
      { type: 'send', time: 1_772_359_200.5, opcode: 1, data: 'ping ü' },
      { type: 'receive', time: 1_772_359_201.25, opcode: 2, data: Buffer.from([1, 2, 255]).toString('base64') },
    ],
  };
  const h2 = { ...ENTRY, request: { ...ENTRY.request, httpVersion: 'HTTP/2', headers: [{ name: 'x', value: '1' }] } };
  const entries = [ENTRY, failed, socket, h2];
  const first = await detailsOf(await importText('first.har', Buffer.from(JSON.stringify({ log: { entries } }))));
  const once = await exportOf(first.map(({ summary }) => summary.id));
  const second = await detailsOf(await importText('second.har', Buffer.from(once)));
  const twice = await exportOf(second.map(({ summary }) => summary.id));
  // Connections are numbered anew.
  const plain = (text: string): unknown => JSON.parse(text.replaceAll(/"connection":"\d+",?/g, ''));
  expect(plain(twice)).toEqual(plain(once));
  expect(once).toContain('_webSocketMessages');
});

test('entries that are no traffic are left out with their reason', async () => {
  const entries = [ENTRY, { request: { url: 'data:text/plain,x' } }, {}, { ...ENTRY, request: { url: 'http://a/' } }];
  const report = await importText('odd.har', Buffer.from(JSON.stringify({ log: { entries } })));
  expect(report).toMatchObject({ imported: 2, skipped: 2 });
  expect(report.named.map(({ entry }) => entry)).toEqual([2, 3]);
  expect(report.named[0]?.reason).toContain('data:');
});

test.runIf(present)('flows of mitmproxy are told from HAR by their first bytes', async () => {
  const report = await importText(
    'a.mitm',
    readFileSync(fileURLToPath(new URL('../mitm/websocket.mitm', `file://${FIXTURES}`))),
  );
  expect(report).toMatchObject({ imported: 3, skipped: 0, problem: null, session: { name: 'a.mitm' } });
  expect((await detailsOf(report)).map(({ summary }) => summary.kind)).toEqual(['websocket', 'websocket', 'websocket']);
});

test('a cancelled import leaves nothing behind', async () => {
  const { import: id } = await client.call('import.begin', { fileName: 'given up.har' });
  await client.call('import.write', { import: id, bytes: Buffer.from(JSON.stringify({ log: { entries: [ENTRY] } })) });
  await client.call('import.cancel', { import: id });
  const { sessions } = await client.call('sessions.list', {});
  expect(sessions.map(({ name }) => name)).not.toContain('given up.har');
  await expect(client.call('import.end', { import: id })).rejects.toMatchObject({ code: 'not-found' });
});
