import { expect, test } from 'vitest';
import { indexJson, kindAt } from './json-index.ts';
import type { JsonTable } from './json-index.ts';
import { copiedValue, jsonPath, valueAt } from './json-path.ts';
import { carriedFolds, firstFolds, keyText, rowOf, rowsOf, valueParts } from './json-rows.ts';
import { searchJson } from './json-search.ts';

const CART = '{ "id": "crt", "items": [{"sku":"1042","unit price":34.90}, [], null], "paid": false }';

function paths(text: string, table: JsonTable): string[] {
  return Array.from({ length: table.count }, (_, value) => jsonPath(text, table, value));
}

function where(text: string, form: 'json' | 'ndjson' = 'json'): { table: JsonTable; at: (path: string) => number } {
  const table = indexJson(text, form);
  return { table, at: (path) => paths(text, table).indexOf(path) };
}

test('every value has its path, its kind and exactly its own text', () => {
  const { table } = where(CART);
  expect(paths(CART, table)).toEqual([
    '$',
    '$.id',
    '$.items',
    '$.items[0]',
    '$.items[0].sku',
    "$.items[0]['unit price']",
    '$.items[1]',
    '$.items[2]',
    '$.paid',
  ]);
  expect(Array.from({ length: table.count }, (_, value) => kindAt(table, value))).toEqual([
    'object',
    'string',
    'array',
    'object',
    'string',
    'number',
    'array',
    'null',
    'boolean',
  ]);
  expect(CART.slice(table.starts[5], table.ends[5])).toBe('34.90');
  expect(table.fault).toBeNull();
});

test('any valid JSON is found whole: each value’s text means what the value is', () => {
  const value = {
    'a\n"b\\': [1, -2.5e3, 'x\\"', { '': [[[]]], "it's": {} }, true, null],
    __proto__x: 'ünï\u2028code',
    list: Array.from({ length: 50 }, (_, i) => ({ i })),
  };
  for (const text of [JSON.stringify(value), `\ufeff${JSON.stringify(value, null, 2)}\r\n`]) {
    const table = indexJson(text, 'json');
    expect(table.fault).toBeNull();
    expect(JSON.parse(text.slice(table.starts[0], table.ends[0]))).toEqual(value);
    for (let at = 0; at < table.count; at += 1) {
      expect(() => void JSON.parse(text.slice(table.starts[at], table.ends[at]))).not.toThrow();
      expect(valueAt(table, table.starts[at] ?? 0)).toBe(at);
    }
  }
});

test('names that need it are quoted in a path, as RFC 9535 has it', () => {
  const text = String.raw`{"it's":{"a\"b":{"tab\t":1}},"é":2}`;
  expect(paths(text, indexJson(text, 'json')).slice(1)).toEqual([
    String.raw`$['it\'s']`,
    String.raw`$['it\'s']['a"b']`,
    String.raw`$['it\'s']['a"b']['tab\t']`,
    "$['é']",
  ]);
});

test.each([
  ['{"a":1,"b":', 'ended'],
  ['{"a":1,"b":"cut', 'ended'],
  ['{"a":1,}', 'key'],
  ['{"a" 1}', 'colon'],
  ['[1 2]', 'comma'],
  ['[1}', 'close'],
  ['[1,x]', 'value'],
  ['[1] true', 'after'],
  ['', 'ended'],
] as const)('%j is taken as far as it is JSON, and the fault is named', (text, what) => {
  const table = indexJson(text, 'json');
  expect(table.fault?.what).toBe(what);
  for (let at = 0; at < table.count; at += 1) expect(table.ends[at]).toBeLessThanOrEqual(text.length);
});

test('a hundred thousand levels are read without recursion, and deep values still have a path', () => {
  const deep = 100_000;
  const text = '['.repeat(deep) + ']'.repeat(deep);
  const table = indexJson(text, 'json');
  expect(table.count).toBe(deep);
  expect(table.depths[deep - 1]).toBe(deep - 1);
  expect(jsonPath(text, table, deep - 1)).toHaveLength(1 + (deep - 1) * 3);
  expect(table.fault).toBeNull();
});

test('a table that is full says so and ends well', () => {
  const text = JSON.stringify(Array.from({ length: 100 }, (_, i) => [i]));
  const table = indexJson(text, 'json', 20);
  expect(table).toMatchObject({ count: 20, full: true, fault: null });
  expect([...rowsOf(table, new Uint8Array(20))]).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

test('lines of NDJSON are values of their own, and a damaged one harms no other', () => {
  const text = '{"a":1}\r\n\n{"a":{"b"\n\u001e[2]\n{"a":3} x\n4';
  const { table, at } = where(text, 'ndjson');
  expect(table.roots).toBe(5);
  expect(table.fault).toMatchObject({ what: 'ended' });
  expect([0, 2, 3, 5, 6].map((value) => kindAt(table, value))).toEqual([
    'object',
    'broken',
    'array',
    'broken',
    'number',
  ]);
  expect(text.slice(table.starts[2], table.ends[2])).toBe('{"a":{"b"');
  expect(at('$[0].a')).toBe(1);
  expect(at('$[2][0]')).toBe(4);
});

test('a folded value takes all within it out of the rows, and one that is searched is found in it', () => {
  const { table, at } = where(CART);
  const folds = firstFolds(table);
  expect(rowsOf(table, folds)).toHaveLength(table.count);
  folds[at('$.items')] = 1;
  const rows = rowsOf(table, folds);
  expect([...rows].map((value) => jsonPath(CART, table, value))).toEqual(['$', '$.id', '$.items', '$.paid']);
  expect(rowOf(rows, at('$.items[0].sku'))).toBe(2);
  expect(rowOf(rows, at('$.paid'))).toBe(3);
});

test('of many values the top alone stands open, through wrappers with one member', () => {
  const text = JSON.stringify({ data: { list: Array.from({ length: 500 }, (_, i) => ({ i })) } });
  const { table, at } = where(text);
  const folds = firstFolds(table);
  expect([folds[0], folds[at('$.data')], folds[at('$.data.list')], folds[at('$.data.list[0]')]]).toEqual([0, 0, 0, 1]);
});

test('a longer reading of the same text keeps what was folded and open', () => {
  const short = indexJson('{"a":[1],"b":[2', 'json');
  const folds = firstFolds(short);
  folds[1] = 1;
  const long = indexJson('{"a":[1],"b":[2,3],"c":[4]}', 'json');
  const carried = carriedFolds(folds, long);
  expect([...carried].slice(0, 5)).toEqual([0, 1, 0, 0, 0]);
  expect([...carried].slice(5)).toEqual([1, 1, 1]);
});

test('a row shows its value, and a folded one a glimpse of what is in it', () => {
  const { table, at } = where(CART);
  const line = (path: string, folded: boolean): string =>
    valueParts(CART, table, at(path), folded)
      .map(({ text }) => text)
      .join('');
  expect(line('$.id', false)).toBe('"crt"');
  expect(line('$.items', true)).toBe('[ {…}, [], null ]');
  expect(line('$.items', false)).toBe('[');
  expect(line('$.items[0]', true)).toBe('{ sku: "1042", unit price: 34.90 }');
  expect(line('$.items[1]', true)).toBe('[]');
  expect(keyText(CART, table, at("$.items[0]['unit price']"))).toBe('unit price');
});

test('values are copied as they are meant: a string’s content, a number’s digits, a container laid out', () => {
  const text = String.raw`{"s":"a\n\"b\"","n":12345678901234567890.10,"o":{"x":[1,2]}}`;
  const { table, at } = where(text);
  expect(copiedValue(text, table, at('$.s'))).toBe('a\n"b"');
  expect(copiedValue(text, table, at('$.n'))).toBe('12345678901234567890.10');
  expect(copiedValue(text, table, at('$.o'))).toBe('{\n  "x": [1, 2]\n}');
});

test('a search finds names and values in either case, each value once', () => {
  const text = '{"Name":"name of a name","list":["NAMELESS",{"other":1}]}';
  const { table, at } = where(text);
  expect(searchJson(text, table, 'name')).toEqual([at('$.Name'), at('$.list[0]')]);
  expect(searchJson(text, table, 'no.such')).toEqual([]);
  expect(searchJson(text, table, '')).toEqual([]);
});
