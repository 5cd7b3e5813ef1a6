import { expect, test } from 'vitest';
import { blocksOf, diffLines, type DiffLine } from './diff-lines.ts';

const marks = { same: ' ', removed: '-', added: '+' } as const;
const show = (lines: readonly DiffLine[] | null): string =>
  (lines ?? []).map(({ kind, text }) => marks[kind] + text).join(' ');
const diff = (left: string, right: string): string => show(diffLines([...left], [...right]));

test.each([
  ['', '', ''],
  ['abc', 'abc', ' a  b  c'],
  ['abc', '', '-a -b -c'],
  ['', 'ab', '+a +b'],
  ['abcd', 'acxd', ' a -b  c +x  d'],
  ['abcabba', 'cbabac', '-a -b  c +b  a  b -b  a +c'],
])('from %j to %j', (left, right, expected) => {
  expect(diff(left, right)).toBe(expected);
});

test('either side can be told from any comparison', () => {
  let seed = 7;
  const random = (most: number): number => (seed = (seed * 16_807) % 2_147_483_647) % most;
  for (let round = 0; round < 300; round += 1) {
    const word = (): string[] => Array.from({ length: random(20) }, () => String(random(4)));
    const [left, right] = [word(), word()];
    const lines = diffLines(left, right) ?? [];
    expect(lines.filter(({ kind }) => kind !== 'added').map(({ text }) => text)).toEqual(left);
    expect(lines.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)).toEqual(right);
  }
});

test('texts that have nothing in common are left alone', () => {
  const lines = (prefix: string): string[] => Array.from({ length: 3_000 }, (_, at) => `${prefix}${String(at)}`);
  expect(diffLines(lines('a'), lines('b'))).toBeNull();
});

test('only the neighbourhood of changes is shown', () => {
  const lines = diffLines([...'abcdefghij'], [...'abcdeXghij']) ?? [];
  expect(blocksOf(lines, 1).map(({ skipped, lines: some }) => [skipped, show(some)])).toEqual([
    [4, ' e -f +X  g'],
    [3, ''],
  ]);
});
