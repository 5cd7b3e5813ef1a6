import { expect, test } from 'vitest';
import { trialOrder } from './trial-order.ts';

const rounds = (count: number, of: number): string[] =>
  Array.from({ length: of }, (_, round) => trialOrder([...'ABCDEFG'].slice(0, count), round, of).join(''));

test('each round begins with another product', () => {
  expect(rounds(6, 3)).toEqual(['ABCDEF', 'CDEFAB', 'EFABCD']);
  expect(rounds(7, 2)).toEqual(['ABCDEFG', 'DEFGABC']);
  expect(rounds(1, 2)).toEqual(['A', 'A']);
  expect(rounds(0, 2)).toEqual(['', '']);
});

test.each([3, 4, 5, 6, 7])('no product of %i is measured twice within half a round', (count) => {
  const all = rounds(count, 3).join('');
  for (const product of 'ABCDEFG'.slice(0, count)) {
    const times = [...all.matchAll(new RegExp(product, 'g'))].map(({ index }) => index);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(times).toHaveLength(3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(count / 2);
  }
});
