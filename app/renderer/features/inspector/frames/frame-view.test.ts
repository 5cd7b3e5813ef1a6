import { expect, test } from 'vitest';
import type { Http2Frame } from '#contract';
import { isTrouble, rowsOf, saysOf, timeOf } from './frame-view.ts';

function frame(sequence: number, more: Partial<Http2Frame> = {}): Http2Frame {
  return { connection: 1, sequence, time: 0, sent: false, type: 0, flags: 0, stream: 1, length: 5, facts: [], ...more };
}

const sequencesOf = (rows: ReturnType<typeof rowsOf>): unknown[] =>
  rows.map((row) => (row.kind === 'frame' ? row.frame.sequence : `${String(row.count)} missing`));

test('frames that are missing have a row, which says whether they are the oldest', () => {
  const rows = rowsOf([frame(4), frame(5), frame(8)], { stream: null, text: '' });
  expect(sequencesOf(rows)).toEqual(['3 missing', 4, 5, '2 missing', 8]);
  expect(rows.map((row) => row.kind === 'gap' && row.isBeginning)).toEqual([true, false, false, false, false]);
});

test('a filter leaves frames of a stream, and those whose row has the text', () => {
  const frames = [
    frame(1, { stream: 0, type: 4, facts: [['MAX_CONCURRENT_STREAMS', '100']] }),
    frame(2, { type: 1, flags: 5 }),
    frame(5, { stream: 3 }),
  ];
  expect(sequencesOf(rowsOf(frames, { stream: 1, text: '' }))).toEqual([2]);
  expect(sequencesOf(rowsOf(frames, { stream: null, text: ' max_con ' }))).toEqual([1]);
  expect(sequencesOf(rowsOf(frames, { stream: null, text: 'end_stream' }))).toEqual([2]);
  expect(sequencesOf(rowsOf(frames, { stream: null, text: 'data' }))).toEqual([5]);
});

test('a row says flags and content in one line, whatever the content hides', () => {
  const facts = [['debug data', 'a\u202eb']] as const;
  expect(saysOf(frame(1, { type: 1, flags: 0x45 }))).toBe('END_STREAM · END_HEADERS · 0x40');
  expect(saysOf(frame(1, { type: 7, facts }))).not.toContain('\u202e');
});

test('times count from the beginning of the exchange, both ways', () => {
  expect(timeOf({ time: 3_500 }, 1_000)).toBe('+2.5 ms');
  expect(timeOf({ time: 1_000 }, 2_501_000)).toBe('−2.50 s');
});

test('only ends with an error are trouble', () => {
  const ends = (type: number, error: string): boolean => isTrouble(frame(1, { type, facts: [['error', error]] }));
  expect([ends(3, 'CANCEL'), ends(7, 'NO_ERROR'), ends(7, 'PROTOCOL_ERROR')]).toEqual([true, false, true]);
});
