import { expect, test } from 'vitest';
import { queryFields, urlencodedFields } from './form-fields.ts';

test('urlencoded fields keep their order and doubles, plus is a space', () => {
  expect(urlencodedFields('a=1&b=x+y&a=%C3%A9&c')).toEqual([
    { name: 'a', value: '1' },
    { name: 'b', value: 'x y' },
    { name: 'a', value: 'é' },
    { name: 'c', value: '' },
  ]);
});

test('a malformed escape stays visible', () => {
  expect(urlencodedFields('a=%zz')).toEqual([{ name: 'a', value: '%zz' }]);
});

test('a path without a query has no fields', () => {
  expect(queryFields('/a/b')).toEqual([]);
  expect(queryFields('/a?x=1')).toEqual([{ name: 'x', value: '1' }]);
});
