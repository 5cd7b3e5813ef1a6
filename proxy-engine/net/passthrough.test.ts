import { expect, test } from 'vitest';
import { passesThrough } from './passthrough.ts';

test.each([
  ['example.com', 'example.com', 443, true],
  ['Example.COM', 'example.com', 443, true],
  ['example.com', 'www.example.com', 443, false],
  ['*.example.com', 'www.example.com', 443, true],
  ['*.example.com', 'a.b.example.com', 443, true],
  ['*.example.com', 'example.com', 443, false],
  ['*.example.com', 'notexample.com', 443, false],
  ['example.com:8443', 'example.com', 8443, true],
  ['example.com:8443', 'example.com', 443, false],
  ['*.example.com:8443', 'a.example.com', 8443, true],
  ['10.0.0.1', '10.0.0.1', 443, true],
  ['[::1]:443', '::1', 443, true],
  ['::1', '::1', 443, true],
])('pattern %s and %s:%i: %s', (pattern, host, port, passes) => {
  expect(passesThrough([pattern], [host], port)).toBe(passes);
});

test('either name that a host goes by is enough', () => {
  expect(passesThrough(['shop.test'], ['shop.test', '10.0.0.1'], 443)).toBe(true);
  expect(passesThrough(['10.0.0.1'], ['shop.test', '10.0.0.1'], 443)).toBe(true);
});
