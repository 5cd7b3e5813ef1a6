import { expect, test } from 'vitest';
import { parseHead } from './head-fields.ts';

test('a head of HTTP/1 has a start line and fields in their case', () => {
  expect(parseHead(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\nX-Folded: b\r\n c\r\n\r\n'))).toEqual({
    startLine: 'GET / HTTP/1.1',
    headers: [
      ['Host', 'a'],
      ['X-Folded', 'b c'],
    ],
  });
});

test('a head of HTTP/2 has no start line: its pseudo-fields are fields', () => {
  expect(parseHead(Buffer.from(':status: 200\r\ncontent-type: text/plain\r\n\r\n'))).toEqual({
    startLine: '',
    headers: [
      [':status', '200'],
      ['content-type', 'text/plain'],
    ],
  });
});
