import { expect, test } from 'vitest';
import { ACTION_TEXT } from '../text/actions.ts';
import { KEYS, actionForKey, chordLabel, keyHint } from './keys.ts';

function press(key: string, modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {}) {
  return { key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...modifiers };
}

test('no chord stands twice in one scope', () => {
  for (const scope of ['everywhere', 'list', 'body'] as const) {
    const chords = KEYS.filter((binding) => binding.scope === scope).flatMap((binding) => binding.chords);
    expect(chords).toEqual([...new Set(chords)]);
  }
});

test('every action of the table has a name', () => {
  for (const { action } of KEYS) expect(ACTION_TEXT[action]).toMatch(/^[A-Z]/);
});

test('letters act without modifiers alone', () => {
  expect(actionForKey(press('j'), 'list', false)).toBe('row-next');
  expect(actionForKey(press('j', { ctrlKey: true }), 'list', false)).toBeNull();
  expect(actionForKey(press('J', { shiftKey: true }), 'list', false)).toBeNull();
});

test('Mod is Ctrl, and ⌘ on a Mac', () => {
  expect(actionForKey(press('k', { ctrlKey: true }), 'everywhere', false)).toBe('palette');
  expect(actionForKey(press('k', { metaKey: true }), 'everywhere', true)).toBe('palette');
  expect(actionForKey(press('k', { ctrlKey: true }), 'everywhere', true)).toBeNull();
  expect(actionForKey(press('P', { ctrlKey: true, shiftKey: true }), 'everywhere', false)).toBe('palette');
});

test('a question mark is one on every keyboard', () => {
  expect(actionForKey(press('?', { shiftKey: true }), 'everywhere', false)).toBe('shortcuts');
  expect(actionForKey(press('?'), 'everywhere', false)).toBe('shortcuts');
});

test('arrows with Shift extend, without it move', () => {
  expect(actionForKey(press('ArrowDown'), 'list', false)).toBe('row-next');
  expect(actionForKey(press('ArrowDown', { shiftKey: true }), 'list', false)).toBe('extend-next');
});

test('chords are written as the platform does', () => {
  expect(chordLabel('Mod+Shift+P', false)).toBe('Ctrl Shift P');
  expect(chordLabel('Mod+Shift+P', true)).toBe('⌘⇧P');
  expect(keyHint('copy-curl', false)).toBe('c');
  expect(keyHint('theme-dark', false)).toBeNull();
});
