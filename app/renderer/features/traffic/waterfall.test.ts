import { expect, test } from 'vitest';
import { fakeExchange } from '../../../../test/support/fake-exchanges.ts';
import { barOf, spanOf } from './waterfall.ts';

test('the rows in view set the scale, from the first beginning to the last end', () => {
  const rows = [
    { ...fakeExchange(0, 1), startedAt: 1_000, duration: 500 },
    { ...fakeExchange(1, 1), startedAt: 1_200, duration: null },
    { ...fakeExchange(2, 1), startedAt: 1_100, duration: 900 },
  ];
  const span = spanOf(0, 4, (index) => rows[index]);
  expect(span).toEqual({ from: 1_000, to: 2_000 });
  expect(spanOf(5, 9, (index) => rows[index])).toBeNull();
});

test('a bar stands where its exchange ran, one that runs still goes on to the end', () => {
  const span = { from: 1_000, to: 2_000 };
  expect(barOf({ startedAt: 1_250, duration: 250 }, span)).toEqual({ left: 25, width: 25 });
  expect(barOf({ startedAt: 1_500, duration: null }, span)).toEqual({ left: 50, width: 50 });
  expect(barOf({ startedAt: 500, duration: 750 }, span)).toEqual({ left: 0, width: 25 });
  expect(barOf({ startedAt: 3_000, duration: 1 }, span)).toBeNull();
});
