import { expect, test } from 'vitest';
import { frame, requestFields } from '../../../test/support/http2-frames.ts';
import { DEFAULT_LIMITS } from '../../model/engine-config.ts';
import { Http2Connection } from './connection.ts';
import { CONNECTION_PREFACE, Flag, FrameType } from './constants.ts';
import { HpackEncoder } from './hpack/encoder.ts';
import type { Http2Stream } from './stream.ts';

/** A server's connection whose client has said what it must, and what its watcher saw since. */
class Watched {
  readonly seen: string[] = [];
  readonly connection: Http2Connection<null>;
  stream: Http2Stream<null> | null = null;
  readonly #encoder = new HpackEncoder();

  constructor() {
    const nothing = (): undefined => undefined;
    const events = {
      onHead: (stream: Http2Stream<null>) => {
        this.stream = stream;
      },
      ...{ onData: nothing, onTrailers: nothing, onReset: nothing, onDrained: nothing, onGoaway: nothing },
      ...{ onSettings: nothing, onFailure: nothing },
    };
    this.connection = new Http2Connection('server', DEFAULT_LIMITS, events, {
      tolerateSpace: false,
      offersConnect: false,
      now: () => 0,
      watcher: {
        onFrame: (sent, type, flags, stream, length, bytes, start, end) => {
          const facts = [sent ? 'out' : 'in', type, flags, stream, length, bytes.toString('latin1', start, end)];
          this.seen.push(facts.join(' ').trim());
        },
      },
    });
    this.connection.receive(Buffer.concat([CONNECTION_PREFACE, frame(FrameType.settings, 0, 0, Buffer.alloc(0))]));
    this.seen.length = 0;
  }

  /** A request's head on stream 1. */
  request(): Buffer {
    return frame(FrameType.headers, Flag.endHeaders, 1, Buffer.from(this.#encoder.encode(requestFields())));
  }
}

test('every frame of both ways is seen, with the payloads of those that are neither heads nor bodies', () => {
  const watched = new Watched();
  const { connection, seen } = watched;
  connection.receive(watched.request());
  connection.receive(frame(FrameType.data, Flag.endStream, 1, Buffer.from('hello')));
  connection.receive(frame(FrameType.ping, 0, 0, Buffer.from('12345678')));
  if (watched.stream === null) throw new Error('The request was not told.');
  connection.sendHead(watched.stream, [{ name: ':status', value: '200' }], false);
  connection.sendData(watched.stream, Buffer.from('reply'), 0, 5, true);
  connection.goAway(0, 'bye');

  expect(seen).toEqual([
    expect.stringMatching(/^in 1 4 1 \d+$/),
    'in 0 1 1 5',
    'in 6 0 0 8 12345678',
    'out 6 1 0 8 12345678',
    'out 1 4 1 1',
    'out 0 1 1 5',
    'out 7 0 0 11 \0\0\0\u0001\0\0\0\0bye',
  ]);
});

test('the same is seen, however the bytes are cut', () => {
  const word = (value: number): Buffer => Buffer.from([0, 0, 0, value]);
  const bytes = Buffer.concat([
    new Watched().request(),
    frame(FrameType.data, Flag.padded, 1, Buffer.from('\u0003hello\0\0\0', 'latin1')),
    frame(FrameType.windowUpdate, 0, 0, word(77)),
    frame(FrameType.settings, 0, 0, Buffer.alloc(0)),
    frame(0xee, 0x55, 9, Buffer.from('what nobody knows')),
    frame(FrameType.goaway, 0, 0, Buffer.concat([word(0), word(0), Buffer.from('bye')])),
  ]);
  const whole = new Watched();
  whole.connection.receive(bytes);
  expect(whole.seen.filter((line) => line.startsWith('in'))).toHaveLength(6);
  for (let at = 1; at < bytes.length; at += 1) {
    const cut = new Watched();
    cut.connection.receive(bytes.subarray(0, at));
    cut.connection.receive(bytes.subarray(at));
    expect(cut.seen).toEqual(whole.seen);
  }
});

test.each([
  ['PING that is too long', frame(FrameType.ping, 0, 0, Buffer.alloc(20_000)), 'in 6 0 0 20000'],
  ['CONTINUATION without a block', frame(FrameType.continuation, 0, 1, Buffer.alloc(3)), 'in 9 0 1 3'],
  ['DATA on no stream', frame(FrameType.data, 0, 0, Buffer.alloc(3)), 'in 0 0 0 3'],
  ['WINDOW_UPDATE of nothing', frame(FrameType.windowUpdate, 0, 0, Buffer.alloc(4)), 'in 8 0 0 4 \0\0\0\0'],
])('the frame for which a connection is given up is seen, and the GOAWAY: %s', (_, wrong, line) => {
  const { connection, seen } = new Watched();
  connection.receive(wrong);
  expect(connection.failure).not.toBeNull();
  expect(seen).toEqual([line, expect.stringMatching(/^out 7 /)]);
});
