import { expect, test } from 'vitest';
import { diffFields } from './diff-fields.ts';

test('fields stand side by side by their names, doubles in their order', () => {
  expect(
    diffFields(
      [
        ['Host', 'a'],
        ['X-Id', '1'],
        ['x-id', '2'],
        ['Accept', '*/*'],
      ],
      [
        ['X-ID', '1'],
        ['host', 'b'],
        ['Cookie', 'c=1'],
        ['X-ID', '3'],
      ],
    ),
  ).toEqual([
    { name: 'Host', left: 'a', right: 'b' },
    { name: 'X-Id', left: '1', right: '1' },
    { name: 'x-id', left: '2', right: '3' },
    { name: 'Accept', left: '*/*', right: null },
    { name: 'Cookie', left: null, right: 'c=1' },
  ]);
});
