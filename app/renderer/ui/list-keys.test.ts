import { expect, test } from 'vitest';
import { placeForKey } from './list-keys.ts';

const key = (name: string): { key: string } => ({ key: name });

test('arrows and letters go a row on, from the ends where nothing is chosen', () => {
  for (const down of ['ArrowDown', 'j']) {
    expect(placeForKey(key(down), { total: 10, at: 4, page: 5 })).toBe(5);
    expect(placeForKey(key(down), { total: 10, at: null, page: 5 })).toBe(0);
  }
  for (const up of ['ArrowUp', 'k']) {
    expect(placeForKey(key(up), { total: 10, at: 4, page: 5 })).toBe(3);
    expect(placeForKey(key(up), { total: 10, at: null, page: 5 })).toBe(9);
  }
});

test('no key leads out of the list', () => {
  expect(placeForKey(key('ArrowDown'), { total: 10, at: 9, page: 5 })).toBe(9);
  expect(placeForKey(key('PageDown'), { total: 10, at: 7, page: 5 })).toBe(9);
  expect(placeForKey(key('PageUp'), { total: 10, at: 2, page: 5 })).toBe(0);
  expect(placeForKey(key('End'), { total: 10, at: 2, page: 5 })).toBe(9);
  expect(placeForKey(key('Home'), { total: 10, at: 2, page: 5 })).toBe(0);
});

test('other keys and empty lists lead nowhere', () => {
  expect(placeForKey(key('x'), { total: 10, at: 2, page: 5 })).toBeNull();
  expect(placeForKey(key('Home'), { total: 0, at: null, page: 5 })).toBeNull();
});
