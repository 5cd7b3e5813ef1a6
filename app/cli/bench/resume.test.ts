import { describe, expect, test } from 'vitest';
import { sampleResult } from '../../../test/support/sample-bench.ts';
import { CommandError } from '../usage.ts';
import type { BenchChoice } from './choice.ts';
import { isNothing, joinResults, leftOf } from './resume.ts';

const CHOICE: BenchChoice = {
  profiles: ['http1-small', 'https-http1', 'https-http2'],
  ramps: ['http1-small', 'https-http2'],
  sweeps: ['http1-small'],
  products: null,
  trials: 3,
  seconds: 10,
  secondsPerStep: 3,
  rate: null,
};
const ORDER = { ...CHOICE, run: 'earlier-run' };
const INTERRUPTED = sampleResult(
  { ...ORDER, profiles: ['http1-small', 'https-http1'], ramps: ['http1-small'], sweeps: [] },
  { cancelled: true },
);

describe('going on with an interrupted run', () => {
  test('measures what it had not finished', () => {
    const left = leftOf(CHOICE, INTERRUPTED);
    expect(left).toMatchObject({ profiles: ['https-http2'], ramps: ['https-http2'], sweeps: ['http1-small'] });
    expect(isNothing(left)).toBe(false);
  });

  test('has nothing to do after a whole one', () => {
    expect(isNothing(leftOf(CHOICE, sampleResult(ORDER)))).toBe(true);
  });

  test('refuses figures that were measured in another way', () => {
    expect(() => leftOf({ ...CHOICE, trials: 2 }, INTERRUPTED)).toThrow(CommandError);
    expect(() => leftOf({ ...CHOICE, rate: 500 }, INTERRUPTED)).toThrow(/3 trials of 10 s/);
    expect(() => leftOf({ ...CHOICE, secondsPerStep: 1 }, INTERRUPTED)).toThrow(/steps of 3 s/);
  });

  test('ends with one result in the order of the list, begun when the first began', () => {
    const late = { startedAt: '2026-03-04T09:12:04.000Z', commit: 'fffffff' };
    const later = sampleResult({ ...ORDER, run: 'later-run', profiles: ['https-http2'] }, late);
    const joined = joinResults(INTERRUPTED, later, ['https-http2', 'https-http1', 'http1-small']);
    expect(joined.profiles.map(({ profile }) => profile)).toEqual(['https-http2', 'https-http1', 'http1-small']);
    expect(joined.ladders).toHaveLength(4);
    expect(joined).toMatchObject({ id: 'later-run', startedAt: INTERRUPTED.startedAt, cancelled: false });
    expect(joined.limitations.at(-1)).toContain('commit 4f1c2d9');
  });
});
