import { expect, test } from 'vitest';
import { MOST_SCROLL_PIXELS, offsetToShow, scrollScale, visibleRange } from './scroll-scale.ts';

test('a list under the browsers’ cap scrolls by its own pixels', () => {
  const scale = scrollScale(24_000, 800);
  expect(scale.scaled).toBe(false);
  expect(scale.height).toBe(24_000);
  expect(scale.toOffset(1_234)).toBe(1_234);
});

test('a million rows fit under the cap, and both ends are reached exactly', () => {
  const scale = scrollScale(24_000_000, 800);
  expect(scale.scaled).toBe(true);
  expect(scale.height).toBe(MOST_SCROLL_PIXELS);
  expect(scale.toOffset(0)).toBe(0);
  expect(scale.toOffset(MOST_SCROLL_PIXELS - 800)).toBe(24_000_000 - 800);
  expect(scale.toScrollTop(24_000_000 - 800)).toBe(MOST_SCROLL_PIXELS - 800);
});

test('a list that fits has nothing to scroll', () => {
  const scale = scrollScale(240, 800);
  expect(scale.mostOffset).toBe(0);
  expect(scale.toOffset(50)).toBe(0);
});

test('the visible range holds rows that are cut at either edge', () => {
  expect(visibleRange(30, 100, 24, 1_000)).toEqual({ first: 1, end: 6 });
  expect(visibleRange(0, 100, 24, 2)).toEqual({ first: 0, end: 2 });
});

test('a row in view does not move to be shown; one outside moves as little as it can', () => {
  expect(offsetToShow(5, 'nearest', 100, 240, 24)).toBe(100);
  expect(offsetToShow(1, 'nearest', 100, 240, 24)).toBe(24);
  expect(offsetToShow(20, 'nearest', 100, 240, 24)).toBe(21 * 24 - 240);
  expect(offsetToShow(20, 'centre', 100, 240, 24)).toBe(20 * 24 - 108);
});
