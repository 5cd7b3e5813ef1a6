import { expect, test } from 'vitest';
import { filterParts } from './filter-parts.ts';

const kinds = (text: string) => filterParts(text, null).map((part) => `${part.kind}:${part.text}`);

test.each(['', 'host:api status:>=400', '-(a or b) "quoted text" not x:y', 'host:"a b', '  a  ', 'http://x/y:z)('])(
  'the parts of %j joined are the text',
  (text) => {
    expect(
      filterParts(text, { position: 1, end: 3 })
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  },
);

test('keys and operators have colours, and a URL is no key', () => {
  expect(kinds('host:api or -x')).toEqual([
    'key:host:',
    'plain:api',
    'plain: ',
    'operator:or',
    'plain: ',
    'operator:-',
    'plain:x',
  ]);
  expect(kinds('http://x')).not.toContain('key:http:');
});

test('the place of a problem is underlined, across parts', () => {
  expect(filterParts('status:abc', { position: 7, end: 10 })).toEqual([
    { text: 'status:', kind: 'key' },
    { text: 'abc', kind: 'bad' },
  ]);
});
