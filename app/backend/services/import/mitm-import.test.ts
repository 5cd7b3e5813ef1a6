import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ExchangeDetail, ImportReport } from '#contract';
import { originCertificate } from '../../../../test/support/origin-certificates.ts';
import { openStoreKit, type StoreKit } from '../../../../test/support/store-kit.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import { messagesOf, payloadOf } from '../../store/export-source.ts';
import { isMitmFile, MitmImport } from './mitm-import.ts';
import { ExchangeRecorder } from './record-exchange.ts';

const FIXTURES = fileURLToPath(new URL('../../../../../shared/fixtures/mitm/', import.meta.url));
const present = existsSync(FIXTURES);
if (!present) process.stderr.write(`\nNOT TESTED: files of mitmproxy, which are not at ${FIXTURES}.\n\n`);

interface Imported {
  readonly report: Omit<ImportReport, 'session'>;
  readonly exchanges: readonly ExchangeDetail[];
  readonly reader: StoreReader;
  readonly marks: MitmImport['marks'];
}

async function imported(kit: StoreKit, bytes: Buffer, pieceBytes = 1_000): Promise<Imported> {
  const file = new MitmImport(new ExchangeRecorder(kit.tap, 1_000, 1_000), () => 1);
  for (let at = 0; at < bytes.length; at += pieceBytes) file.receive(bytes.subarray(at, at + pieceBytes));
  const report = file.end();
  kit.commit();
  const reader = kit.reader();
  const exchanges: ExchangeDetail[] = [];
  for (let id = 1_000; id < file.nextExchange; id += 1) exchanges.push(await reader.get(id));
  return { report, exchanges, reader, marks: file.marks };
}

const fixture = (name: string): Buffer => readFileSync(`${FIXTURES}${name}`);

async function messages(reader: StoreReader, id: number): Promise<string[]> {
  const found: string[] = [];
  for await (const message of messagesOf(reader, { id })) {
    const parts: Buffer[] = [];
    for await (const part of payloadOf(reader, message)) parts.push(part);
    found.push(`${message.side} ${message.kind} ${Buffer.concat(parts).toString('latin1')}`);
  }
  return found;
}

/** A tagged netstring. */
function tnet(value: unknown): string {
  const tag = (payload: string, type: string): string => `${String(Buffer.byteLength(payload))}:${payload}${type}`;
  if (value === null) return '0:~';
  if (typeof value === 'string') return tag(value, ';');
  if (typeof value === 'number') return tag(String(value), Number.isInteger(value) ? '#' : '^');
  if (typeof value === 'boolean') return tag(String(value), '!');
  if (Array.isArray(value)) return tag(value.map(tnet).join(''), ']');
  return tag(
    Object.entries(value as object)
      .map(([key, content]) => tnet(key) + tnet(content))
      .join(''),
    '}',
  );
}

const FLOW = {
  type: 'http',
  request: {
    method: 'GET',
    scheme: 'http',
    host: 'example.test',
    port: 80,
    path: '/a',
    http_version: 'HTTP/1.1',
    headers: [['Host', 'example.test']],
    content: '',
    timestamp_start: 1_700_000_000.5,
    timestamp_end: 1_700_000_000.6,
  },
  response: {
    status_code: 204,
    reason: 'Nothing',
    http_version: 'HTTP/1.1',
    headers: [],
    content: '',
    timestamp_start: 1_700_000_001,
    timestamp_end: 1_700_000_001.25,
  },
} as const;

test.runIf(present).each([
  ['dumpfile-10.mitm', 1, 0],
  ['dumpfile-19.mitm', 1, 0],
  // It holds the messages of one WebSocket twice.
  ['dumpfile-7-websocket.mitm', 3, 1],
  ['event_stream.mitm', 2, 0],
  ['successful_log.mitm', 2, 0],
  ['websocket.mitm', 3, 0],
])('%s is read whole, in pieces of any size', async (name, count, skipped) => {
  using kit = openStoreKit();
  const { report, exchanges } = await imported(kit, fixture(name), 313);
  expect(report).toMatchObject({ imported: count, skipped, problem: null });
  expect(exchanges).toHaveLength(count);
  expect(isMitmFile(fixture(name))).toBe(true);
});

test.runIf(present)('an exchange has its heads, body, times and the address that was connected to', async () => {
  using kit = openStoreKit();
  const { exchanges, reader } = await imported(kit, fixture('successful_log.mitm'));
  const [, post] = exchanges;
  expect(post?.summary).toMatchObject({
    ...{
      method: 'POST',
      scheme: 'https',
      host: 'httpbin.org',
      port: 443,
      path: '/post',
      status: 200,
      state: 'complete',
    },
    ...{ startedAt: 1_690_282_705_577_252, requestBodyBytes: 23, responseBodyBytes: 453 },
    origin: { address: '54.211.216.104:443', protocol: 'h2' },
  });
  expect(post?.request?.headers.slice(0, 5)).toEqual([
    [':method', 'POST'],
    [':scheme', 'https'],
    [':authority', 'httpbin.org'],
    [':path', '/post'],
    ['user-agent', 'curl/7.86.0'],
  ]);
  expect(post?.timing).toMatchObject({ connect: null, sent: 1_930, firstByte: 14_574_425, end: 14_577_692 });
  const body = await reader.readBody({ id: 1_001, side: 'request', form: 'decoded', offset: 0, length: 100 });
  expect(Buffer.from(body.bytes).toString()).toBe('key1=value1&key2=value2');
});

test.runIf(present)('messages of a WebSocket are found inside of its flow, and beside it in old files', async () => {
  using kit = openStoreKit();
  const old = await imported(kit, fixture('dumpfile-7-websocket.mitm'));
  expect(old.exchanges.map(({ summary }) => summary.kind)).toEqual(['websocket', 'websocket', 'websocket']);
  expect(await messages(old.reader, 1_000)).toEqual([
    'request text Rock it with HTML5 WebSocket',
    'response text Rock it with HTML5 WebSocket',
    expect.stringMatching(/^request close/),
  ]);
  using other = openStoreKit();
  const recent = await imported(other, fixture('websocket.mitm'));
  expect(await messages(recent.reader, 1_001)).toEqual([
    'response text {"error":"Missing apiKey"}',
    expect.stringMatching(/^response close/),
  ]);
});

test.runIf(present)('a flow that failed says why, and one whose body was not kept says that', async () => {
  using kit = openStoreKit();
  const { exchanges } = await imported(kit, fixture('event_stream.mitm'));
  expect(exchanges[0]?.summary).toMatchObject({
    ...{ host: 'clientstream.launchdarkly.com', state: 'failed' },
    error: { code: 'client.cancelled', message: 'stream reset by client (CANCEL)' },
  });
});

test('flows of other protocols are left out by name, marks and comments stay', async () => {
  using kit = openStoreKit();
  const flows = [
    { ...FLOW, marked: ':red_circle:', comment: 'look' },
    { type: 'tcp', messages: [] },
    { ...FLOW, response: null, error: { msg: 'connection refused' } },
    { type: 'http', request: {} },
    { ...FLOW, version: 4 },
  ];
  const { report, marks, exchanges } = await imported(kit, Buffer.from(flows.map(tnet).join('')), 7);
  expect(report).toMatchObject({ imported: 2, skipped: 3, problem: null });
  expect(report.named.map(({ entry, reason }) => `${String(entry)} ${reason}`)).toEqual([
    '2 it is a flow of TCP, and HTTP flows alone are read',
    '4 it names no host',
    expect.stringContaining('version 4'),
  ]);
  expect(marks).toEqual([{ id: 1_000, label: 0, pinned: true, comment: 'look' }]);
  expect(exchanges[1]?.summary).toMatchObject({ status: null, error: { code: 'connect.refused' } });
});

test('both legs have their addresses, connections and TLS, and a certificate that cannot be read costs nothing else', async () => {
  using kit = openStoreKit();
  const leaf = originCertificate('example.test').cert;
  const tls = { tls_version: 'TLSv1.3', timestamp_tls_setup: 1_700_000_000.4, sni: 'example.test', alpn: 'h2' };
  const flow = {
    ...FLOW,
    client_conn: {
      ...{ id: 'c1', peername: ['127.0.0.1', 50_000], ...tls, cipher: 'TLS_AES_128_GCM_SHA256', mitmcert: leaf },
      ...{ alpn_offers: ['h2', 'http/1.1'], certificate_list: [] },
    },
    server_conn: {
      ...{ id: 's1', peername: ['2001:db8::7', 443, 0, 0], ...tls, cipher: 'TLS_AES_256_GCM_SHA384' },
      certificate_list: [leaf, '-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n'],
    },
  };
  const bare = { ...flow, client_conn: { ...flow.client_conn, timestamp_tls_setup: null, id: 'c2' }, server_conn: {} };
  const { exchanges } = await imported(kit, Buffer.from([flow, flow, bare].map(tnet).join('')));
  const [first, second, third] = exchanges;
  expect(first?.clientConnection).toMatchObject({
    address: '127.0.0.1:50000',
    tls: { version: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', alpn: 'h2', offeredAlpn: ['h2', 'http/1.1'] },
  });
  expect(first?.clientConnection?.tls?.chain.map(({ names }) => names)).toEqual([['example.test']]);
  expect(first?.originConnection).toMatchObject({
    address: '[2001:db8::7]:443',
    // Whether mitmproxy had verified it, the file does not say.
    tls: { sni: 'example.test', verified: null, chain: [{ names: ['example.test'] }] },
  });
  expect(second?.clientConnection?.id).toBe(first?.clientConnection?.id);
  expect(second?.summary.origin).toMatchObject({ address: '[2001:db8::7]:443' });
  expect(third?.clientConnection?.tls).toBeNull();
  expect(third?.summary.origin).toEqual({ address: null, protocol: null });
});

test('damage is named with its place: inside of a flow the next one is read, between flows reading ends', async () => {
  const good = tnet(FLOW);
  using kit = openStoreKit();
  // A length inside of the second flow that says too much.
  const inside = Buffer.from(good + good.replace('3:GET', '9:GET') + good);
  const first = await imported(kit, inside);
  expect(first.report).toMatchObject({ imported: 2, skipped: 1, problem: null });
  expect(first.report.named[0]?.reason).toMatch(/^it is damaged at byte \d+: /);
  using other = openStoreKit();
  const between = await imported(other, Buffer.from(`${good}x${good}`));
  expect(between.report.imported).toBe(1);
  expect(between.report.problem).toContain(`damaged at byte ${String(good.length)}`);
  using third = openStoreKit();
  const cut = await imported(third, Buffer.from(good + good.slice(0, -5)));
  expect(cut.report.problem).toContain(`begins at byte ${String(good.length)}`);
  using fourth = openStoreKit();
  const deep =
    '['.repeat(0) + Array.from({ length: 40 }).reduce<string>((inner) => `${String(inner.length)}:${inner}]`, '0:]');
  const nested = await imported(
    fourth,
    Buffer.from(tnet({}).replace('0:}', `${String(deep.length + 4)}:1:a;${deep}}`) + good),
  );
  expect(nested.report).toMatchObject({ imported: 1, skipped: 1 });
});
