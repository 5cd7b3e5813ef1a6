import { expect, test } from 'vitest';
import { BENCH_FAMILIES, BENCH_MODES } from '#contract';
import { products } from './products/index.ts';
import { PROFILES } from './profiles.ts';

const known = products('0').map(({ id }) => id);

test('profiles have names of their own, a family, and products that exist, Weir first', () => {
  expect(new Set(PROFILES.map(({ profile }) => profile.id)).size).toBe(PROFILES.length);
  for (const { profile } of PROFILES) {
    expect(BENCH_FAMILIES).toContain(profile.family);
    expect(profile.products.slice(0, 2)).toEqual(['weir', 'weir-capture']);
    for (const product of profile.products) expect(known).toContain(product);
  }
});

test('the quick set is small enough for a minute, and its products exist', () => {
  const quick = PROFILES.filter(({ profile }) => profile.quick);
  const { trials, products: chosen } = BENCH_MODES.quick;
  for (const id of chosen ?? []) expect(known).toContain(id);
  const steps = quick.map(
    ({ profile }) => 1 + trials * profile.products.filter((id) => chosen?.includes(id) ?? true).length,
  );
  expect(quick.length).toBeGreaterThan(0);
  expect(steps.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(18);
});
