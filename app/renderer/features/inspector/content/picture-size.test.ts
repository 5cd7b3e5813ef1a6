import { expect, test } from 'vitest';
import { pictureSize } from './picture-size.ts';

const bytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.replaceAll(' ', '').padEnd(80, '0').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

test.each([
  ['PNG', '89504e470d0a1a0a 0000000d 49484452 00004e20 00000010', 20_000, 16],
  ['GIF', '474946383961 8002 e001', 640, 480],
  ['BMP', '424d 00000000 0000 0000 00000000 28000000 40010000 10ffffff', 320, 240],
  ['JPEG', 'ffd8 ffe0 0004 0000 ffc2 0011 08 0438 0780 03', 1_920, 1_080],
  ['WebP, lossy', '52494646 00000000 57454250 56503820 00000000 000000 9d012a e001 f000', 480, 240],
  ['WebP, lossless', '52494646 00000000 57454250 5650384c 00000000 2f dfc13b00', 480, 240],
  ['WebP, extended', '52494646 00000000 57454250 56503858 0a000000 00 000000 1f4e00 0f0000', 20_000, 16],
])('%s tells its size', (_, hex, width, height) => {
  expect(pictureSize(bytes(hex))).toEqual({ width, height });
});

test('what is no picture, or is cut before its size, has none', () => {
  expect(pictureSize(bytes('3c737667'))).toBeNull();
  expect(pictureSize(bytes('89504e47').subarray(0, 20))).toBeNull();
  expect(pictureSize(bytes('ffd8 ffe0 ffff'))).toBeNull();
  // Without its first chunk, whatever stands there is no size.
  expect(pictureSize(bytes('89504e470d0a1a0a 41414141 41414141 41414141 41414141'))).toBeNull();
});
