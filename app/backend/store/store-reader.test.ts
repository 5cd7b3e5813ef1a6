import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStoreKit, type StoreKit } from '../../../test/support/store-kit.ts';
import { StoreReader } from './store-reader.ts';

let kit: StoreKit;
let reader: StoreReader;

beforeEach(() => {
  kit = openStoreKit();
  reader = kit.reader();
});

afterEach(() => {
  kit[Symbol.dispose]();
});

test('a detail shows heads as on the wire: order, case, duplicates, folds', async () => {
  const id = kit.record({
    requestHeaders: ['x-B: 1', 'X-a:2', 'x-B:  3  ', 'X-Fold: one', '\ttwo', 'X-Latin: caf\xe9', 'X-Empty:'],
    responseHeaders: [
      'Set-Cookie: a=1',
      'Set-Cookie: b=2',
      'Content-Type: Text/HTML; Charset="ISO-8859-1"',
      'content-encoding: GZIP, identity',
      'Content-Encoding: br',
    ],
    informational: ['HTTP/1.1 103 Early Hints', 'HTTP/1.1 100 Continue'],
    chunks: [],
    trailers: ['X-Sum: 9', 'x-sum: 10'],
  });
  kit.commit();
  const detail = await reader.get(id);

  expect(detail.request?.headers).toEqual([
    ['Host', 'example.test'],
    ['x-B', '1'],
    ['X-a', '2'],
    ['x-B', '3'],
    ['X-Fold', 'one two'],
    ['X-Latin', 'caf\xe9'],
    ['X-Empty', ''],
  ]);
  expect(detail.response).toMatchObject({
    startLine: 'HTTP/1.1 200 Fine',
    contentEncoding: ['gzip', 'br'],
    mediaType: 'text/html',
    charset: 'iso-8859-1',
    trailers: [
      ['X-Sum', '9'],
      ['x-sum', '10'],
    ],
  });
  expect(detail.informational.map(({ startLine }) => startLine)).toEqual([
    'HTTP/1.1 103 Early Hints',
    'HTTP/1.1 100 Continue',
  ]);
  expect(detail.timing).toEqual({ dns: 100, connect: 300, tls: 900, sent: 1_000, firstByte: 4_000, end: 5_000 });
});

test('an exchange that does not exist is not found', async () => {
  await expect(reader.get(4_711)).rejects.toMatchObject({ code: 'not-found' });
  await expect(readDecoded(4_711)).rejects.toMatchObject({ code: 'not-found' });
});

describe('raw bytes', () => {
  const wire =
    'HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\n\r\n' +
    '5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nX-Sum: 9\r\n\r\n';

  test('are the head, the chunks and the trailers as they came, at every window', () => {
    const id = kit.record({
      responseHeaders: ['Transfer-Encoding: chunked'],
      responseBody: 'hello world',
      chunks: [5, 1, 5],
      trailers: ['X-Sum: 9'],
    });
    kit.commit();

    for (let offset = 0; offset <= wire.length; offset += 1) {
      const window = reader.readRaw({ id, side: 'response', as: 'received', offset, length: 7 });
      expect(Buffer.from(window.bytes).toString('latin1')).toBe(wire.slice(offset, offset + 7));
      expect(window.totalBytes).toBe(wire.length);
    }
  });

  test('as sent differ where Weir forwarded something else: head, or framing', () => {
    const id = kit.record({ ended: false, responseBody: 'hello world', chunks: [11], requestBody: 'up' });
    kit.tap.sentRequestHead(id, Buffer.from('POST / HTTP/1.0\r\nVia: weir\r\n\r\n'));
    kit.tap.end(id, {
      timing: { dns: null, connect: null, tls: null, sent: null, firstByte: null, end: 1 },
      requestBodyBytes: 2,
      responseBodyBytes: 11,
      error: null,
      anomalies: [],
      complete: true,
      sentRequestFraming: 'chunked',
      sentResponseFraming: 'identity',
    });
    kit.commit();
    const raw = (side: 'request' | 'response', as: 'received' | 'sent'): string =>
      Buffer.from(reader.readRaw({ id, side, as, offset: 0, length: 10_000 }).bytes).toString('latin1');

    expect(raw('request', 'received')).toBe('GET / HTTP/1.1\r\nHost: example.test\r\n\r\nup');
    expect(raw('request', 'sent')).toBe('POST / HTTP/1.0\r\nVia: weir\r\n\r\n2\r\nup\r\n0\r\n\r\n');
    expect(raw('response', 'received')).toBe('HTTP/1.1 200 Fine\r\n\r\nb\r\nhello world\r\n0\r\n\r\n');
    expect(raw('response', 'sent')).toBe('HTTP/1.1 200 Fine\r\n\r\nhello world');
  });

  test('of a long body in many uneven chunks are exact', () => {
    const chunks = Array.from({ length: 3_000 }, (_, index) => 1 + ((index * 7_919) % 97));
    const body = randomBytes(chunks.reduce((sum, size) => sum + size, 0));
    const id = kit.record({ responseBody: body, chunks });
    kit.commit();
    let at = 0;
    const pieces = chunks.map((size) => {
      const piece = Buffer.concat([
        Buffer.from(`${size.toString(16)}\r\n`),
        body.subarray(at, at + size),
        Buffer.from('\r\n'),
      ]);
      at += size;
      return piece;
    });
    const expected = Buffer.concat([Buffer.from('HTTP/1.1 200 Fine\r\n\r\n'), ...pieces, Buffer.from('0\r\n\r\n')]);
    const first = reader.readRaw({ id, side: 'response', as: 'received', offset: 0, length: 262_144 });

    expect(first.totalBytes).toBe(expected.length);
    expect(Buffer.from(first.bytes).equals(expected.subarray(0, 262_144))).toBe(true);
    const far = reader.readRaw({ id, side: 'response', as: 'received', offset: 100_000, length: 30_000 });
    expect(Buffer.from(far.bytes).equals(expected.subarray(100_000, 130_000))).toBe(true);
  });
});

describe('decoded bodies', () => {
  test.each([
    ['gzip', (bytes: Buffer) => gzipSync(bytes)],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
    ['zstd', (bytes: Buffer) => zstdCompressSync(bytes)],
  ])('%s: windows of a short one and of a long one, from any place', async (coding, encode) => {
    for (const size of [1_000, 3_000_000]) {
      const content = Buffer.concat([randomBytes(size / 2), Buffer.alloc(size / 2, 'z')]);
      const id = kit.record({ responseHeaders: [`Content-Encoding: ${coding}`], responseBody: encode(content) });
      kit.commit();
      for (const offset of [0, size / 2, size - 10, 17, size, size + 5]) {
        const window = await readDecoded(id, offset, 1_000);
        expect(Buffer.from(window.bytes).equals(content.subarray(offset, offset + 1_000))).toBe(true);
        expect(window.stopped).toBeNull();
        if (offset + 1_000 > size) expect(window.totalBytes).toBe(size);
      }
    }
    expect(decodedFiles()).toEqual([]);
  });

  test('a cut one gives what decodes and says so', async () => {
    const content = Buffer.from(randomBytes(1_000_000).toString('hex'));
    const encoded = gzipSync(content, { level: 1 });
    for (const [kept, offset] of [
      [1_000, 500],
      [1_000_000, 1_500_000],
    ] as const) {
      const id = kit.record({ responseHeaders: ['Content-Encoding: gzip'], responseBody: encoded.subarray(0, kept) });
      kit.commit();
      const { totalBytes } = await readDecoded(id, content.length, 1);
      const window = await readDecoded(id, offset, 262_144);
      expect(window).toMatchObject({ stopped: 'cut', totalBytes });
      expect(window.bytes.length).toBeGreaterThan(100);
      expect(Buffer.from(window.bytes).equals(content.subarray(offset, offset + window.bytes.length))).toBe(true);
    }
  });

  test('a bomb stops at the budget, and its beginning can be read', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(300_000_000));
    const id = kit.record({ responseHeaders: ['Content-Encoding: zstd'], responseBody: bomb });
    kit.commit();
    const first = await readDecoded(id, 0, 100);
    const last = await readDecoded(id, 299_000_000, 100);

    expect(Buffer.from(first.bytes).equals(Buffer.alloc(100))).toBe(true);
    expect(last.stopped).toBe('budget');
    expect(last.totalBytes).toBeLessThan(290_000_000);
  }, 60_000);

  test('a body in an unknown coding is shown as it came', async () => {
    const id = kit.record({ responseHeaders: ['Content-Encoding: compress'], responseBody: 'LZW' });
    kit.commit();

    expect(await readDecoded(id)).toMatchObject({ stopped: 'unsupported' });
  });

  test('one without a coding is as stored, one without bytes is empty', async () => {
    const plain = kit.record({ responseBody: 'plain' });
    const empty = kit.record({ responseHeaders: ['Content-Encoding: gzip'] });
    kit.commit();

    expect(Buffer.from((await readDecoded(plain)).bytes).toString()).toBe('plain');
    expect(await readDecoded(empty)).toEqual({ bytes: new Uint8Array(), totalBytes: 0, stopped: null });
  });
});

test('a body that is still coming is read as far as it came', async () => {
  const id = kit.record({ responseBody: randomBytes(60_000), ended: false });
  kit.commit();
  kit.tap.payload(id, 'response', Buffer.alloc(5_000, 'm'), 0, 5_000);
  kit.commit();
  const window = await reader.readBody({ id, side: 'response', form: 'stored', offset: 64_000, length: 10_000 });

  expect(Buffer.from(window.bytes).toString()).toBe('m'.repeat(1_000));
  expect(window.totalBytes).toBeNull();
});

test('a body of which nothing was kept, and one whose file is gone, are dropped bodies', async () => {
  const none = kit.record({ end: { responseBodyBytes: 5 } });
  const gone = kit.record({ responseBody: randomBytes(20_000) });
  kit.commit();
  rmSync(join(kit.folder, 'bodies'), { recursive: true });

  await expect(readDecoded(none)).rejects.toMatchObject({ code: 'body-dropped' });
  await expect(readDecoded(gone)).rejects.toMatchObject({ code: 'body-dropped' });
});

test('a body that was kept in part says that it is cut', async () => {
  const id = kit.record({ responseBody: 'part', end: { responseBodyBytes: 9_999 } });
  kit.commit();

  expect(await readDecoded(id)).toMatchObject({ totalBytes: 4, stopped: 'cut' });
});

test('a reader sees each commit of the writer beside it', async () => {
  for (let count = 1; count <= 20; count += 1) {
    kit.record({});
    kit.commit();
    expect((await reader.count({ session: kit.opened.session.id, filter: '' })).count).toBe(count);
  }
});

test('a folder without a capture is named', () => {
  expect(() => new StoreReader(join(kit.folder, 'elsewhere'))).toThrow(/There is no capture in /);
});

function readDecoded(id: number, offset = 0, length = 262_144): ReturnType<StoreReader['readBody']> {
  return reader.readBody({ id, side: 'response', form: 'decoded', offset, length });
}

/** Names of files that decoding left behind. */
function decodedFiles(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('weir-decoded-'));
}
