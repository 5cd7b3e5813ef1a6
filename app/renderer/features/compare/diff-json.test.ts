import { expect, test } from 'vitest';
import { diffJson } from './diff-json.ts';

test('values are compared place by place, whatever the order of keys', () => {
  const left = { id: 1, items: [{ price: 10 }, { price: 5 }], 'odd key': null, gone: true };
  const right = { items: [{ price: 12 }], 'odd key': { a: 1 }, id: 1, ['__proto__']: 7 };
  expect(diffJson(left, JSON.parse('{"items":[{"price":12}],"odd key":{"a":1},"id":1,"__proto__":7}'))).toEqual([
    { path: 'items[0].price', left: '10', right: '12' },
    { path: 'items[1]', left: '{"price":5}', right: null },
    { path: '["odd key"]', left: 'null', right: '{"a":1}' },
    { path: 'gone', left: 'true', right: null },
    { path: '__proto__', left: null, right: '7' },
  ]);
  expect(diffJson(right, right)).toEqual([]);
});

test('other kinds differ as wholes, and a flood of changes ends', () => {
  expect(diffJson([1], { a: 1 })).toEqual([{ path: '(all)', left: '[1]', right: '{"a":1}' }]);
  expect(diffJson(Array(5_000).fill(1), Array(5_000).fill(2))).toHaveLength(500);
});
