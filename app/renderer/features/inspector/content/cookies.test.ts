import { expect, test } from 'vitest';
import { requestCookies, responseCookies } from './cookies.ts';

test('cookies of a request come in order, also from several fields', () => {
  const cookies = requestCookies([
    ['Cookie', 'a=1; b="two; c'],
    ['cookie', 'd=x=y'],
  ]);
  expect(cookies.map(({ name, value }) => [name, value])).toEqual([
    ['a', '1'],
    ['b', '"two'],
    ['c', ''],
    ['d', 'x=y'],
  ]);
});

test.each([
  ['id=1; Secure; HttpOnly; SameSite=Lax', true, []],
  ['id=1; Secure', false, ['Secure over plain HTTP: browsers ignore it.']],
  ['id=1; SameSite=None', false, ['SameSite=None without Secure: browsers ignore it.']],
  [
    '__Host-id=1; Secure; Path=/; Domain=a.test',
    true,
    ['A __Host- name wants Secure, Path=/ and no Domain: browsers ignore it.'],
  ],
  ['id=1; Secure; Domain=evil.test', true, ['Domain is not shop.a.test or above it: browsers ignore it.']],
  ['id=1; Secure; Domain=.a.test', true, []],
  ['id=1; Secure; Expires=soon', true, ['Expires cannot be read, so it ends with the browser’s session.']],
  ['id=1', true, ['Without Secure it also travels over plain HTTP.']],
  ['session=1; Secure', true, ['Without HttpOnly scripts of the page can read it.']],
  ['', true, ['It is empty, and browsers ignore it.', 'Without Secure it also travels over plain HTTP.']],
] as const)('%s over TLS %s', (field, secure, warnings) => {
  expect(responseCookies([['Set-Cookie', field]], secure, 'shop.a.test')[0]?.warnings).toEqual(warnings);
});
