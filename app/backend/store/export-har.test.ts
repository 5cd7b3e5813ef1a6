import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { beginStream } from '../../../test/support/message-kit.ts';
import { closePayload, frame, MASK } from '../../../test/support/websocket-frames.ts';
import { openStoreKit, type StoreKit } from '../../../test/support/store-kit.ts';
import { exportHar } from './export-har.ts';

interface Har {
  readonly log: {
    readonly version: string;
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
  };
}

interface HarEntry extends Record<string, unknown> {
  readonly time: number;
  readonly timings: Readonly<Record<string, number>>;
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>> & { readonly content: Readonly<Record<string, unknown>> };
}

test('a file has what HAR 1.2 requires, for every kind of exchange', async () => {
  using kit = openStoreKit();
  kit.record({
    path: '/?a=1&b=%20&c',
    requestHeaders: ['Cookie: s=1; t="2"'],
    responseHeaders: ['Content-Type: text/plain'],
    responseBody: 'hi',
  });
  kit.record({ method: 'POST', requestBody: 'up', status: 302, responseHeaders: ['Location: /next'] });
  kit.record({
    status: null,
    end: { complete: false, error: { code: 'connect.refused', side: 'origin', phase: 'connect', message: 'No.' } },
  });
  kit.record({ ended: false });
  const { log } = await har(kit);

  expect(log).toMatchObject({ version: '1.2', creator: { name: 'Weir', version: '9.9.9' } });
  expect(log.entries).toHaveLength(4);
  for (const entry of log.entries) {
    expect(entry['startedDateTime']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(entry['cache']).toEqual({});
    for (const [side, names] of [
      ['request', ['method', 'url', 'httpVersion', 'cookies', 'headers', 'queryString', 'headersSize', 'bodySize']],
      [
        'response',
        [
          'status',
          'statusText',
          'httpVersion',
          'cookies',
          'headers',
          'content',
          'redirectURL',
          'headersSize',
          'bodySize',
        ],
      ],
    ] as const) {
      expect(Object.keys(entry[side])).toEqual(expect.arrayContaining([...names]));
    }
    for (const phase of ['send', 'wait', 'receive']) expect(entry.timings[phase]).toBeGreaterThanOrEqual(0);
    const { ssl: _partOfConnect, ...phases } = entry.timings;
    const sum = Object.values(phases).reduce((total, phase) => total + Math.max(0, phase), 0);
    expect(sum).toBeCloseTo(entry.time, 6);
  }
  expect(log.entries[0]?.request).toMatchObject({
    url: 'https://example.test/?a=1&b=%20&c',
    queryString: [
      { name: 'a', value: '1' },
      { name: 'b', value: '%20' },
      { name: 'c', value: '' },
    ],
    cookies: [
      { name: 's', value: '1' },
      { name: 't', value: '"2"' },
    ],
  });
  expect(log.entries[1]?.response).toMatchObject({ status: 302, statusText: 'Fine', redirectURL: '/next' });
  expect(log.entries[2]).toMatchObject({ _error: { code: 'connect.refused' }, response: { status: 0 } });
});

test('fields keep their order, case and duplicates; trailers and informational heads have their own places', async () => {
  using kit = openStoreKit();
  kit.record({
    requestHeaders: ['x-B: 1', 'X-a: 2', 'x-B: 3'],
    responseHeaders: ['Set-Cookie: a=1; Path=/; HttpOnly', 'Set-Cookie: b=2; Secure; SameSite=Lax'],
    informational: ['HTTP/1.1 103 Early Hints'],
    responseBody: 'x',
    chunks: [1],
    trailers: ['X-Sum: 9'],
  });
  const [entry] = (await har(kit)).log.entries;

  expect(entry?.request['headers']).toEqual([
    { name: 'Host', value: 'example.test' },
    { name: 'x-B', value: '1' },
    { name: 'X-a', value: '2' },
    { name: 'x-B', value: '3' },
  ]);
  expect(entry?.response).toMatchObject({
    cookies: [
      { name: 'a', value: '1', path: '/', httpOnly: true },
      { name: 'b', value: '2', secure: true, sameSite: 'Lax' },
    ],
    _trailers: [{ name: 'X-Sum', value: '9' }],
    _informational: [{ startLine: 'HTTP/1.1 103 Early Hints', headers: [] }],
  });
});

test('bodies are text where they are UTF-8 and base64 where they are not, decoded, with both sizes', async () => {
  using kit = openStoreKit();
  const binary = randomBytes(1_000_001);
  const text = `„Straße“ \u{1F600} "quoted" \\ \0 end`.repeat(30_000);
  const coded = gzipSync(text);
  kit.record({ responseHeaders: ['Content-Type: image/png'], responseBody: binary });
  kit.record({ responseHeaders: ['Content-Encoding: gzip', 'Content-Type: text/html'], responseBody: coded });
  kit.record({ method: 'POST', requestBody: Buffer.from([0xff, 0, 1]), requestHeaders: ['Content-Type: a/b'] });
  kit.record({ responseHeaders: ['Content-Encoding: gzip'], responseBody: coded.subarray(0, 500) });
  const [first, second, third, fourth] = (await har(kit)).log.entries;

  expect(first?.response.content).toMatchObject({ size: binary.length, encoding: 'base64', mimeType: 'image/png' });
  expect(Buffer.from(String(first?.response.content['text']), 'base64').equals(binary)).toBe(true);
  const size = Buffer.byteLength(text);
  expect(second?.response.content).toMatchObject({ size, compression: size - coded.length });
  expect(second?.response.content['text']).toBe(text);
  expect(second?.response['bodySize']).toBe(coded.length);
  expect(third?.request['postData']).toEqual({ mimeType: 'a/b', _encoding: 'base64', text: '/wAB' });
  expect(fourth?.response.content).toMatchObject({ _stopped: 'cut' });
});

test('a body that was not kept says why', async () => {
  using kit = openStoreKit();
  kit.record({ end: { responseBodyBytes: 77 } });
  const [entry] = (await har(kit)).log.entries;

  expect(entry?.response).toMatchObject({ bodySize: 77, content: { size: 0 } });
  expect(entry?.response.content['comment']).toMatch(/not recorded/);
});

test('exchanges that are gone by the time they are written are left out', async () => {
  using kit = openStoreKit();
  const id = kit.record({});
  kit.commit();
  const { log } = await har(kit, [id - 1, id, id + 1]);

  expect(log.entries).toHaveLength(1);
});

test('nothing is a valid file too', async () => {
  using kit = openStoreKit();

  expect((await har(kit, [])).log.entries).toEqual([]);
});

test('the messages of a WebSocket stand where Chrome writes them', async () => {
  using kit = openStoreKit();
  const stream = beginStream(kit.tap, 1, { kind: 'websocket', status: 101 });
  stream.answer();
  stream.send('request', frame({ opcode: 1, payload: 'say "hi" €', mask: MASK }));
  stream.send('response', frame({ opcode: 2, payload: Buffer.from([0, 255, 1, 2]) }));
  stream.send('response', frame({ opcode: 8, payload: closePayload(1_001) }));
  stream.end();
  const { log } = await har(kit);

  const messages = log.entries[0]?.['_webSocketMessages'] as readonly Record<string, unknown>[];
  expect(messages.map(({ type, opcode, data }) => [type, opcode, data])).toEqual([
    ['send', 1, 'say "hi" €'],
    ['receive', 2, 'AP8BAg=='],
    ['receive', 8, 'A+k='],
  ]);
  expect(messages.every(({ time }) => typeof time === 'number' && time > 1_764_000_000)).toBe(true);
  expect(log.entries[0]?.['_resourceType']).toBe('websocket');
});

async function har(kit: StoreKit, ids?: readonly number[]): Promise<Har> {
  kit.commit();
  const reader = kit.reader();
  const chosen = ids ?? kit.changed.map(({ id }) => id);
  const exchanges = (async function* () {
    for (const id of chosen) yield await Promise.resolve({ id });
  })();
  let text = '';
  for await (const piece of exportHar(reader, exchanges, '9.9.9')) text += piece;
  return JSON.parse(text) as Har;
}
