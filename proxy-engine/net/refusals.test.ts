import { expect, test } from 'vitest';
import { TEST_SETTINGS } from '../../test/support/engine-kit.ts';
import { Refusals } from './refusals.ts';

const MINUTE = 60_000;

function refusals(autoPassthrough: boolean): {
  readonly refusals: Refusals;
  pass: (ms: number) => void;
  off: () => void;
} {
  let now = 0;
  let settings = { ...TEST_SETTINGS, autoPassthrough };
  return {
    refusals: new Refusals(
      () => settings,
      () => now,
    ),
    pass: (ms) => (now += ms),
    off: () => (settings = { ...settings, autoPassthrough: false }),
  };
}

test('a host passes after two refusals, for an hour, and no other host does', () => {
  const { refusals: known, pass } = refusals(true);
  known.note('pinned.test');
  expect(known.passes('pinned.test')).toBe(false);
  known.note('pinned.test');
  expect(known.passes('pinned.test')).toBe(true);
  expect(known.passes('other.test')).toBe(false);
  pass(59 * MINUTE);
  expect(known.passes('pinned.test')).toBe(true);
  pass(MINUTE);
  expect(known.passes('pinned.test')).toBe(false);
  known.note('pinned.test');
  expect(known.passes('pinned.test')).toBe(false);
});

test('refusals that lie far apart do not count together', () => {
  const { refusals: known, pass } = refusals(true);
  known.note('pinned.test');
  pass(10 * MINUTE);
  known.note('pinned.test');
  expect(known.passes('pinned.test')).toBe(false);
});

test('nothing passes while the setting is off, and switching it off forgets', () => {
  const { refusals: never } = refusals(false);
  never.note('pinned.test');
  never.note('pinned.test');
  expect(never.passes('pinned.test')).toBe(false);
  const { refusals: known, off } = refusals(true);
  known.note('pinned.test');
  known.note('pinned.test');
  off();
  expect(known.passes('pinned.test')).toBe(false);
});
