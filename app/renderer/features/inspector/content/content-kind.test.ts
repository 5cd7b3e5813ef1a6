import { expect, test } from 'vitest';
import { contentOf } from './content-kind.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const latin1 = (value: string): Uint8Array => Uint8Array.from(value, (character) => character.charCodeAt(0));

test('a picture is one whatever its declared type says', () => {
  expect(contentOf(latin1('\u0089PNG\r\n\u001a\n....'), 'text/plain')).toEqual({ kind: 'image', type: 'image/png' });
  expect(contentOf(latin1('RIFF....WEBPVP8L'), null)).toEqual({ kind: 'image', type: 'image/webp' });
});

test('text that is declared as a picture is text', () => {
  expect(contentOf(text('<html><h1>404</h1>'), 'image/png').kind).toBe('html');
  expect(contentOf(text('not found'), 'image/png').kind).toBe('text');
});

test('JSON under text/plain is JSON, and prose in brackets is not', () => {
  expect(contentOf(text('{"a":1}'), 'text/plain').kind).toBe('json');
  expect(contentOf(text('[1,2]'), 'application/octet-stream').kind).toBe('json');
  expect(contentOf(text('[see below]'), 'text/plain').kind).toBe('text');
  expect(contentOf(text('{not: json}'), 'text/plain').kind).toBe('text');
});

test('structured suffixes count', () => {
  expect(contentOf(text('{}'), 'application/problem+json').kind).toBe('json');
  expect(contentOf(text('<feed/>'), 'application/atom+xml').kind).toBe('xml');
});

test('a drawing is a picture', () => {
  expect(contentOf(text('<?xml version="1.0"?>\n<svg xmlns="…">'), 'text/plain').type).toBe('image/svg+xml');
});

test('bytes with zeros are binary, UTF-16 with its mark is text', () => {
  expect(contentOf(Uint8Array.of(1, 0, 2, 0), 'application/json').kind).toBe('binary');
  expect(contentOf(Uint8Array.of(0xff, 0xfe, 65, 0), 'text/plain').kind).toBe('text');
});

test('text that begins with BM is no bitmap unless it says so', () => {
  expect(contentOf(text('BMW and others'), 'text/plain').kind).toBe('text');
});

test('a single control character in valid UTF-8 leaves it text', () => {
  expect(
    contentOf(text('{"author":"bell\u0007","text":"Rings and rings and rings again."}'), 'application/json').kind,
  ).toBe('json');
});

test('nothing is empty', () => {
  expect(contentOf(new Uint8Array(), 'text/html').kind).toBe('empty');
});

test.each([
  ['0000001866747970 69736f6d', null, 'video', 'video/mp4'],
  ['0000001866747970 4d344120', 'video/mp4', 'audio', 'audio/mp4'],
  ['52494646 00000000 57415645', null, 'audio', 'audio/wav'],
  ['fffb9064 00000000', 'audio/mpeg', 'audio', 'audio/mpeg'],
  ['0000001866747970 68656963', null, 'image', 'image/heic'],
])('a recording is known by its signature, else by its type (%s)', (hex, declared, kind, type) => {
  const bytes = Uint8Array.from(hex.replaceAll(' ', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  expect(contentOf(bytes, declared)).toEqual({ kind, type });
});

test('what stands between envelopes of Connect is neither JSON nor protobuf', () => {
  const envelope = latin1(`\u0000\u0000\u0000\u0000\u0080{"text":"${'x'.repeat(128)}"}`);
  expect(contentOf(envelope, 'application/connect+json').kind).toBe('binary');
  expect(contentOf(envelope, 'application/connect+proto').kind).toBe('binary');
});
