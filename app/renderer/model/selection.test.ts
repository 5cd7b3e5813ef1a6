import { expect, test } from 'vitest';
import { Selection } from './selection.svelte.ts';

test('choosing one forgets the others', () => {
  const selection = new Selection();
  selection.choose(1);
  selection.toggle(2);
  expect([...selection.ids]).toEqual([1, 2]);
  selection.choose(3);
  expect([...selection.ids]).toEqual([3]);
  expect(selection.active).toBe(3);
});

test('taking the active one away leaves the last of the others active', () => {
  const selection = new Selection();
  selection.choose(1);
  selection.toggle(2);
  selection.toggle(2);
  expect(selection.active).toBe(1);
  selection.toggle(1);
  expect(selection.active).toBeNull();
});

test('a range keeps its anchor while its other end moves', () => {
  const selection = new Selection();
  selection.choose(5);
  selection.chooseRange([5, 6, 7], 7);
  selection.chooseRange([5, 6], 6);
  expect(selection.anchor).toBe(5);
  expect([...selection.ids]).toEqual([5, 6]);
});
