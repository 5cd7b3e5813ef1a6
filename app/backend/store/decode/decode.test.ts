import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { DecodeStopped, decodeStream } from './decode-stream.ts';
import { decodeWhole } from './decode-whole.ts';

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const ENCODERS: Readonly<Record<string, readonly [name: string, encode: (bytes: Buffer) => Buffer]>> = {
  gzip: ['gzip', (bytes) => gzipSync(bytes)],
  'x-gzip': ['x-gzip', (bytes) => gzipSync(bytes)],
  'deflate with its zlib header': ['deflate', (bytes) => deflateSync(bytes)],
  'deflate without a header': ['deflate', (bytes) => deflateRawSync(bytes)],
  br: ['br', (bytes) => brotliCompressSync(bytes, FAST)],
  zstd: ['zstd', (bytes) => zstdCompressSync(bytes)],
};

const MOST = 50_000_000;
const TEXT = Buffer.from('It was a bright cold day in April. '.repeat(2_000));
const MIXED = Buffer.concat([randomBytes(100_000), TEXT, randomBytes(100_000)]);

interface Outcome {
  readonly bytes: Buffer;
  readonly stopped: string | null;
}

const WAYS: Readonly<Record<string, (bytes: Buffer, codings: readonly string[]) => Promise<Outcome>>> = {
  'in one step': (bytes, codings) => Promise.resolve(decodeWhole(bytes, codings, MOST)),
  'as a stream': (bytes, codings) => collect(bytes, codings, 65_536),
  'as a stream, byte by byte': (bytes, codings) => collect(bytes.subarray(0, 5_000), codings, 1),
};

describe.each(Object.entries(ENCODERS))('%s', (_title, [name, encode]) => {
  test.each([
    ['in one step', TEXT],
    ['as a stream', TEXT],
    ['in one step', MIXED],
    ['as a stream', MIXED],
    ['as a stream, byte by byte', Buffer.from('short')],
  ])('is undone %s', async (way, body) => {
    const outcome = await WAYS[way]?.(encode(body), [name]);

    expect(outcome?.bytes.equals(body)).toBe(true);
    expect(outcome?.stopped).toBeNull();
  });

  test.each(['in one step', 'as a stream'])('of a cut body gives what decodes and says so, %s', async (way) => {
    const encoded = encode(MIXED);
    const outcome = await WAYS[way]?.(encoded.subarray(0, encoded.length - 50_000), [name]);

    expect(outcome?.stopped).toBe('cut');
    expect(outcome?.bytes.length).toBeGreaterThan(80_000);
    expect(outcome?.bytes.equals(MIXED.subarray(0, outcome.bytes.length))).toBe(true);
  });

  test.each(['in one step', 'as a stream'])('of a damaged body gives what came before, %s', async (way) => {
    const encoded = encode(MIXED);
    encoded.fill(0xff, encoded.length - 40_000, encoded.length - 39_000);
    const outcome = await WAYS[way]?.(encoded, [name]);

    // What is wrong inside of incompressible data shows at its checksum; zlib's formats and zstd's frames may decode on.
    expect(['damaged', null]).toContain(outcome?.stopped);
    expect(outcome?.bytes.subarray(0, 80_000).equals(MIXED.subarray(0, 80_000))).toBe(true);
  });

  test.each(['in one step', 'as a stream', 'as a stream, byte by byte'])('of nothing is nothing, %s', async (way) => {
    expect(await WAYS[way]?.(Buffer.alloc(0), [name])).toEqual({ bytes: Buffer.alloc(0), stopped: null });
  });

  test('of rubbish is damage', async () => {
    for (const way of ['in one step', 'as a stream']) {
      const outcome = await WAYS[way]?.(Buffer.alloc(64, 0xfe), [name]);
      expect([way, ['damaged', 'cut'].includes(outcome?.stopped ?? '')]).toEqual([way, true]);
    }
  });
});

test.each(['in one step', 'as a stream'])(
  'a gzip checksum that does not fit does not hide the content, %s',
  async (way) => {
    const encoded = gzipSync('precious');
    encoded.writeUInt32LE(12_345, encoded.length - 8);
    const outcome = await WAYS[way]?.(encoded, ['gzip']);

    expect(outcome?.stopped).toBe('damaged');
    if (way === 'in one step') expect(outcome?.bytes.toString()).toBe('precious');
  },
);

test.each(['in one step', 'as a stream', 'as a stream, byte by byte'])(
  'gzip members and zstd frames behind each other are one body, %s',
  async (way) => {
    const gzipped = Buffer.concat([gzipSync('one '), gzipSync('two '), gzipSync('three')]);
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const frames = Buffer.concat([
      zstdCompressSync('one '),
      skippable,
      zstdCompressSync('two '),
      zstdCompressSync('three'),
    ]);

    expect((await WAYS[way]?.(gzipped, ['gzip']))?.bytes.toString()).toBe('one two three');
    expect((await WAYS[way]?.(frames, ['zstd']))?.bytes.toString()).toBe('one two three');
  },
);

test.each(['in one step', 'as a stream'])('stacked codings are undone from the last to the first, %s', async (way) => {
  const encoded = brotliCompressSync(gzipSync(zstdCompressSync(TEXT)), FAST);
  const outcome = await WAYS[way]?.(encoded, ['zstd', 'gzip', 'br']);

  expect(outcome?.bytes.equals(TEXT)).toBe(true);
});

test.each(['in one step', 'as a stream'])('an unknown coding is named as such, %s', async (way) => {
  expect((await WAYS[way]?.(Buffer.from('?'), ['compress']))?.stopped).toBe('unsupported');
});

test('a bomb in memory stops at the budget and shows its beginning', () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const { bytes, stopped } = decodeWhole(bomb, ['gzip'], 1_000_000);

  expect(stopped).toBe('budget');
  expect(bytes.length).toBeGreaterThan(900_000);
  expect(bytes.length).toBeLessThanOrEqual(1_000_000);
});

test('a reader that stops early stops the decoding', async () => {
  const bomb = gzipSync(Buffer.alloc(30_000_000));
  let read = 0;
  let closed = false;
  const source = (async function* () {
    try {
      for (let at = 0; at < bomb.length; at += 4_096) yield await Promise.resolve(bomb.subarray(at, at + 4_096));
    } finally {
      closed = true;
    }
  })();
  for await (const piece of decodeStream(source, ['gzip'])) {
    read += piece.length;
    if (read > 1_000_000) break;
  }

  expect(read).toBeLessThan(8_000_000);
  expect(closed).toBe(true);
});

async function collect(bytes: Buffer, codings: readonly string[], pieceBytes: number): Promise<Outcome> {
  const pieces: Buffer[] = [];
  const source = (async function* () {
    for (let at = 0; at < bytes.length; at += pieceBytes)
      yield await Promise.resolve(bytes.subarray(at, at + pieceBytes));
  })();
  try {
    for await (const piece of decodeStream(source, codings)) pieces.push(piece);
  } catch (error: unknown) {
    if (!(error instanceof DecodeStopped)) throw error;
    return { bytes: Buffer.concat(pieces), stopped: error.reason };
  }
  return { bytes: Buffer.concat(pieces), stopped: null };
}
