import { expect, test } from 'vitest';
import { messageDraftOf, payloadOf } from './message-draft.ts';

const MOST = 1_000;

test.each([
  ['', []],
  ['00 ff', [0, 255]],
  ['0x01, 0x02,\n0xAB', [1, 2, 171]],
  ['cafe', [202, 254]],
])('hex %j is bytes', (text, bytes) => {
  expect(payloadOf({ form: 'hex', text }, MOST)).toEqual(Uint8Array.from(bytes));
});

test.each(['0', 'zz', '00 f', '0x0g'])('%j is no hex', (text) => {
  expect(payloadOf({ form: 'hex', text }, MOST)).toBe('hex');
});

test('a text is its UTF-8, up to the longest that can be composed', () => {
  expect(payloadOf({ form: 'text', text: 'ü' }, MOST)).toEqual(Uint8Array.of(0xc3, 0xbc));
  expect(payloadOf({ form: 'text', text: 'ü'.repeat(501) }, MOST)).toBe('long');
});

test('a ping carries 125 bytes at most', () => {
  expect(payloadOf({ form: 'ping', text: 'x'.repeat(125) }, MOST)).toHaveLength(125);
  expect(payloadOf({ form: 'ping', text: 'x'.repeat(126) }, MOST)).toBe('ping-long');
});

test('a recorded message becomes a draft that stands for the same bytes', () => {
  const payloads = ['{"a":1}', 'two\nlines', 'carriage\r\nreturn', ''].map((text) => new TextEncoder().encode(text));
  payloads.push(Uint8Array.from({ length: 40 }, (_, at) => 7 * at));
  for (const payload of payloads) {
    for (const kind of ['text', 'binary', 'ping'] as const) {
      expect(payloadOf(messageDraftOf(payload, kind), MOST)).toEqual(payload);
    }
  }
  expect(messageDraftOf(new TextEncoder().encode('plain'), 'text')).toEqual({ form: 'text', text: 'plain' });
  expect(messageDraftOf(new TextEncoder().encode('a\r\n'), 'text').form).toBe('hex');
});
