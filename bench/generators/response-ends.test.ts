import { expect, test } from 'vitest';
import { ResponseEnds } from './response-ends.ts';

const SIZED = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';

test.each([
  ['with a length', SIZED],
  ['in chunks', CHUNKED],
])('the end of a response %s is found wherever it is split', (_how, response) => {
  const bytes = Buffer.from(response);
  for (let at = 1; at < bytes.length; at += 1) {
    const ends = new ResponseEnds();
    expect(ends.read(bytes.subarray(0, at))).toBe(false);
    expect(ends.read(bytes.subarray(at))).toBe(true);
    expect(ends.read(bytes)).toBe(true);
    expect(ends.failed).toBe(false);
  }
  const ends = new ResponseEnds();
  const seen = [...bytes].map((byte) => ends.read(Buffer.from([byte])));
  expect(seen.lastIndexOf(false)).toBe(bytes.length - 2);
  expect(seen.at(-1)).toBe(true);
});

test('another status than 200 has failed, and the next response is looked at afresh', () => {
  const ends = new ResponseEnds();
  expect(ends.read(Buffer.from('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'))).toBe(true);
  expect(ends.failed).toBe(true);
  expect(ends.read(Buffer.from(SIZED))).toBe(true);
  expect(ends.failed).toBe(false);
});
