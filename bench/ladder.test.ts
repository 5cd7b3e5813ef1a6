import { describe, expect, test } from 'vitest';
import type { BenchTrial } from '#contract';
import { failedStep, intensityAt, stepOf, summaryOf } from './ladder.ts';

const LIMITS = { errorShare: 0.001, p99: 50 };
const INTENSITY = {
  warmUpMs: 0,
  measureMs: 0,
  connections: 64,
  http2: { connections: 4, streams: 16 },
  rate: null,
  cores: null,
};

function trial(operationsPerSecond: number, p99: number, errors = 0): BenchTrial {
  const operations = 10_000;
  return {
    operations,
    errors,
    seconds: 1,
    operationsPerSecond,
    successShare: operations / (operations + errors),
    ...{ p50: 1, p90: 2, p99, p999: p99, max: p99 },
    ...{ cpuPerOperation: null, engineCpuPerOperation: null, residentBytes: null, proportionalBytes: null },
    ...{ loopDelayP99: null, loopDelayMax: null },
  };
}

describe('a ladder', () => {
  test('counts what is under way at once on a ramp, over HTTP/2 as streams of four connections', () => {
    expect(intensityAt(INTENSITY, 'ramp', 32)).toMatchObject({
      connections: 32,
      http2: { connections: 4, streams: 8 },
    });
  });

  test('counts connections on a sweep, over HTTP/2 with a stream each', () => {
    expect(intensityAt(INTENSITY, 'sweep', 100)).toMatchObject({
      connections: 100,
      http2: { connections: 100, streams: 1 },
    });
  });

  test('sustains the last load within the limits, and has its peak wherever most was done', () => {
    const steps = [
      stepOf(8, trial(900, 20), LIMITS),
      stepOf(16, trial(1_000, 50), LIMITS),
      stepOf(32, trial(1_100, 51), LIMITS),
    ];
    expect(steps.map(({ holds }) => holds)).toEqual([true, true, false]);
    expect(summaryOf(steps, LIMITS)).toEqual({ sustained: 16, peak: 1_100 });
  });

  test('holds with one failure in a thousand and not with more; failures make no peak', () => {
    expect(stepOf(8, trial(900, 20, 10), LIMITS).holds).toBe(true);
    const failing = stepOf(16, trial(5_000, 20, 11), LIMITS);
    expect(failing.holds).toBe(false);
    expect(summaryOf([failing, failedStep(32, 'It failed.')], LIMITS)).toEqual({ sustained: null, peak: null });
  });
});
