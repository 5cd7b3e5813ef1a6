import { expect, test } from 'vitest';
import { hexRow } from './hex-rows.ts';

test('a full row has its offset, sixteen pairs with a gap in the middle, and the printable characters', () => {
  const bytes = Uint8Array.from({ length: 16 }, (_, index) => 0x41 + index);
  expect(hexRow(bytes, 0x1230, 16)).toEqual({
    offset: '00001230',
    hex: '41 42 43 44 45 46 47 48  49 4a 4b 4c 4d 4e 4f 50',
    text: 'ABCDEFGHIJKLMNOP',
  });
});

test('the last row is padded so that its columns stand under the others', () => {
  expect(hexRow(Uint8Array.of(0, 0xff), 16, 8)).toEqual({
    offset: '00000010',
    hex: `00 ff${' '.repeat(18)}`,
    text: '..',
  });
});
