import { expect, test } from 'vitest';
import { decodeText, fieldText } from './decode-text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a window that cuts characters at both edges shows the whole ones', () => {
  const text = bytes('ab🌊水de');
  for (let start = 3; start < 6; start++) {
    expect(decodeText(text.subarray(start), null, false).text, String(start)).toBe('水de');
  }
  for (let end = 7; end < 9; end++) expect(decodeText(text.subarray(0, end), null).text, String(end)).toBe('ab🌊');
});

test('bytes that are not UTF-8 and declare nothing are read as windows-1252', () => {
  expect(decodeText(Uint8Array.of(0x80, 0x20, 0xe9), null)).toEqual({ text: '€ é', charset: 'windows-1252' });
});

test('a declared charset is used, an unknown one is not', () => {
  expect(decodeText(Uint8Array.of(0xe9), 'iso-8859-2').text).toBe('é');
  expect(decodeText(bytes('é'), 'x-unheard-of').text).toBe('é');
});

test('a byte order mark beats the declaration, and the mark of UTF-8 stays visible', () => {
  expect(decodeText(Uint8Array.of(0xff, 0xfe, 0x41, 0), 'utf-8').text).toBe('A');
  expect(decodeText(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41), null).text).toBe('\ufeffA');
});

test('a field value that is UTF-8 on the wire reads as such, any other as latin1', () => {
  expect(fieldText('\u00e2\u0080\u00aegnp')).toBe('\u202egnp');
  expect(fieldText('caf\u00e9')).toBe('café');
});
