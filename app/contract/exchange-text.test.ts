import { expect, test } from 'vitest';
import { shortenMiddle } from './exchange-text.ts';

test('what is short enough stays as it is', () => {
  expect(shortenMiddle('/v2/cart', 8)).toBe('/v2/cart');
});

test('what is longer keeps its begin and its end around an ellipsis, and has the wanted length', () => {
  expect(shortenMiddle('https://api.weir.test/v2/cart/items', 21)).toBe('https://ap…cart/items');
  expect(shortenMiddle('abcdefgh', 4)).toBe('ab…h');
});

test('no character is cut in half', () => {
  expect(shortenMiddle('ab😀cd😀ef', 8)).toBe('ab😀…ef');
  expect(shortenMiddle('abc😀d😀ef', 8)).toBe('abc…ef');
});
