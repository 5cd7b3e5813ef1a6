import { expect, test } from 'vitest';
import { prettyJson } from './pretty-json.ts';

test('nested values stand on lines of their own, short flat ones stay on one', () => {
  const text =
    '{"id":"crt","items":[{"sku":"1042","title":"Brass float gauge","quantity":2,"unitPrice":34.9}],"totals":{"net":58.66,"tax":11.14}}';
  expect(prettyJson(text)).toBe(
    [
      '{',
      '  "id": "crt",',
      '  "items": [',
      '    {',
      '      "sku": "1042",',
      '      "title": "Brass float gauge",',
      '      "quantity": 2,',
      '      "unitPrice": 34.9',
      '    }',
      '  ],',
      '  "totals": { "net": 58.66, "tax": 11.14 }',
      '}',
    ].join('\n'),
  );
});

test('digits, escapes, order and doubled keys stay as they were sent', () => {
  const text = '{"n":12345678901234567890.10,"e":1E+2,"s":"\\u202e\\/ \\"q\\"","n":-0}';
  const pretty = prettyJson(text);
  for (const part of ['12345678901234567890.10', '1E+2', '"\\u202e\\/ \\"q\\""', '-0']) expect(pretty).toContain(part);
  expect(pretty.match(/"n"/g)).toHaveLength(2);
});

test('what is laid out already means the same afterwards', () => {
  const value = { a: [1, [2, { b: null }], {}], 'x,y:{': ['a]b', true], long: Array.from({ length: 40 }, (_, i) => i) };
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, '\t')]) {
    expect(JSON.parse(prettyJson(text))).toEqual(value);
  }
});

test('empty containers take no lines', () => {
  expect(prettyJson('[ ]')).toBe('[]');
  expect(prettyJson('{"a":{ \n}}')).toBe('{\n  "a": {}\n}');
});

test('scalars stand alone', () => {
  expect(prettyJson(' "text" ')).toBe('"text"');
  expect(prettyJson('null')).toBe('null');
});

test('a text that is cut in the middle is laid out as far as it goes', () => {
  expect(prettyJson('{"a":[1,2,{"b":"c')).toContain('"b": "c');
});
