import { expect, test } from 'vitest';
import { findTokens } from './jwt.ts';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (payload: object): string => `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}.c2ln`;
const NOW = 1_764_000_000;

test('a token is found in a field, decoded, and judged by the time of the exchange', () => {
  const text = `Bearer ${token({ sub: 'Zoë', exp: NOW + 7_300 })}`;
  expect(findTokens([{ where: 'Authorization', text }], NOW * 1_000_000)).toEqual([
    {
      where: 'Authorization',
      header: { alg: 'HS256', typ: 'JWT' },
      payload: { sub: 'Zoë', exp: NOW + 7_300 },
      validity: { text: 'valid for 2 hours more', tone: 'ok' },
    },
  ]);
});

test.each([
  [{ exp: NOW - 300_000 }, 'had expired 3 days before'],
  [{ exp: NOW }, 'had expired 1 s before'],
  [{ nbf: NOW + 150 }, 'not valid before 2 minutes later'],
  [{ exp: 'tomorrow' }, undefined],
])('%j', (payload, expected) => {
  expect(findTokens([{ where: 'x', text: token(payload) }], NOW * 1_000_000)[0]?.validity?.text).toBe(expected);
});

test('what only looks like a token is none, and the same one is shown once', () => {
  const one = token({ a: 1 });
  const texts = ['eyJhbGciOi.eyJub3Qg.x', 'eyJ', one, one].map((text) => ({ where: 'x', text }));
  expect(findTokens(texts, 0)).toHaveLength(1);
});
