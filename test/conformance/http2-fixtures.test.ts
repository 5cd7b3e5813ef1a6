import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { Http2Connection, CONNECTION_PREFACE } from '../../proxy-engine/protocol/http2/index.ts';
import { FrameReader } from '../../proxy-engine/protocol/http2/frame-reader.ts';
import { HpackDecoder } from '../../proxy-engine/protocol/http2/hpack/decoder.ts';
import { HpackEncoder } from '../../proxy-engine/protocol/http2/hpack/encoder.ts';
import type { HeaderEntry } from '../../proxy-engine/protocol/http2/hpack/header-entry.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'shared', 'fixtures');
const present = existsSync(FIXTURES);
if (!present) console.warn(`NOT RUN: the fixtures of HTTP/2 are missing (${FIXTURES}); a clone has none.`);

interface Story {
  readonly cases: readonly {
    readonly wire?: string;
    readonly headers: readonly Readonly<Record<string, string>>[];
    readonly header_table_size?: number;
  }[];
}

interface FrameCase {
  readonly error: readonly number[] | null;
  readonly wire: string;
  readonly frame: {
    readonly length: number;
    readonly flags: number;
    readonly type: number;
    readonly stream_identifier: number;
    readonly frame_payload: { readonly data?: string };
  } | null;
  readonly description: string;
}

const files = (...path: string[]): string[] => {
  const folder = join(FIXTURES, ...path);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
};
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const text = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');
const pairs = (list: Story['cases'][number]['headers']): string[] =>
  list.flatMap((field) => Object.entries(field)).map(([name, value]) => `${text(name)}: ${text(value)}`);

function decode(decoder: HpackDecoder, block: Buffer): string[] {
  const entries: HeaderEntry[] = [];
  expect(decoder.decode(block, 0, block.length, 1_048_576, entries)).toBe(true);
  return entries.map(({ name, value }) => `${name}: ${value}`);
}

describe.runIf(present)('fixtures of others', () => {
  test.each(['nghttp2', 'nghttp2-change-table-size', 'go-hpack'])('every HPACK story of %s is decoded', (folder) => {
    for (const file of files('hpack', folder)) {
      const decoder = new HpackDecoder();
      for (const { wire = '', headers, header_table_size: size } of (read(file) as Story).cases) {
        if (size !== undefined) decoder.setAllowed(size);
        expect(decode(decoder, Buffer.from(wire, 'hex'))).toEqual(pairs(headers));
      }
    }
  });

  test('every HPACK story is encoded and decoded to the same', () => {
    for (const file of files('hpack', 'raw-data')) {
      const encoder = new HpackEncoder();
      const decoder = new HpackDecoder();
      for (const { headers } of (read(file) as Story).cases) {
        const list = headers.flatMap((field) => Object.entries(field));
        const block = encoder.encode(list.map(([name, value]) => ({ name: text(name), value: text(value) })));
        expect(decode(decoder, block)).toEqual(pairs(headers));
      }
    }
  });

  const cases = present
    ? readdirSync(join(FIXTURES, 'http2-frames'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap(({ name }) => files('http2-frames', name))
        .map((file) => read(file) as FrameCase)
    : [];

  test.each(cases.filter(({ frame }) => frame !== null))('frame: $description', ({ wire, frame }) => {
    const bytes = Buffer.from(wire, 'hex');
    let seen: unknown;
    let data = '';
    const reader = new FrameReader({
      onFrameHead: (type, flags, stream, length) => {
        seen = { type, flags, stream_identifier: stream, length };
        return true;
      },
      onFrame: () => true,
      onDataPart: (_flags, _stream, part, start, end) => {
        data += part.toString('latin1', start, end);
        return true;
      },
      onBadPadding: () => undefined,
    });
    reader.receive(bytes, 0, bytes.length);
    expect(frame).toMatchObject(seen as object);
    expect(data).toBe(frame?.frame_payload.data ?? '');
    expect(reader.midFrame).toBe(false);
  });

  test.each(cases.filter(({ error }) => error !== null))('frame in error: $description', ({ wire, error }) => {
    // A client's connection, since only a client is sent PUSH_PROMISE, with the streams 1 and 3 open.
    const codes: number[] = [];
    const ignore = (): void => undefined;
    const connection = new Http2Connection<null>(
      'client',
      DEFAULT_LIMITS,
      {
        onHead: ignore,
        onData: ignore,
        onTrailers: ignore,
        onReset: (_stream, code) => codes.push(code),
        onDrained: ignore,
        onGoaway: ignore,
        onSettings: ignore,
        onFailure: ({ code }) => codes.push(code),
      },
      { tolerateSpace: false, offersConnect: true, now: () => 0 },
    );
    for (const path of ['/1', '/3']) connection.open([{ name: ':path', value: path }], false, null);
    connection.receive(Buffer.from('000000040000000000', 'hex'));
    connection.receive(Buffer.from(wire, 'hex'));
    const written = Buffer.concat(connection.take()).subarray(CONNECTION_PREFACE.length);
    for (const code of codesIn(written)) codes.push(code);
    expect(codes.some((code) => error?.includes(code))).toBe(true);
  });
});

/** Error codes of the RST_STREAM and GOAWAY frames in what was written. */
function codesIn(written: Buffer): number[] {
  const codes: number[] = [];
  for (let at = 0; at < written.length; at += 9 + written.readUIntBE(at, 3)) {
    if (written[at + 3] === 3) codes.push(written.readUInt32BE(at + 9));
    if (written[at + 3] === 7) codes.push(written.readUInt32BE(at + 13));
  }
  return codes;
}
