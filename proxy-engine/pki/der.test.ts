import { describe, expect, test } from 'vitest';
import * as der from './der.ts';

const hex = (element: der.Der): string => der.encode(element).toString('hex');

describe('what certificates are made of is encoded as X.690 says', () => {
  test.each([
    [0, '020100'],
    [2, '020102'],
    [127, '02017f'],
    [128, '02020080'],
    [256, '02020100'],
    [100_000, '02030186a0'],
  ])('the integer %i', (value, expected) => {
    expect(hex(der.integer(value))).toBe(expected);
  });

  test('octets with the high bit set get a zero in front, so that the number stays positive', () => {
    expect(hex(der.integer(Buffer.from([0x80, 1])))).toBe('0203008001');
  });

  test.each([
    ['2.5.29.17', '0603551d11'],
    ['1.2.840.113549.1.1.11', '06092a864886f70d01010b'],
    ['2.16.840.1.113894.746875.1.1', '060c6086480186f966adca7b0101'],
  ])('the object identifier %s', (dotted, expected) => {
    expect(hex(der.objectIdentifier(dotted))).toBe(expected);
  });

  test('lengths of one, two and three octets', () => {
    expect(hex(der.octetString(Buffer.alloc(127)))).toMatch(/^047f0/);
    expect(hex(der.octetString(Buffer.alloc(128)))).toMatch(/^0481800/);
    expect(hex(der.octetString(Buffer.alloc(65_536)))).toMatch(/^04830100000/);
  });

  test('times are UTCTime until 2049 and GeneralizedTime after', () => {
    expect(der.encode(der.time(Date.UTC(2049, 11, 31, 23, 59, 59, 999))).toString('latin1')).toBe(
      '\x17\r491231235959Z',
    );
    expect(der.encode(der.time(Date.UTC(2050, 0, 1))).toString('latin1')).toBe('\x18\x0f20500101000000Z');
  });

  test('a BMPString is big-endian', () => {
    expect(hex(der.bmpString('é'))).toBe('1e0200e9');
  });
});

describe('elements are read', () => {
  test('children stand in order with their places', () => {
    const bytes = der.encode(der.sequence(der.integer(1), der.octetString(Buffer.alloc(200))));
    const [one, two, ...more] = der.readChildren(bytes, der.readElement(bytes, 0));
    expect(one?.tag).toBe(0x02);
    expect(two).toEqual({ tag: 0x04, start: 6, contentStart: 9, end: bytes.length });
    expect(more).toEqual([]);
  });

  test.each([
    ['a length beyond the end', '0405aa'],
    ['an indefinite length', '30800000'],
    ['a length of five octets', '0485000000000100'],
    ['nothing', ''],
  ])('%s throws', (_what, text) => {
    expect(() => der.readElement(Buffer.from(text, 'hex'), 0)).toThrow(RangeError);
  });
});
