import { expect, test } from 'vitest';
import { gather, leaveDesk } from './desk.ts';

const parts = (...texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text));

test('parts stand one behind the other', () => {
  expect(gather(parts('one ', 'two ', 'three')).toString()).toBe('one two three');
  expect(gather([])).toHaveLength(0);
});

test('the same memory serves again, but for what was left to somebody', () => {
  const first = gather(parts('first'));
  const second = gather(parts('other'));
  expect(first.toString()).toBe('other');
  leaveDesk();
  expect(gather(parts('third')).buffer).not.toBe(second.buffer);
  expect(second.toString()).toBe('other');
});
