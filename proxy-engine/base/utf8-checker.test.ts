import { describe, expect, test } from 'vitest';
import { Utf8Checker } from './utf8-checker.ts';

function isUtf8(bytes: Buffer, pieces: readonly number[] = []): boolean {
  const checker = new Utf8Checker();
  let at = 0;
  for (const end of [...pieces, bytes.length]) {
    checker.check(bytes.subarray(at, end));
    at = end;
  }
  return checker.isValid && checker.isComplete;
}

describe('bytes that are no UTF-8 (RFC 3629)', () => {
  test.each([
    ['a lone continuation', '80'],
    ['an overlong slash', 'c0af'],
    ['an overlong slash in three', 'e080af'],
    ['an overlong one in four', 'f08080af'],
    ['a surrogate', 'eda080'],
    ['above U+10FFFF', 'f4908080'],
    ['five bytes', 'f888808080'],
    ['an unfinished character', 'e282'],
    ['a character that another one interrupts', 'e2c3a4'],
  ])('%s', (_name, hex) => {
    expect(isUtf8(Buffer.from(hex, 'hex'))).toBe(false);
  });
});

test('every code point is UTF-8, split at every byte too', () => {
  for (let point = 0; point <= 0x10ffff; point += point < 0x3000 ? 1 : 257) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const bytes = Buffer.from(String.fromCodePoint(point));
    if (!isUtf8(bytes) || !isUtf8(bytes, [...bytes.keys()])) expect.fail(`U+${point.toString(16)}`);
  }
});

test('two bytes are judged as the platform judges them', () => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let value = 0; value < 65_536; value += 1) {
    const bytes = Buffer.from([value >> 8, value & 0xff]);
    let expected = true;
    try {
      decoder.decode(bytes);
    } catch {
      expected = false;
    }
    if (isUtf8(bytes) !== expected) expect.fail(bytes.toString('hex'));
  }
});
