import { expect, test } from 'vitest';
import { conversationOfDraft, draftFor, emptyDraft, faultOf, isSocketDraft, type Draft } from './compose-draft.ts';

const draft = (change: Partial<Draft>): Draft => ({ ...emptyDraft(), ...change });

test.each([
  ['ws://host/', true],
  ['WSS://host/', true],
  ['https://host/', false],
  ['', false],
])('the URL %j describes a WebSocket: %s', (url, expected) => {
  expect(isSocketDraft(draft({ url }))).toBe(expected);
});

test.each([
  ['', 'no-url'],
  ['wss://', 'no-url'],
  ['https:', 'no-url'],
  ['wss:// x', 'url'],
  ['ftp://host/', 'url'],
  ['ws://host', null],
  ['http://host', null],
])('the fault of the URL %j is %s', (url, fault) => {
  expect(faultOf(draft({ url }))).toBe(fault);
});

test('choosing the other protocol changes the scheme and keeps whether it is encrypted', () => {
  const urls = ['http://a/', 'https://a/', ''].map((url) => draftFor(draft({ url }), 'websocket', null).url);
  expect(urls).toEqual(['ws://a/', 'wss://a/', 'wss://']);
  expect(draftFor(draft({ url: 'ws://a/' }), 'http', null).url).toBe('http://a/');
  const same = draft({ url: 'wss://a/' });
  expect(draftFor(same, 'websocket', null)).toBe(same);
});

test('a request that was made of a recorded WebSocket repeats it no longer, and the WebSocket that it becomes again does', () => {
  const recorded = draft({ url: 'wss://a/', of: 7, version: 'captured' });
  const changed = draftFor(recorded, 'http', recorded);
  expect(changed).toMatchObject({ of: null, version: 'auto', url: 'https://a/' });
  expect(draftFor({ ...changed, url: 'https://b/' }, 'websocket', recorded)).toMatchObject({
    ...{ of: 7, version: 'captured', url: 'wss://b/' },
  });
});

test('of a recorded WebSocket only what was changed is said', () => {
  const original = draft({ url: 'ws://a/', of: 7, fields: [{ key: 0, name: 'X', value: '1', on: true }] });
  expect(conversationOfDraft(original, original)).toEqual({ of: 7 });
  expect(conversationOfDraft({ ...original, url: 'ws://b/' }, original)).toEqual({ of: 7, url: 'ws://b/' });
  expect(conversationOfDraft({ ...original, fields: [] }, original)).toEqual({ of: 7, headers: [] });
  expect(conversationOfDraft({ ...original, of: null }, original)).toEqual({
    of: null,
    url: 'ws://a/',
    headers: [['X', '1']],
  });
});
