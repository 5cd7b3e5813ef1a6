import { describe, expect, test } from 'vitest';
import { encodeQrCode } from './qr-code.ts';

/** As another encoder (libqrencode, level M, bytes) draws it. */
const KNOWN = `#######.#####.###.#######
#.....#..#.#.##.#.#.....#
#.###.#.#.....#...#.###.#
#.###.#...#...##..#.###.#
#.###.#...##.##.#.#.###.#
#.....#.#.#.......#.....#
#######.#.#.#.#.#.#######
..........#...#.#........
#.#...##.##.####...#..#.#
...#.#.#..#..####.##.#.##
###.#####.##...#.#..###.#
#..#.#..#.####.#.#.#.#...
#.#..##.##.###.#..##....#
.####..###..#..#####...##
##.######.#.####.##..##.#
..#..#.....##.#.#.##.....
####.##..##..########..#.
........##...##.#...#.#.#
#######.##.#....#.#.##..#
#.....#......#.##...#..#.
#.###.#...####.#######.##
#.###.#..##.#......#####.
#.###.#.#...###.##..#..##
#.....#..#.##.#######....
#######.#.#..##.##...#..#`;

const picture = (text: string): string =>
  encodeQrCode(text)
    .map((row) => row.map((dark) => (dark ? '#' : '.')).join(''))
    .join('\n');

describe('a QR code', () => {
  test('is module for module what another encoder draws', () => {
    expect(picture('http://weir.test/')).toBe(KNOWN);
  });

  test.each([
    [14, 21],
    [15, 25],
    [26, 25],
    [27, 29],
    [62, 33],
    [63, 37],
    [84, 37],
    [85, 41],
    [106, 41],
  ])('of %i bytes has %i modules a side, the smallest that holds them', (bytes, side) => {
    const code = encodeQrCode('a'.repeat(bytes));
    expect(code).toHaveLength(side);
    expect(code.every((row) => row.length === side)).toBe(true);
  });

  test('is refused for more than it holds', () => {
    expect(() => encodeQrCode('a'.repeat(107))).toThrow(RangeError);
    expect(() => encodeQrCode('ü'.repeat(54))).toThrow('not 108');
  });
});
