import { expect, test } from 'vitest';
import { parseFilter } from '#contract';
import { fakeExchange } from '../../../test/support/fake-exchanges.ts';
import { rowTerm, withTerm } from './filter-terms.ts';

const row = fakeExchange(7, 1);

test.each([
  ['filter-host', 'host:api.weir.test'],
  ['filter-not-host', '-host:api.weir.test'],
  ['filter-path', 'path:/v2/cart'],
  ['filter-status', 'status:200'],
] as const)('%s of a row is %s', (filter, term) => {
  expect(rowTerm(filter, row)).toBe(term);
});

test('a failed row is filtered by its error', () => {
  expect(rowTerm('filter-status', fakeExchange(12, 1))).toBe('error:tls.client-untrusted');
  expect(rowTerm('filter-path', fakeExchange(12, 1))).toBeNull();
});

test('every term can be read by the language', () => {
  const hostile = { ...row, path: '/a "b" (c)\\d', host: '::1', port: 8_080 };
  for (const filter of ['filter-host', 'filter-not-host', 'filter-path'] as const) {
    expect(parseFilter(rowTerm(filter, hostile) ?? '')).toMatchObject({ ok: true });
  }
});

test('a term is added once, and an old alternative is held together', () => {
  expect(withTerm('', 'host:a')).toBe('host:a');
  expect(withTerm('status:200', 'host:a')).toBe('status:200 host:a');
  expect(withTerm('status:200 host:a', 'host:a')).toBe('status:200 host:a');
  expect(withTerm('host:a or host:b', 'status:200')).toBe('(host:a or host:b) status:200');
});
