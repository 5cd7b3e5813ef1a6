import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FixedRate } from './pace.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Takes operations of a pace and notes when each was meant to begin, ms after the first. */
function taker(pace: FixedRate): { readonly begun: (number | null)[]; next(): void } {
  const zero = performance.now();
  const begun: (number | null)[] = [];
  return {
    begun,
    next: () => {
      pace.next((at) => begun.push(at === null ? null : at - zero));
    },
  };
}

test('operations begin by the clock, however early somebody is free', () => {
  const pace = new FixedRate(100);
  const { begun, next } = taker(pace);
  for (let n = 0; n < 4; n += 1) next();
  expect(begun).toEqual([0]);
  vi.advanceTimersByTime(20);
  expect(begun).toEqual([0, 10, 20]);
  pace.stop();
});

test('what nobody was free for counts from the time at which it should have begun', () => {
  const pace = new FixedRate(100);
  const { begun, next } = taker(pace);
  vi.advanceTimersByTime(35);
  for (let n = 0; n < 4; n += 1) next();
  expect(begun).toEqual([0, 10, 20, 30]);
  pace.stop();
});

test('who waits when the window ends is told so', () => {
  const pace = new FixedRate(1);
  const { begun, next } = taker(pace);
  next();
  next();
  pace.stop();
  next();
  expect(begun).toEqual([0, null, null]);
});
