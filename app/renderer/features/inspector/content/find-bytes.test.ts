import { expect, test } from 'vitest';
import { findBytes } from './find-bytes.ts';

/** A body that is read in windows of at most `most` bytes. */
function body(text: string, most: number): (offset: number, length: number) => Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return (offset, length) => Promise.resolve(bytes.subarray(offset, Math.min(offset + length, offset + most)));
}

test('a match is found wherever the windows cut it', async () => {
  const text = `${'x'.repeat(37)}Out of Stock${'y'.repeat(20)}`;
  for (let most = 1; most < 70; most++)
    expect(await findBytes(body(text, most), 'out of stock', 0), String(most)).toBe(37);
});

test('the search begins where it is told to and says when there is no more', async () => {
  const read = body('one two one', 4);
  expect(await findBytes(read, 'one', 1)).toBe(8);
  expect(await findBytes(read, 'one', 9)).toBeNull();
});

test('characters beyond ASCII are compared by their bytes', async () => {
  expect(await findBytes(body('ab 水車', 2), '車', 0)).toBe(6);
});

test('nothing is found of nothing', async () => {
  expect(await findBytes(body('abc', 9), '', 0)).toBeNull();
});

test('progress is told after each window', async () => {
  const seen: number[] = [];
  await findBytes(body('abcdefgh', 3), 'zz', 0, (offset) => seen.push(offset));
  expect(seen).toEqual([3, 6, 8]);
});
