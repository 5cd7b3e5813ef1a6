import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../model/engine-config.ts';
import { FrameWriter } from './frame-writer.ts';
import { ReceiveSide } from './receive-side.ts';
import { Http2Stream } from './stream.ts';

const BUDGET = 1_048_576;
const LIMITS = { ...DEFAULT_LIMITS, concurrentStreams: 8, streamWindowBytes: 262_144, connectionWindowBytes: BUDGET };

function open(side: ReceiveSide<null>, count: number): Http2Stream<null>[] {
  side.acknowledge([]);
  return Array.from({ length: count }, (_, index) => new Http2Stream<null>(index * 2 + 1, 0, side.grantedWindow));
}

/** The peer sends as much as it may, and all of it leaves us. */
function fill(side: ReceiveSide<null>, stream: Http2Stream<null>): void {
  const octets = stream.receiveWindow;
  stream.receiveWindow -= octets;
  side.consume(stream, octets);
}

test('the windows of all streams together never pass the budget of the connection, however much moves', () => {
  const side = new ReceiveSide<null>(LIMITS, new FrameWriter());
  const streams = open(side, side.mostStreams);
  for (let round = 0; round < 10; round += 1) {
    for (const stream of streams) fill(side, stream);
    const granted = streams.reduce((sum, { receiveWindow }) => sum + receiveWindow, 0);
    expect(granted).toBeLessThanOrEqual(BUDGET);
  }
});

test('a stream whose octets leave grows to the largest window, one that is stalled keeps its share', () => {
  const side = new ReceiveSide<null>(LIMITS, new FrameWriter());
  const [moving, stalled] = open(side, 2);
  if (moving === undefined || stalled === undefined) throw new Error('two streams');
  for (let round = 0; round < 5; round += 1) fill(side, moving);
  expect([moving.receiveWindow, stalled.receiveWindow]).toEqual([262_144, 65_536]);
});

test('what a stream had grown by is there for others when it is gone', () => {
  const side = new ReceiveSide<null>(LIMITS, new FrameWriter());
  const streams = open(side, 5);
  const [last] = streams.slice(-1);
  if (last === undefined) throw new Error('five streams');
  for (let round = 0; round < 5; round += 1) for (const stream of streams.slice(0, 4)) fill(side, stream);
  fill(side, last);
  expect(last.receiveWindow).toBe(65_536);
  for (const stream of streams.slice(0, 4)) side.release(stream);
  for (let round = 0; round < 5; round += 1) fill(side, last);
  expect(last.receiveWindow).toBe(262_144);
});

test('fewer streams than the limit says are offered where the budget has no share for each', () => {
  const side = new ReceiveSide<null>(
    { ...LIMITS, concurrentStreams: 1_000, connectionWindowBytes: 65_535 },
    new FrameWriter(),
  );
  expect([side.initialWindow, side.mostStreams]).toEqual([4_096, 15]);
});
