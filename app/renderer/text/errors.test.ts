import { expect, test } from 'vitest';
import { ERROR_CODES } from '#contract';
import { ERROR_ACTION_TEXT, ERROR_TEXT } from './errors.ts';

test('every error code of the engine is explained, and no other is', () => {
  expect(Object.keys(ERROR_TEXT).sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

test.each(Object.entries(ERROR_TEXT))('%s has a title, a cause, a next step and one action', (_code, text) => {
  expect(text.title).toMatch(/^[A-Z].*[^.!]$/);
  expect(text.cause).toMatch(/^[A-Z].*\.$/);
  expect(text.next).toMatch(/^[A-Z].*\.$/);
  expect(ERROR_ACTION_TEXT[text.action]).toMatch(/^[A-Z]/);
  expect(text.setting !== undefined).toBe(text.action === 'open-settings');
  expect(text.word.length).toBeGreaterThan(0);
  expect(text.word.length).toBeLessThanOrEqual(5);
  expect(text.brief).not.toMatch(/\.$/);
});

test('no text shouts', () => {
  expect(JSON.stringify(ERROR_TEXT)).not.toContain('!');
});
