import { expect, test } from 'vitest';
import { MessagePackError, messagePackText } from './message-pack.ts';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

test.each([
  ['c0', 'null'],
  ['c3', 'true'],
  ['7f', '127'],
  ['ff', '-1'],
  ['cd 01 00', '256'],
  ['cf ff ff ff ff ff ff ff ff', '18446744073709551615'],
  ['d3 80 00 00 00 00 00 00 00', '-9223372036854775808'],
  ['ca 3f 80 00 00', '1.0'],
  ['cb 40 09 21 fb 54 44 2d 18', '3.141592653589793'],
  ['a3 66 6f 6f', '"foo"'],
  ['d9 02 22 0a', '"\\"\\n"'],
  ['c4 02 de ad', 'bin(2) de ad'],
  ['d6 ff 69 24 4e 80', 'timestamp(2025-11-24T12:24:32.000Z)'],
  ['d4 05 01', 'ext(5, 1) 01'],
  ['90', '[]'],
  ['80', '{}'],
  ['01 02', '1\n2'],
])('%s is %s', (bytes, text) => {
  expect(messagePackText(hex(bytes))).toBe(text);
});

test('maps and lists are indented', () => {
  expect(messagePackText(hex('82 a1 61 01 a1 62 92 02 c0'))).toBe('{\n  "a": 1,\n  "b": [\n    2,\n    null\n  ]\n}');
});

test.each(['c1', 'a3 66', 'dd ff ff ff ff', '91'.repeat(200)])('%s is refused with the place', (bytes) => {
  expect(() => messagePackText(hex(bytes))).toThrow(MessagePackError);
});
