import { expect, test } from 'vitest';
import { parseJsonPath, type JsonPath } from './json-path.ts';
import { redactJson } from './redact-json.ts';

function paths(...texts: string[]): JsonPath[] {
  return texts.map((text) => parseJsonPath(text) ?? expect.fail(`${text} is no path`));
}

function blanked(text: string, ...texts: string[]): string | null {
  const result = redactJson(Buffer.from(text, 'utf8').toString('latin1'), paths(...texts));
  return result === null ? null : Buffer.from(result.text, 'latin1').toString('utf8');
}

test.each([
  ['$.user.name', '{"user":{"name":"Ann","age":7},"name":1}', '{"user":{"name":"redacted","age":7},"name":1}'],
  ['$..token', '[{"token":1},{"a":{"token":{"deep":true}}}]', '[{"token":"redacted"},{"a":{"token":"redacted"}}]'],
  ['token', '{"a":{"token":[1,2]}}', '{"a":{"token":"redacted"}}'],
  ['$.list[1]', '{"list":[1,2,3]}', '{"list":[1,"redacted",3]}'],
  ['$.list[*].id', '{"list":[{"id":1},{"id":2}]}', '{"list":[{"id":"redacted"},{"id":"redacted"}]}'],
  ["$['a b'].c", '{"a b":{"c":null}}', '{"a b":{"c":"redacted"}}'],
  ['$.größe', '{"größe":1}', '{"größe":"redacted"}'],
  ['$.a', String.raw`{"\u0061":1}`, String.raw`{"\u0061":"redacted"}`],
  ['$', '{"a":1}', '"redacted"'],
  ['$.*', '{"a":1,"b":[2]}', '{"a":"redacted","b":"redacted"}'],
])('%s in %s', (path, text, expected) => {
  expect(blanked(text, path)).toBe(expected);
});

test('everything that is not blanked keeps its digits, its spaces, its order and its repeated keys', () => {
  const text = '{ "n" : 12345678901234567890.10,\n "a":1, "a":2 ,"s":"q\\"}" }\n{"a":3}';
  const expected = '{ "n" : 12345678901234567890.10,\n "a":"redacted", "a":"redacted" ,"s":"q\\"}" }\n{"a":"redacted"}';
  expect(blanked(text, '$.a')).toBe(expected);
});

test('a guard against scripts in front of the JSON is stepped over', () => {
  expect(blanked(`)]}',\n{"a":1}`, '$.a')).toBe(`)]}',\n{"a":"redacted"}`);
});

test.each(['', '{"a":', '{"a":1', '{"a" 1}', '[1 2', 'hello', '{a:1}', '[1,]', '['.repeat(5_000)])(
  'what is no JSON is not passed off as blanked: %s',
  (text) => {
    expect(blanked(text, '$.a')).toBeNull();
  },
);

test.each(['', '$name', 'a..', 'a[', '$.a[?(@.b)]', '$.a[1:2]', 'a b', "$['a"])('%j is no path', (text) => {
  expect(parseJsonPath(text)).toBeNull();
});
