import { expect, test } from 'vitest';
import { codePointName, visibleLine, visibleParts } from './visible-text.ts';

const names = (text: string): string[] =>
  visibleParts(text).map((part) => (part.named ? codePointName(part.text) : part.text));

test('ordinary text in any script is one part', () => {
  expect(names('Łódź 水車 🌊 e\u0301')).toEqual(['Łódź 水車 🌊 e\u0301']);
});

test('a directional override is named, and the text around it stays', () => {
  expect(names('photo_\u202Egnp.exe')).toEqual(['photo_', 'U+202E', 'gnp.exe']);
});

test('controls, zero-width characters and the byte order mark are named one by one', () => {
  expect(names('\u0000a\u200b\u200db\ufeff\u001b\u0085')).toEqual([
    'U+0000',
    'a',
    'U+200B',
    'U+200D',
    'b',
    'U+FEFF',
    'U+001B',
    'U+0085',
  ]);
});

test('characters of the tag plane, which can hide a whole sentence, are named', () => {
  expect(names('hi\u{e0041}')).toEqual(['hi', 'U+E0041']);
});

test('a line feed in a field value, which is one line, is named', () => {
  expect(names('a\r\nb')).toEqual(['a', 'U+000D', 'U+000A', 'b']);
});

test('where nothing but text can stand, the names stand in the line', () => {
  expect(visibleLine('/a\u202e/b')).toBe('/a‹U+202E›/b');
  expect(visibleLine('/plain?x=1')).toBe('/plain?x=1');
});
