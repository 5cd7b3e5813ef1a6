import { describe, expect, test } from 'vitest';
import { CONNECTION_PREFACE, Flag, FrameType, Http2Error, Setting } from './constants.ts';
import { Http2Connection } from './connection.ts';
import type { Http2Events, Http2Failure, Http2Limits } from './events.ts';
import { FrameReader } from './frame-reader.ts';
import type { Http2Head } from './head.ts';
import { DEFAULT_LIMITS } from '../../model/engine-config.ts';
import { HpackDecoder } from './hpack/decoder.ts';
import { HpackEncoder, type HeaderToSend } from './hpack/encoder.ts';
import type { HeaderEntry } from './hpack/header-entry.ts';
import type { Http2Stream } from './stream.ts';

const LIMITS: Http2Limits = {
  ...DEFAULT_LIMITS,
  headBytes: 65_536,
  fields: 100,
  concurrentStreams: 4,
  streamWindowBytes: 65_535,
  connectionWindowBytes: 65_535,
  continuations: 8,
  settingsFrames: 20,
  pings: 20,
  resets: 20,
  emptyFrames: 20,
  ignoredFrames: 20,
  malformedStreams: 20,
  windowUpdates: 100,
};

/** A frame as a peer would send it, well formed or not. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const settings = (...pairs: readonly number[]): Buffer => {
  const payload = Buffer.alloc(pairs.length * 3);
  for (let at = 0; at < pairs.length; at += 2) {
    payload.writeUInt16BE(pairs[at] ?? 0, at * 3);
    payload.writeUInt32BE(pairs[at + 1] ?? 0, at * 3 + 2);
  }
  return frame(FrameType.settings, 0, 0, payload);
};

interface SeenFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Cuts what the connection wrote into frames. */
function readFrames(bytes: Buffer): SeenFrame[] {
  const frames: SeenFrame[] = [];
  let data: { flags: number; stream: number; parts: Buffer[] } | null = null;
  const reader = new FrameReader({
    onFrameHead: () => true,
    onFrame: (type, flags, stream, from, start, end) => {
      frames.push({ type, flags, stream, payload: Buffer.from(from.subarray(start, end)) });
      return true;
    },
    onDataPart: (flags, stream, from, start, end, _flow, last) => {
      data ??= { flags, stream, parts: [] };
      data.parts.push(Buffer.from(from.subarray(start, end)));
      if (last) {
        frames.push({ type: FrameType.data, flags, stream, payload: Buffer.concat(data.parts) });
        data = null;
      }
      return true;
    },
    onBadPadding: () => undefined,
  });
  reader.receive(bytes, 0, bytes.length);
  return frames;
}

type Event = readonly [name: string, ...facts: unknown[]];

/** A connection under test and everything that it told. */
class Bench {
  readonly events: Event[] = [];
  readonly streams: Http2Stream<string>[] = [];
  readonly connection: Http2Connection<string>;
  readonly #encoder = new HpackEncoder();
  readonly #decoder = new HpackDecoder();
  failure: Http2Failure | null = null;

  constructor(role: 'client' | 'server', limits: Http2Limits = LIMITS) {
    const note = (...event: Event): void => {
      this.events.push(event);
    };
    const events: Http2Events<string> = {
      onHead: (stream, head, end) => {
        if (!this.streams.includes(stream)) this.streams.push(stream);
        note('head', stream.id, plain(head), end);
      },
      onData: (stream, bytes, start, end, ends) => {
        note('data', stream.id, bytes.toString('latin1', start, end), ends);
      },
      onTrailers: (stream, head) => {
        note('trailers', stream.id, plain(head));
      },
      onReset: (stream, code, byPeer) => {
        note('reset', stream.id, code, byPeer);
      },
      onDrained: (stream) => {
        note('drained', stream.id);
      },
      onGoaway: (last, code) => {
        note('goaway', last, code);
      },
      onSettings: () => undefined,
      onFailure: (failure) => {
        this.failure = failure;
      },
    };
    this.connection = new Http2Connection(role, limits, events, {
      tolerateSpace: true,
      offersConnect: true,
      now: () => 0,
    });
    this.frames();
    if (role === 'server') this.connection.receive(CONNECTION_PREFACE);
    this.connection.receive(settings());
    this.frames();
  }

  receive(...parts: readonly Buffer[]): this {
    for (const part of parts) this.connection.receive(part);
    return this;
  }

  /** Frames written since the last call. */
  frames(): SeenFrame[] {
    return readFrames(Buffer.concat(this.connection.take()));
  }

  block(...fields: readonly (readonly [string, string])[]): Buffer {
    return Buffer.from(this.#encoder.encode(fields.map(([name, value]): HeaderToSend => ({ name, value }))));
  }

  headers(stream: number, flags: number, ...fields: readonly (readonly [string, string])[]): Buffer {
    return frame(FrameType.headers, flags | Flag.endHeaders, stream, this.block(...fields));
  }

  /** A header list that the connection wrote. */
  decode(block: Buffer): [string, string][] {
    const into: HeaderEntry[] = [];
    this.#decoder.decode(block, 0, block.length, 1e9, into);
    return into.map((entry) => [entry.name, entry.value]);
  }

  /** What was told, without the facts. */
  told(): [string, unknown][] {
    return this.events.map(([name, id]) => [name, id]);
  }

  /** Code of the GOAWAY that it wrote, or null. */
  goaway(): number | null {
    const seen = this.frames().find((each) => each.type === FrameType.goaway);
    return seen === undefined ? null : seen.payload.readUInt32BE(4);
  }

  /** Codes of the RST_STREAM frames that it wrote, by stream. */
  resets(): Record<number, number> {
    const found: Record<number, number> = {};
    for (const each of this.frames())
      if (each.type === FrameType.rstStream) found[each.stream] = each.payload.readUInt32BE(0);
    return found;
  }
}

function plain(head: Http2Head): unknown {
  const { method, authority, path, status, fields } = head;
  return {
    ...(status === 0 ? { method, authority, path } : { status }),
    fields: fields.map((each) => `${each.name}: ${each.value}`),
  };
}

const GET = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'a.test'],
] as const;
const POST = [[':method', 'POST'], ...GET.slice(1)] as const;
const open = (bench: Bench, stream = 1): Buffer => bench.headers(stream, 0, ...POST);

describe('a server', () => {
  test('reads a request, its body and its trailers', () => {
    const bench = new Bench('server');
    bench.receive(
      bench.headers(1, 0, ...POST, ['x-a', '1']),
      frame(FrameType.data, 0, 1, Buffer.from('abc')),
      bench.headers(1, Flag.endStream, ['x-sum', '9']),
    );
    expect(bench.events).toEqual([
      ['head', 1, { method: 'POST', authority: 'a.test', path: '/', fields: ['x-a: 1'] }, false],
      ['data', 1, 'abc', false],
      ['trailers', 1, expect.objectContaining({ fields: ['x-sum: 9'] })],
    ]);
  });

  test('tells the same whatever the split', () => {
    const whole = (): Buffer => {
      const bench = new Bench('server');
      return Buffer.concat([
        bench.headers(1, 0, ...POST),
        frame(FrameType.data, Flag.padded, 1, Buffer.from('\x04hello\0\0\0\0', 'latin1')),
        frame(FrameType.ping, 0, 0, Buffer.alloc(8, 7)),
        frame(FrameType.data, Flag.endStream, 1, Buffer.from(' world')),
        bench.headers(3, Flag.endStream, ...GET),
      ]);
    };
    const tell = (parts: readonly Buffer[]): unknown => {
      const bench = new Bench('server').receive(...parts);
      let text = '';
      const heads: Event[] = [];
      for (const event of bench.events) {
        if (event[0] === 'data') text += String(event[2]);
        else heads.push(event);
      }
      return [text, heads, bench.failure, bench.frames().map((each) => each.type)];
    };
    const bytes = whole();
    const expected = tell([bytes]);
    expect(expected).toMatchObject(['hello world', [expect.anything(), expect.anything()], null, expect.anything()]);
    for (let at = 1; at < bytes.length; at += 1)
      expect(tell([bytes.subarray(0, at), bytes.subarray(at)]), `split at ${String(at)}`).toEqual(expected);
    expect(tell(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected);
  });

  test('answers with a head, a body within the windows, and the rest as windows open', () => {
    const bench = new Bench('server');
    bench.receive(bench.headers(1, Flag.endStream, ...GET));
    const [stream] = bench.streams;
    if (stream === undefined) throw new Error('no stream');
    bench.connection.sendHead(stream, [{ name: ':status', value: '200' }], false);
    expect(bench.connection.sendData(stream, Buffer.alloc(100_000, 'x'), 0, 100_000, true)).toBe(false);
    const sent = bench.frames();
    expect(sent.slice(1).map((each) => each.payload.length)).toEqual([16_384, 16_384, 16_384, 16_383]);
    bench.receive(frame(FrameType.windowUpdate, 0, 1, number(50_000)));
    expect(bench.frames()).toEqual([]);
    bench.receive(frame(FrameType.windowUpdate, 0, 0, number(50_000)));
    const rest = bench.frames();
    expect(rest.map((each) => [each.payload.length, each.flags])).toEqual([
      [16_384, 0],
      [16_384, 0],
      [1_697, Flag.endStream],
    ]);
    expect(bench.events.at(-1)).toEqual(['drained', 1]);
    expect(bench.connection.openStreams).toBe(0);
  });

  test('serves waiting streams in turn when the connection’s window is scarce', () => {
    const bench = new Bench('server');
    for (const id of [1, 3]) bench.receive(bench.headers(id, Flag.endStream, ...GET));
    bench.receive(
      frame(FrameType.windowUpdate, 0, 1, number(1_000_000)),
      frame(FrameType.windowUpdate, 0, 3, number(1_000_000)),
    );
    for (const stream of bench.streams) {
      bench.connection.sendHead(stream, [{ name: ':status', value: '200' }], false);
      bench.connection.sendData(stream, Buffer.alloc(200_000), 0, 200_000, true);
    }
    bench.frames();
    bench.receive(frame(FrameType.windowUpdate, 0, 0, number(65_536)));
    expect(bench.frames().map((each) => each.stream)).toEqual([1, 3, 1, 3]);
  });

  test('sends trailers after queued data', () => {
    const bench = new Bench('server');
    bench.receive(settings(Setting.initialWindowSize, 3), bench.headers(1, Flag.endStream, ...GET));
    const [stream] = bench.streams;
    if (stream === undefined) throw new Error('no stream');
    bench.connection.sendHead(stream, [{ name: ':status', value: '200' }], false);
    bench.connection.sendData(stream, Buffer.from('abcdef'), 0, 6, false);
    bench.connection.sendTrailers(stream, [{ name: 'grpc-status', value: '0' }]);
    bench.frames();
    bench.receive(frame(FrameType.windowUpdate, 0, 1, number(10)));
    expect(bench.frames().map((each) => [each.type, each.flags])).toEqual([
      [FrameType.data, 0],
      [FrameType.headers, Flag.endHeaders | Flag.endStream],
    ]);
  });

  test('returns credit of the connection at once and of the stream as bytes leave', () => {
    const bench = new Bench('server');
    bench.receive(open(bench));
    for (let n = 0; n < 3; n += 1) bench.receive(frame(FrameType.data, 0, 1, Buffer.alloc(16_000)));
    expect(bench.frames()).toMatchObject([{ type: FrameType.windowUpdate, stream: 0 }]);
    const [stream] = bench.streams;
    if (stream !== undefined) bench.connection.consume(stream, 48_000);
    // Its window doubles with what leaves.
    const increment = number(48_000 + 8_191);
    expect(bench.frames()).toEqual([{ type: FrameType.windowUpdate, flags: 0, stream: 1, payload: increment }]);
  });

  test('acknowledges SETTINGS and answers PING with the same octets', () => {
    const bench = new Bench('server').receive(
      settings(Setting.maxFrameSize, 20_000),
      frame(FrameType.ping, 0, 0, Buffer.from('12345678')),
    );
    expect(bench.frames()).toEqual([
      { type: FrameType.settings, flags: Flag.ack, stream: 0, payload: Buffer.alloc(0) },
      { type: FrameType.ping, flags: Flag.ack, stream: 0, payload: Buffer.from('12345678') },
    ]);
  });

  test('ignores unknown frames, unknown settings, unknown flags and acknowledged PINGs', () => {
    const bench = new Bench('server').receive(
      frame(0x16, 0xff, 0, Buffer.from('junk')),
      settings(0xff, 1),
      frame(FrameType.ping, Flag.ack, 0, Buffer.alloc(8)),
    );
    bench.receive(bench.headers(1, Flag.endStream | 0x40, ...GET));
    expect(bench.failure).toBeNull();
    expect(bench.events).toHaveLength(1);
  });

  test('refuses streams past its limit and goes on with the others', () => {
    const bench = new Bench('server');
    for (const id of [1, 3, 5, 7, 9]) bench.receive(open(bench, id));
    expect(bench.resets()).toEqual({ 9: Http2Error.refusedStream });
    bench.receive(
      frame(FrameType.data, Flag.endStream, 9, Buffer.from('late')),
      frame(FrameType.data, 0, 7, Buffer.from('fine')),
    );
    expect(bench.events.at(-1)).toEqual(['data', 7, 'fine', false]);
  });

  test('takes no new streams after GOAWAY and finishes those that began', () => {
    const bench = new Bench('server');
    bench.receive(open(bench));
    bench.connection.goAway();
    bench.receive(open(bench, 3), frame(FrameType.data, Flag.endStream, 1, Buffer.from('x')));
    expect(bench.events.map((each) => each.slice(0, 2))).toEqual([
      ['head', 1],
      ['data', 1],
    ]);
  });

  test('ignores frames in flight on a stream that it reset', () => {
    const bench = new Bench('server');
    bench.receive(open(bench));
    const [stream] = bench.streams;
    if (stream !== undefined) bench.connection.reset(stream, Http2Error.cancel);
    bench.frames();
    bench.receive(
      frame(FrameType.data, 0, 1, Buffer.from('x')),
      bench.headers(1, Flag.endStream, ['x', 'y']),
      frame(FrameType.rstStream, 0, 1, number(8)),
    );
    expect(bench.failure).toBeNull();
    expect(bench.frames()).toEqual([]);
  });

  test('shrinks and grows windows of open streams with SETTINGS_INITIAL_WINDOW_SIZE, below zero too', () => {
    const bench = new Bench('server');
    bench.receive(bench.headers(1, Flag.endStream, ...GET));
    const [stream] = bench.streams;
    if (stream === undefined) throw new Error('no stream');
    bench.connection.sendHead(stream, [{ name: ':status', value: '200' }], false);
    bench.connection.sendData(stream, Buffer.alloc(60_000), 0, 60_000, false);
    bench.receive(settings(Setting.initialWindowSize, 10_000));
    expect(stream.sendWindow).toBe(10_000 - 60_000);
    bench.connection.sendData(stream, Buffer.alloc(10), 0, 10, true);
    bench.frames();
    bench.receive(settings(Setting.initialWindowSize, 60_005));
    expect(
      bench
        .frames()
        .filter((each) => each.type === FrameType.data)
        .map((each) => each.payload.length),
    ).toEqual([5]);
  });
});

/** What a peer does wrong, and the error that RFC 9113 wants for it. */
type Wrong = readonly [what: string, code: number, act: (bench: Bench) => Buffer[]];

const withStream =
  (act: (bench: Bench) => Buffer[]) =>
  (bench: Bench): Buffer[] => [open(bench), ...act(bench)];
const request =
  (...fields: readonly (readonly [string, string])[]) =>
  (bench: Bench): Buffer[] => [bench.headers(1, Flag.endStream, ...fields)];

const CONNECTION_ERRORS: readonly Wrong[] = [
  ['DATA on stream 0', Http2Error.protocolError, () => [frame(FrameType.data, 0, 0, Buffer.from('x'))]],
  ['DATA on an idle stream', Http2Error.protocolError, () => [frame(FrameType.data, 0, 5, Buffer.from('x'))]],
  [
    'DATA with padding longer than the frame',
    Http2Error.protocolError,
    withStream(() => [frame(FrameType.data, Flag.padded, 1, Buffer.from([6, 1, 2]))]),
  ],
  [
    'padded DATA without a pad length',
    Http2Error.protocolError,
    withStream(() => [frame(FrameType.data, Flag.padded, 1)]),
  ],
  [
    'a frame larger than allowed',
    Http2Error.frameSizeError,
    withStream(() => [frame(FrameType.data, 0, 1, Buffer.alloc(16_385))]),
  ],
  ['HEADERS on stream 0', Http2Error.protocolError, (bench) => [bench.headers(0, 0, ...GET)]],
  ['HEADERS on an even stream', Http2Error.protocolError, (bench) => [bench.headers(2, 0, ...GET)]],
  ['HEADERS on a lower stream', Http2Error.protocolError, (bench) => [open(bench, 5), bench.headers(3, 0, ...GET)]],
  [
    'HEADERS with padding longer than the frame',
    Http2Error.protocolError,
    () => [frame(FrameType.headers, Flag.padded | Flag.endHeaders, 1, Buffer.from([9, 0x82]))],
  ],
  [
    'HEADERS too short for its priority',
    Http2Error.frameSizeError,
    () => [frame(FrameType.headers, Flag.priority | Flag.endHeaders, 1, Buffer.from([0, 0, 0]))],
  ],
  [
    'HEADERS that depends on itself',
    Http2Error.protocolError,
    () => [frame(FrameType.headers, Flag.priority | Flag.endHeaders, 1, Buffer.from([0, 0, 0, 1, 16, 0x82]))],
  ],
  [
    'an undecodable header block',
    Http2Error.compressionError,
    () => [frame(FrameType.headers, Flag.endHeaders, 1, Buffer.from([0xff, 0xff, 0xff, 0x0f]))],
  ],
  [
    'another frame inside a header block',
    Http2Error.protocolError,
    (bench) => [frame(FrameType.headers, 0, 1, bench.block(...GET)), frame(FrameType.ping, 0, 0, Buffer.alloc(8))],
  ],
  [
    'an unknown frame inside a header block',
    Http2Error.protocolError,
    (bench) => [frame(FrameType.headers, 0, 1, bench.block(...GET)), frame(0x16, 0, 0)],
  ],
  [
    'CONTINUATION of another stream',
    Http2Error.protocolError,
    (bench) => [frame(FrameType.headers, 0, 1, bench.block(...GET)), frame(FrameType.continuation, Flag.endHeaders, 3)],
  ],
  ['CONTINUATION without HEADERS', Http2Error.protocolError, () => [frame(FrameType.continuation, Flag.endHeaders, 1)]],
  [
    'too many CONTINUATION frames',
    Http2Error.enhanceYourCalm,
    (bench) => [
      frame(FrameType.headers, 0, 1, bench.block(...GET)),
      ...Array.from({ length: 20 }, () => frame(FrameType.continuation, 0, 1)),
    ],
  ],
  ['PRIORITY on stream 0', Http2Error.protocolError, () => [frame(FrameType.priority, 0, 0, Buffer.alloc(5))]],
  ['RST_STREAM on stream 0', Http2Error.protocolError, () => [frame(FrameType.rstStream, 0, 0, number(8))]],
  ['RST_STREAM on an idle stream', Http2Error.protocolError, () => [frame(FrameType.rstStream, 0, 1, number(8))]],
  [
    'RST_STREAM of a wrong length',
    Http2Error.frameSizeError,
    withStream(() => [frame(FrameType.rstStream, 0, 1, Buffer.alloc(3))]),
  ],
  ['SETTINGS on a stream', Http2Error.protocolError, () => [frame(FrameType.settings, 0, 1)]],
  [
    'SETTINGS with ACK and a payload',
    Http2Error.frameSizeError,
    () => [frame(FrameType.settings, Flag.ack, 0, Buffer.alloc(6))],
  ],
  ['SETTINGS of a wrong length', Http2Error.frameSizeError, () => [frame(FrameType.settings, 0, 0, Buffer.alloc(5))]],
  ['ENABLE_PUSH of 2', Http2Error.protocolError, () => [settings(Setting.enablePush, 2)]],
  [
    'INITIAL_WINDOW_SIZE above 2^31-1',
    Http2Error.flowControlError,
    () => [settings(Setting.initialWindowSize, 2 ** 31)],
  ],
  ['MAX_FRAME_SIZE below 16384', Http2Error.protocolError, () => [settings(Setting.maxFrameSize, 16_383)]],
  ['MAX_FRAME_SIZE above 2^24-1', Http2Error.protocolError, () => [settings(Setting.maxFrameSize, 2 ** 24)]],
  ['ENABLE_CONNECT_PROTOCOL of 2', Http2Error.protocolError, () => [settings(Setting.enableConnectProtocol, 2)]],
  [
    'PUSH_PROMISE from a client',
    Http2Error.protocolError,
    withStream((bench) => [
      frame(FrameType.pushPromise, Flag.endHeaders, 1, Buffer.concat([number(2), bench.block(...GET)])),
    ]),
  ],
  ['PING on a stream', Http2Error.protocolError, () => [frame(FrameType.ping, 0, 1, Buffer.alloc(8))]],
  ['PING of a wrong length', Http2Error.frameSizeError, () => [frame(FrameType.ping, 0, 0, Buffer.alloc(7))]],
  ['GOAWAY on a stream', Http2Error.protocolError, () => [frame(FrameType.goaway, 0, 1, Buffer.alloc(8))]],
  ['GOAWAY of a wrong length', Http2Error.frameSizeError, () => [frame(FrameType.goaway, 0, 0, Buffer.alloc(7))]],
  [
    'WINDOW_UPDATE of 0 on the connection',
    Http2Error.protocolError,
    () => [frame(FrameType.windowUpdate, 0, 0, number(0))],
  ],
  [
    'WINDOW_UPDATE of a wrong length',
    Http2Error.frameSizeError,
    () => [frame(FrameType.windowUpdate, 0, 0, Buffer.alloc(3))],
  ],
  ['WINDOW_UPDATE on an idle stream', Http2Error.protocolError, () => [frame(FrameType.windowUpdate, 0, 7, number(1))]],
  [
    'a connection window above 2^31-1',
    Http2Error.flowControlError,
    () => [frame(FrameType.windowUpdate, 0, 0, number(0x7fff_ffff))],
  ],
  ['a flood of SETTINGS', Http2Error.enhanceYourCalm, () => Array.from({ length: 60 }, () => settings())],
  [
    'a flood of PING',
    Http2Error.enhanceYourCalm,
    () => Array.from({ length: 60 }, () => frame(FrameType.ping, 0, 0, Buffer.alloc(8))),
  ],
  [
    'a flood of empty DATA',
    Http2Error.enhanceYourCalm,
    withStream(() => Array.from({ length: 60 }, () => frame(FrameType.data, 0, 1))),
  ],
  [
    'a flood of PRIORITY',
    Http2Error.enhanceYourCalm,
    () => Array.from({ length: 60 }, () => frame(FrameType.priority, 0, 1, Buffer.alloc(5, 2))),
  ],
  [
    'rapid reset',
    Http2Error.enhanceYourCalm,
    (bench) =>
      Array.from({ length: 60 }, (_unused, n) => [
        open(bench, 2 * n + 1),
        frame(FrameType.rstStream, 0, 2 * n + 1, number(8)),
      ]).flat(),
  ],
];

describe('a server closes the connection for', () => {
  for (const [what, code, act] of CONNECTION_ERRORS) {
    test(what, () => {
      const bench = new Bench('server');
      bench.receive(...act(bench));
      expect(bench.goaway()).toBe(code);
      expect(bench.failure?.code).toBe(code);
    });
  }

  test('a wrong preface', () => {
    const failures: Http2Failure[] = [];
    const nothing = (): void => undefined;
    const events = {
      onHead: nothing,
      onData: nothing,
      onTrailers: nothing,
      onReset: nothing,
      onDrained: nothing,
      onGoaway: nothing,
      onSettings: nothing,
      onFailure: (failure: Http2Failure) => void failures.push(failure),
    };
    const connection = new Http2Connection<string>('server', LIMITS, events, {
      tolerateSpace: true,
      offersConnect: true,
      now: () => 0,
    });
    connection.receive(Buffer.from('GET / HTTP/1.1\r\n'));
    expect(failures).toMatchObject([{ code: Http2Error.protocolError }]);
  });
});

const STREAM_ERRORS: readonly Wrong[] = [
  [
    'DATA after END_STREAM',
    Http2Error.streamClosed,
    (bench) => [bench.headers(1, Flag.endStream, ...GET), frame(FrameType.data, 0, 1, Buffer.from('x'))],
  ],
  [
    'HEADERS after END_STREAM',
    Http2Error.streamClosed,
    (bench) => [bench.headers(1, Flag.endStream, ...GET), bench.headers(1, Flag.endStream, ['a', 'b'])],
  ],
  [
    'DATA after the peer’s own reset',
    Http2Error.streamClosed,
    withStream(() => [frame(FrameType.rstStream, 0, 1, number(8)), frame(FrameType.data, 0, 1, Buffer.from('x'))]),
  ],
  [
    'HEADERS after the peer’s own reset',
    Http2Error.streamClosed,
    withStream((bench) => [frame(FrameType.rstStream, 0, 1, number(8)), bench.headers(1, Flag.endStream, ['a', 'b'])]),
  ],
  [
    'a second head without END_STREAM',
    Http2Error.protocolError,
    withStream((bench) => [bench.headers(1, 0, ['a', 'b'])]),
  ],
  [
    'pseudo-fields in trailers',
    Http2Error.protocolError,
    withStream((bench) => [bench.headers(1, Flag.endStream, [':method', 'GET'])]),
  ],
  ['an upper-case name', Http2Error.protocolError, request(...GET, ['X-Up', 'a'])],
  ['a name with a space', Http2Error.protocolError, request(...GET, ['x y', 'a'])],
  ['an empty name', Http2Error.protocolError, request(...GET, ['', 'a'])],
  ['a line feed in a value', Http2Error.protocolError, request(...GET, ['x', 'a\nb'])],
  ['a NUL in a value', Http2Error.protocolError, request(...GET, ['x', 'a\0b'])],
  ['connection', Http2Error.protocolError, request(...GET, ['connection', 'close'])],
  ['keep-alive', Http2Error.protocolError, request(...GET, ['keep-alive', '1'])],
  ['proxy-connection', Http2Error.protocolError, request(...GET, ['proxy-connection', 'close'])],
  ['transfer-encoding', Http2Error.protocolError, request(...GET, ['transfer-encoding', 'chunked'])],
  ['upgrade', Http2Error.protocolError, request(...GET, ['upgrade', 'x'])],
  ['te other than trailers', Http2Error.protocolError, request(...GET, ['te', 'trailers, deflate'])],
  ['an unknown pseudo-field', Http2Error.protocolError, request(...GET, [':odd', 'a'])],
  [':status in a request', Http2Error.protocolError, request(...GET, [':status', '200'])],
  [
    'a pseudo-field after ordinary ones',
    Http2Error.protocolError,
    request(...GET.slice(0, 3), ['x', 'y'], [':authority', 'a']),
  ],
  ['a doubled :method', Http2Error.protocolError, request(...GET, [':method', 'GET'])],
  ['a doubled :path', Http2Error.protocolError, request(...GET, [':path', '/'])],
  ['no :method', Http2Error.protocolError, request(...GET.slice(1))],
  ['no :scheme', Http2Error.protocolError, request([':method', 'GET'], [':path', '/'])],
  ['no :path', Http2Error.protocolError, request([':method', 'GET'], [':scheme', 'http'])],
  ['an empty :path', Http2Error.protocolError, request([':method', 'GET'], [':scheme', 'http'], [':path', ''])],
  ['a :path that is none', Http2Error.protocolError, request([':method', 'GET'], [':scheme', 'http'], [':path', 'x'])],
  [':authority against host', Http2Error.protocolError, request(...GET, ['host', 'b.test'])],
  ['user information in :authority', Http2Error.protocolError, request(...GET.slice(0, 3), [':authority', 'u@a.test'])],
  [
    'CONNECT with :path',
    Http2Error.protocolError,
    request([':method', 'CONNECT'], [':authority', 'a:1'], [':path', '/']),
  ],
  ['CONNECT without :authority', Http2Error.protocolError, request([':method', 'CONNECT'])],
  [':protocol without CONNECT', Http2Error.protocolError, request(...GET, [':protocol', 'websocket'])],
  ['content-length that is no number', Http2Error.protocolError, request(...GET, ['content-length', '1x'])],
  [
    'content-length that disagrees with itself',
    Http2Error.protocolError,
    request(...GET, ['content-length', '0'], ['content-length', '1']),
  ],
  ['content-length without a body', Http2Error.protocolError, request(...GET, ['content-length', '1'])],
  [
    'content-length below the body',
    Http2Error.protocolError,
    (bench) => [bench.headers(1, 0, ...POST, ['content-length', '2']), frame(FrameType.data, 0, 1, Buffer.from('abc'))],
  ],
  [
    'content-length above the body',
    Http2Error.protocolError,
    (bench) => [
      bench.headers(1, 0, ...POST, ['content-length', '9']),
      frame(FrameType.data, Flag.endStream, 1, Buffer.from('abc')),
    ],
  ],
  [
    'DATA past the stream window',
    Http2Error.flowControlError,
    withStream(() => Array.from({ length: 4 }, () => frame(FrameType.data, 0, 1, Buffer.alloc(16_384)))),
  ],
  [
    'WINDOW_UPDATE of 0 on a stream',
    Http2Error.protocolError,
    withStream(() => [frame(FrameType.windowUpdate, 0, 1, number(0))]),
  ],
  [
    'a stream window above 2^31-1',
    Http2Error.flowControlError,
    withStream(() => [frame(FrameType.windowUpdate, 0, 1, number(0x7fff_ffff))]),
  ],
  [
    'PRIORITY of a wrong length',
    Http2Error.frameSizeError,
    withStream(() => [frame(FrameType.priority, 0, 1, Buffer.alloc(4))]),
  ],
  [
    'a head larger than headBytes',
    Http2Error.enhanceYourCalm,
    request(
      ...GET,
      ...Array.from({ length: 6 }, (_unused, n): [string, string] => [
        `x${String(n)}`,
        'a'.repeat(2_000).padEnd(2_500, '~'),
      ]),
    ),
  ],
];

describe('a server resets the stream, and it alone, for', () => {
  for (const [what, code, act] of STREAM_ERRORS) {
    test(what, () => {
      const limits = what.includes('headBytes') ? { ...LIMITS, headBytes: 10_000 } : LIMITS;
      const bench = new Bench('server', limits);
      bench.receive(...act(bench));
      expect(bench.resets()).toEqual({ 1: code });
      expect(bench.failure).toBeNull();
      bench.events.length = 0;
      bench.receive(bench.headers(9, Flag.endStream, ...GET));
      expect(bench.told()).toEqual([['head', 9]]);
    });
  }
});

describe('a client', () => {
  const begin = (limits?: Http2Limits): { bench: Bench; stream: Http2Stream<string> } => {
    const bench = new Bench('client', limits);
    const stream = bench.connection.open([{ name: ':method', value: 'GET' }], true, 'me');
    if (stream === null) throw new Error('cannot open');
    bench.frames();
    return { bench, stream };
  };

  test('sends the preface, its settings and requests on odd streams', () => {
    const nothing = (): void => undefined;
    const events = {
      onHead: nothing,
      onData: nothing,
      onTrailers: nothing,
      onReset: nothing,
      onDrained: nothing,
      onGoaway: nothing,
      onSettings: nothing,
      onFailure: nothing,
    };
    const connection = new Http2Connection<string>('client', LIMITS, events, {
      tolerateSpace: true,
      offersConnect: true,
      now: () => 0,
    });
    const bytes = Buffer.concat(connection.take());
    expect(bytes.subarray(0, 24)).toEqual(CONNECTION_PREFACE);
    expect(readFrames(bytes.subarray(24))).toMatchObject([{ type: FrameType.settings }]);
    const ids = [1, 2].map(() => connection.open([{ name: ':method', value: 'GET' }], true, '')?.id);
    expect(ids).toEqual([1, 3]);
  });

  test('reads informational heads, the final one, the body and trailers', () => {
    const { bench } = begin();
    bench.receive(
      bench.headers(1, 0, [':status', '103']),
      bench.headers(1, 0, [':status', '200'], ['content-length', '2']),
      frame(FrameType.data, 0, 1, Buffer.from('ok')),
      bench.headers(1, Flag.endStream, ['x', 'y']),
    );
    expect(bench.events.map((each) => each[0])).toEqual(['head', 'head', 'data', 'trailers']);
    expect(bench.connection.openStreams).toBe(0);
  });

  test('takes a response to HEAD with a length and no body', () => {
    const { bench, stream } = begin();
    stream.withoutBody = true;
    bench.receive(bench.headers(1, Flag.endStream, [':status', '200'], ['content-length', '100']));
    expect(bench.events).toMatchObject([['head', 1, { status: 200 }, true]]);
  });

  test('delivers a whole answer that RST_STREAM(NO_ERROR) follows', () => {
    const bench = new Bench('client');
    bench.connection.open([{ name: ':method', value: 'POST' }], false, 'me');
    bench.receive(
      bench.headers(1, Flag.endStream, [':status', '413']),
      frame(FrameType.rstStream, 0, 1, number(Http2Error.noError)),
    );
    expect(bench.events).toMatchObject([
      ['head', 1, { status: 413 }, true],
      ['reset', 1, Http2Error.noError, true],
    ]);
  });

  test('learns from GOAWAY which streams the origin will not answer', () => {
    const bench = new Bench('client');
    for (let n = 0; n < 3; n += 1) bench.connection.open([{ name: ':method', value: 'GET' }], true, '');
    bench.receive(frame(FrameType.goaway, 0, 0, Buffer.concat([number(3), number(0)])));
    expect(bench.events).toEqual([
      ['goaway', 3, 0],
      ['reset', 5, Http2Error.refusedStream, true],
    ]);
    expect(bench.connection.canOpen).toBe(false);
    bench.receive(bench.headers(3, Flag.endStream, [':status', '200']));
    expect(bench.told().at(-1)).toEqual(['head', 3]);
  });

  test('opens no more streams than the origin allows', () => {
    const bench = new Bench('client').receive(settings(Setting.maxConcurrentStreams, 1));
    expect(bench.connection.open([{ name: ':method', value: 'GET' }], true, '')).not.toBeNull();
    expect(bench.connection.canOpen).toBe(false);
    bench.receive(bench.headers(1, Flag.endStream, [':status', '200']));
    expect(bench.connection.canOpen).toBe(true);
  });

  for (const [what, fields] of [
    ['status 101', [[':status', '101']]],
    ['no :status', [['x', 'y']]],
    ['a :status that is none', [[':status', '20']]],
    [
      'two :status',
      [
        [':status', '200'],
        [':status', '200'],
      ],
    ],
    [
      ':path in a response',
      [
        [':status', '200'],
        [':path', '/'],
      ],
    ],
    [
      'connection',
      [
        [':status', '200'],
        ['connection', 'close'],
      ],
    ],
  ] as const) {
    test(`resets the stream for ${what}`, () => {
      const { bench } = begin();
      bench.receive(bench.headers(1, Flag.endStream, ...fields));
      expect(bench.resets()).toEqual({ 1: Http2Error.protocolError });
    });
  }

  for (const [what, code, bytes] of [
    ['PUSH_PROMISE', Http2Error.protocolError, frame(FrameType.pushPromise, Flag.endHeaders, 1, number(2))],
    ['ENABLE_PUSH of 1', Http2Error.protocolError, settings(Setting.enablePush, 1)],
    [
      'HEADERS on a stream that it did not open',
      Http2Error.protocolError,
      frame(FrameType.headers, Flag.endHeaders, 3, Buffer.from([0x88])),
    ],
    ['DATA on a stream that it did not open', Http2Error.protocolError, frame(FrameType.data, 0, 3, Buffer.from('x'))],
  ] as const) {
    test(`closes the connection for ${what}`, () => {
      const { bench } = begin();
      bench.receive(bytes);
      expect(bench.goaway()).toBe(code);
      expect(bench.events).toContainEqual(['reset', 1, code, false]);
    });
  }

  test('tells each stream when the transport is gone', () => {
    const { bench } = begin();
    bench.connection.transportClosed('ECONNRESET');
    expect(bench.events).toEqual([['reset', 1, Http2Error.cancel, true]]);
    expect(bench.connection.canOpen).toBe(false);
  });
});

test('a value with outer white space is refused, or stripped and flagged, by setting', () => {
  const bench = new Bench('server');
  bench.receive(bench.headers(1, Flag.endStream, ...GET, ['x', ' a\t']));
  expect(bench.events[0]?.[2]).toMatchObject({ fields: ['x: a'] });
});
