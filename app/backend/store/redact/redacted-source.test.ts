import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { NO_REDACTION, USUAL_REDACTION, type Redaction, type RedactionReport } from '#contract';
import { beginStream } from '../../../../test/support/message-kit.ts';
import { openStoreKit, type StoreKit } from '../../../../test/support/store-kit.ts';
import { frame, MASK } from '../../../../test/support/websocket-frames.ts';
import { exportPieces } from '../export-pieces.ts';
import { previewExport } from './preview-export.ts';
import { RedactedSource } from './redacted-source.ts';
import { RedactionTally } from './redaction-tally.ts';

const SECRET = 'hunter2';

/** Both files as a reader sees them: `.weir` lines with their base64 decoded. */
interface Exported {
  readonly har: string;
  readonly weir: string;
  readonly report: RedactionReport;
}

async function exported(kit: StoreKit, redaction: Partial<Redaction>): Promise<Exported> {
  kit.commit();
  const reader = kit.reader();
  const ids = [...new Set(kit.changed.map(({ id }) => id))];
  const rows = async function* (): AsyncGenerator<{ readonly id: number }> {
    for (const id of ids) yield await Promise.resolve({ id });
  };
  const plan = { redaction: { ...NO_REDACTION, ...redaction }, version: '1' };
  const write = async (format: 'har' | 'weir'): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const part of exportPieces(reader, rows(), { ...plan, format }, new RedactionTally())) {
      parts.push(Buffer.from(part));
    }
    return Buffer.concat(parts);
  };
  const tally = new RedactionTally();
  await previewExport(new RedactedSource(reader, plan.redaction, tally), rows(), true);
  const weir = gunzipSync(await write('weir')).toString('utf8');
  return {
    har: (await write('har')).toString('utf8'),
    weir: weir.replace(/"(?:data|request|response)":"([^"]*)"/g, (_whole, base64: string) =>
      Buffer.from(base64, 'base64').toString('latin1'),
    ),
    report: tally.report(),
  };
}

test('credentials of every usual place leave in neither format, and everything beside them stays', async () => {
  using kit = openStoreKit();
  kit.record({
    path: `/a?page=2&access_token=${SECRET}&x=1`,
    requestHeaders: [
      `Authorization: Bearer ${SECRET}`,
      `X-API-KEY:${SECRET}`,
      `Cookie: session=${SECRET}; theme=${SECRET}`,
      `Referer: https://me:${SECRET}@example.test/?token=${SECRET}`,
      'Accept: text/plain',
    ],
    responseHeaders: [
      `Set-Cookie: id=${SECRET}; Path=/; HttpOnly`,
      `Location: /next#id_token=${SECRET}`,
      'Transfer-Encoding: chunked',
    ],
    responseBody: 'hello',
    chunks: [5],
    trailers: [`Authentication-Info: ${SECRET}`],
  });
  kit.record({
    method: 'POST',
    requestHeaders: ['Content-Type: application/x-www-form-urlencoded'],
    requestBody: `user=ann&pass%77ord=${SECRET}`,
  });
  const { har, weir, report } = await exported(kit, USUAL_REDACTION);

  for (const text of [har, weir]) {
    expect(text).not.toContain(SECRET);
    expect(text).toContain('Bearer redacted');
    expect(text).toContain('session=redacted; theme=redacted');
    expect(text).toContain('page=2&access_token=redacted&x=1');
    expect(text).toContain('id=redacted; Path=/; HttpOnly');
    expect(text).toContain('user=ann&pass%77ord=redacted');
    expect(text).toContain('hello');
  }
  expect(report).toMatchObject({ exchanges: 2, hosts: 1, headers: 3, cookies: 3, parameters: 5, jsonValues: 0 });
  expect(report.samples).toContainEqual({
    exchange: { id: 1, method: 'GET', url: 'https://example.test/a?page=2&access_token=redacted&x=1' },
    place: 'request header',
    name: 'Authorization',
    leaves: 'Bearer redacted',
  });
  expect(JSON.stringify(report)).not.toContain(SECRET);
});

test('a value of an encoded JSON body is blanked, and its head tells the truth about what leaves', async () => {
  using kit = openStoreKit();
  const body = gzipSync(`{"user":{"token":"${SECRET}","n":1.0}}`);
  kit.record({
    responseHeaders: ['Content-Type: application/json', 'Content-Encoding: gzip', `Transfer-Encoding: chunked`],
    responseBody: body,
    chunks: [10, body.length - 10],
  });
  const { har, weir, report } = await exported(kit, { jsonPaths: ['$.user.token'] });

  const leaves = '{"user":{"token":"redacted","n":1.0}}';
  expect(weir).toContain(leaves);
  expect(weir).toContain(`Content-Length: ${String(leaves.length)}\r\n\r\n`);
  expect(weir).not.toMatch(/Content-Encoding|Transfer-Encoding/);
  const { entries } = (JSON.parse(har) as { log: { entries: { response: object }[] } }).log;
  expect(entries[0]?.response).toMatchObject({ bodySize: leaves.length, content: { text: leaves } });
  expect(report).toMatchObject({ jsonValues: 1, leftOut: 0, otherBodies: 0 });
});

test('a body that should be searched and cannot be read is left out and named, never passed on', async () => {
  using kit = openStoreKit();
  const json = ['Content-Type: application/json'];
  kit.record({ responseHeaders: json, responseBody: `{"token":"${SECRET}"` });
  kit.record({ responseHeaders: [...json, 'Content-Encoding: gzip'], responseBody: `no gzip, but ${SECRET}` });
  kit.record({ responseBody: `[${SECRET}, `, responseHeaders: ['Content-Type: text/plain'] });
  kit.record({ responseBody: `data: {"token":"${SECRET}\n\n`, responseHeaders: ['Content-Type: text/event-stream'] });
  kit.record({ responseBody: 'plain', responseHeaders: ['Content-Type: text/plain'] });
  const { har, weir, report } = await exported(kit, { jsonPaths: ['$.token'] });

  for (const text of [har, weir]) {
    expect(text).not.toContain(SECRET);
    expect(text).toContain('left the response body out');
    expect(text).toContain('plain');
  }
  expect(report).toMatchObject({ leftOut: 4, otherBodies: 1 });
  expect(report.named.map(({ exchange, what }) => `${String(exchange.id)} ${what}`)).toEqual([
    '1 response body',
    '2 response body',
    '3 response body',
    '4 response body',
  ]);
});

test('events and messages of a WebSocket lose the values too, and frames as they came do not leave beside them', async () => {
  using kit = openStoreKit();
  kit.record({
    responseHeaders: ['Content-Type: text/event-stream'],
    responseBody: `event: a\ndata: {"token":"${SECRET}"}\n\ndata: DONE\n\n`,
  });
  const socket = beginStream(kit.tap, 7, { kind: 'websocket', status: 101 });
  socket.answer();
  socket.send('request', frame({ opcode: 1, payload: `42["join",{"token":"${SECRET}"}]`, mask: MASK }));
  socket.send('response', frame({ opcode: 1, payload: '{"ok":true}' }));
  socket.send('response', frame({ opcode: 1, payload: `{"token":"${SECRET}` }));
  socket.end();
  const { har, weir, report } = await exported(kit, { jsonPaths: ['token'] });

  for (const text of [har, weir]) expect(text).not.toContain(SECRET);
  expect(weir).toContain('event: a\ndata: {"token":"redacted"}\n\ndata: DONE\n\n');
  expect(weir).toContain('42["join",{"token":"redacted"}]');
  expect(har).toContain(JSON.stringify('42["join",{"token":"redacted"}]').slice(1, -1));
  expect(weir).toContain('{"ok":true}');
  expect(report).toMatchObject({ jsonValues: 2, leftOut: 1 });
  expect(report.named).toMatchObject([
    { exchange: { id: 7, method: 'GET', url: 'https://live.test/stream' }, what: 'message 3' },
  ]);
});

test('the preview names exchanges by method and URL, as they leave and no longer than a line of a report may be', async () => {
  using kit = openStoreKit();
  const json = ['Content-Type: application/json'];
  const broken = { responseHeaders: json, responseBody: '{"a":' };
  kit.record({ ...broken, path: `/a?token=${SECRET}` });
  kit.record({ ...broken, path: `/${'b'.repeat(5_000)}/last` });
  const { report } = await exported(kit, { parameters: ['token'], jsonPaths: ['$.a'] });

  const [short, long] = report.named.map(({ exchange }) => exchange);
  expect(short).toEqual({ id: 1, method: 'GET', url: 'https://example.test/a?token=redacted' });
  expect(report.samples).toMatchObject([{ exchange: short, name: 'token' }]);
  expect(long?.url).toHaveLength(1_000);
  expect(long?.url).toMatch(/^https:\/\/example\.test\/b+…b+\/last$/);
});

test('without a redaction every byte of a file is as it was', async () => {
  using kit = openStoreKit();
  kit.record({ requestHeaders: [`Authorization: Bearer ${SECRET}`], responseBody: `{"token":"${SECRET}"}` });
  const { har, weir } = await exported(kit, {});
  expect(har.split(SECRET)).toHaveLength(3);
  expect(weir.split(SECRET)).toHaveLength(3);
});

test('a JSON path that cannot be read is refused before anything leaves', () => {
  using kit = openStoreKit();
  kit.commit();
  const make = (): RedactedSource =>
    new RedactedSource(kit.reader(), { ...NO_REDACTION, jsonPaths: ['$.a['] }, new RedactionTally());
  expect(make).toThrow('is no JSON path');
});
