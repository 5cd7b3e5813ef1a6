import { encode } from './der.ts';
import { describe, expect, test } from 'vitest';
import { canonicalName, leafName, UNUSABLE_NAME } from './leaf-name.ts';

describe('names are brought into the form in which certificates have them', () => {
  test.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com', 'example.com'],
    ['example.com.', 'example.com'],
    ['*.example.com', '*.example.com'],
    ['under_score.example', 'under_score.example'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['2001:DB8::7', '2001:db8::7'],
    ['2001:0db8:0000:0000:0000:0000:0000:0007', '2001:db8::7'],
    ['[fe80::1%eth0]', 'fe80::1'],
    ['100%.example', '100%.example'],
  ])('%s becomes %s', (wanted, expected) => {
    expect(canonicalName(wanted)).toBe(expected);
  });

  test.each([
    ['nothing', ''],
    ['dots alone', '...'],
    ['a space', 'a b.example'],
    ['a NUL', 'good.example\0.evil.example'],
    ['a line end', 'a\r\nb'],
    ['an IDN that does not exist', 'xn--\u{fffd}.example'],
    ['a name past all bounds', 'a'.repeat(5_000)],
  ])('%s is unusable, and nothing throws', (_what, wanted) => {
    expect(canonicalName(wanted)).toBe(UNUSABLE_NAME);
  });
});

describe('addresses are IP entries, all else are DNS entries', () => {
  test.each([
    ['192.0.2.7', '8704c0000207'],
    ['::1', '871000000000000000000000000000000001'],
    ['2001:db8::', '871020010db8000000000000000000000000'],
    ['2001:db8:1:2:3:4:5:6', '871020010db8000100020003000400050006'],
    ['[::ffff:192.0.2.9]', '871000000000000000000000ffffc0000209'],
    ['a.b', '8203612e62'],
    ['1.2.3', '8205312e322e33'],
  ])('%s', (wanted, expected) => {
    expect(encode(leafName(wanted).generalName).toString('hex')).toBe(expected);
  });
});

test('a name of more than 64 characters is no common name', () => {
  expect(leafName('a'.repeat(64)).commonName).toBe('a'.repeat(64));
  expect(leafName('a'.repeat(65)).commonName).toBeNull();
});
