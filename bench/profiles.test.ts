import { expect, test } from 'vitest';
import { BENCH_FAMILIES, BENCH_LADDER_PROFILES, BENCH_LADDERS, BENCH_MODES } from '#contract';
import { products, trialsOf } from './products/index.ts';
import { PROFILES } from './profiles.ts';

const all = products('0');
const known = all.map(({ id }) => id);

/** Trials of the products of a profile that are chosen, and one of the origin. */
function stepsOf(ids: readonly string[], trials: number): number {
  return all.reduce((sum, product) => sum + (ids.includes(product.id) ? trialsOf(product, trials) : 0), 1);
}

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
  const steps = quick.map(({ profile }) =>
    stepsOf(
      profile.products.filter((id) => chosen?.includes(id) ?? true),
      trials,
    ),
  );
  expect(quick.length).toBeGreaterThan(0);
  expect(steps.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(18);
});

test('the full set and its ramps stay under an hour where every product is here', () => {
  const { trials, seconds } = BENCH_MODES.full;
  const full = PROFILES.filter(({ profile }) => profile.full);
  const steps = full.reduce((sum, { profile }) => sum + stepsOf(profile.products, trials), 0);
  const ramped = PROFILES.filter(({ profile }) => BENCH_LADDER_PROFILES.includes(profile.id));
  const rungs = ramped.reduce((sum, { profile }) => sum + 1 + profile.products.length, 0) * BENCH_LADDERS.ramp.length;
  // Warm-up, and what starting and ending a product takes.
  const time = steps * (2 + seconds + 1) + rungs * (1 + BENCH_MODES.ramp.seconds + 1);
  expect(time).toBeLessThanOrEqual(3_600);
  expect(ramped.map(({ profile }) => profile.id)).toEqual(BENCH_LADDER_PROFILES);
  expect(full.map(({ profile }) => profile.id)).toEqual(expect.arrayContaining([...BENCH_LADDER_PROFILES]));
});

test('the matrix has every pair of protocols, and says what nginx cannot do', () => {
  const matrix = PROFILES.filter(({ profile }) => profile.family === 'matrix');
  const pairs = matrix.map(
    ({ role, load }) => `${load.protocol} ${String(load.tls)} ${'origin' in role ? role.origin : ''}`,
  );
  expect(new Set(pairs).size).toBe(16);
  const nginx = products('0').find(({ id }) => id === 'nginx');
  const impossible = matrix.filter(({ role }) => nginx?.missing(role)?.startsWith('Not possible') === true);
  if (nginx?.version() !== null) expect(impossible).toHaveLength(8);
});

test('without wrk and h2load the origin has no second generator, and it is said what would bring it', () => {
  const usual = process.env['PATH'];
  process.env['PATH'] = '';
  try {
    const native = all.find(({ id }) => id === 'origin-native');
    const missing = (id: string): string | null =>
      native?.missing(PROFILES.find(({ profile }) => profile.id === id)?.role) ?? null;
    expect(missing('http1-small')).toBe('wrk is not installed (Debian: apt install wrk)');
    expect(missing('h1-to-h2c')).toBe('h2load is not installed (Debian: apt install nghttp2-client)');
  } finally {
    process.env['PATH'] = usual;
  }
});
