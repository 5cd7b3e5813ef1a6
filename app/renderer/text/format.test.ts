import { expect, test } from 'vitest';
import {
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatElapsed,
  formatRate,
  formatShortCount,
} from './format.ts';

test.each([
  [0, '0 B'],
  [912, '912 B'],
  [999, '999 B'],
  [1_000, '1.0 KB'],
  [18_400, '18.4 KB'],
  [99_940, '99.9 KB'],
  [99_960, '100 KB'],
  [312_000, '312 KB'],
  [999_600, '1.0 MB'],
  [8_200_000, '8.2 MB'],
  [2_147_483_648, '2.1 GB'],
])('%d bytes are written %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [400, '0.4 ms'],
  [9_949, '9.9 ms'],
  [9_960, '10 ms'],
  [42_000, '42 ms'],
  [999_400, '999 ms'],
  [999_600, '1.00 s'],
  [1_420_000, '1.42 s'],
  [31_400_000, '31.4 s'],
  [59_960_000, '1 min 0 s'],
  [125_000_000, '2 min 5 s'],
  [3_720_000_000, '1 h 2 min'],
])('%d µs are written %s', (microseconds, text) => {
  expect(formatDuration(microseconds)).toBe(text);
});

test('elapsed times stay short', () => {
  expect(formatElapsed(1_230_000)).toBe('1.2 s');
  expect(formatElapsed(12_300_000)).toBe('12 s');
  expect(formatElapsed(3 * 60_000_000)).toBe('3 min');
  expect(formatElapsed(5 * 3_600_000_000)).toBe('5 h');
  expect(formatElapsed(9_000 * 3_600_000_000)).toBe('> 1 day');
});

test('counts and rates group their digits', () => {
  expect(formatCount(1_284)).toBe('1,284');
  expect(formatRate(212.4)).toBe('212');
  expect(formatRate(0)).toBe('0');
  expect(formatRate(0.52)).toBe('0.5');
});

test('a time of day has milliseconds', () => {
  expect(formatClock(Date.UTC(2026, 2, 3, 12, 30, 50, 7) * 1_000)).toMatch(/^\d\d:30:50\.007$/);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1_204, '1.2k'],
  [9_960, '10k'],
  [128_000, '128k'],
  [999_600, '1.0M'],
])('%d is written %s where there is little room', (count, text) => {
  expect(formatShortCount(count)).toBe(text);
});
