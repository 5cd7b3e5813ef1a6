import { describe, expect, test } from 'vitest';
import { SAMPLE_PROFILES, sampleResult } from '../../../../test/support/sample-bench.ts';
import { roughTime } from '../../text/bench.ts';
import { byFamily, comparisonOf, estimate, ratioGroups } from './bench-view.ts';

const ALL = SAMPLE_PROFILES.map(({ id }) => id);
const order = (profiles: readonly string[], products: readonly string[] | null = null) => ({
  run: 'run',
  profiles,
  products,
  trials: 3,
  seconds: 10,
});

describe('the ratio chart', () => {
  test('keeps the order of families, and shares one scale but for interception', () => {
    const groups = ratioGroups(sampleResult(order(ALL)).profiles, 'throughput');
    expect(groups.map(({ family }) => family)).toEqual([
      'reverse',
      'tls',
      'heavy',
      'streams',
      'relays',
      'interception',
    ]);
    const scales = groups.map(({ scale }) => scale);
    expect(new Set(scales.slice(0, -1)).size).toBe(1);
    expect(scales.at(-1)).toBeGreaterThan(6.9);
    // The longest dot ends inside.
    expect(scales[0]).toBeGreaterThan(2.41 * 1.013);
  });

  test('names the line at 1.0 once for as long as it is the same', () => {
    const groups = ratioGroups(sampleResult(order(ALL)).profiles, 'throughput');
    expect(groups.map(({ line }) => line)).toEqual(['nginx', null, null, null, null, 'mockttp']);
  });

  test('without a rival measures by the origin, and says why there is no bar of CPU', () => {
    const { profiles } = sampleResult(order(['http1-small'], ['weir']));
    expect(ratioGroups(profiles, 'throughput')[0]).toMatchObject({ line: 'origin alone' });
    const [group] = ratioGroups(profiles, 'cpu');
    expect(group?.line).toBeNull();
    expect(group?.rows[0]?.why).toBe('No rival was measured');
  });

  test('says that the origin was the limit where it was', () => {
    const [profile] = sampleResult(order(['http1-small'])).profiles;
    const origin = profile?.origin ?? null;
    if (profile === undefined || origin === null) throw new Error('There is no origin.');
    const slow = { ...profile, origin: { ...origin, operationsPerSecond: 45_000 } };
    expect(ratioGroups([slow], 'throughput')[0]?.rows[0]?.why).toContain('The origin was the limit');
    expect(ratioGroups([slow], 'cpu')[0]?.rows[0]?.ratio).not.toBeNull();
  });
});

test('families without a profile are left out', () => {
  expect(byFamily(SAMPLE_PROFILES.filter(({ family }) => family === 'relays')).map(({ family }) => family)).toEqual([
    'relays',
  ]);
});

test('a run is not compared with itself', () => {
  const result = sampleResult(order(['http1-small']));
  expect(comparisonOf(result, result)).toBeNull();
  expect(comparisonOf(result, { ...result, id: 'other' })?.changes).toHaveLength(1);
});

test('the estimate grows with profiles, products that take part, and the mode', () => {
  const quick = SAMPLE_PROFILES.filter((profile) => profile.quick);
  expect(estimate([], ['weir', 'nginx'], 'quick')).toBe(0);
  expect(estimate(quick, ['weir', 'nginx'], 'quick')).toBeGreaterThan(estimate(quick, ['weir'], 'quick'));
  expect(estimate(quick, ['weir', 'nginx', 'unknown'], 'quick')).toBe(estimate(quick, ['weir', 'nginx'], 'quick'));
  expect(estimate(quick, ['weir'], 'full')).toBeGreaterThan(estimate(quick, ['weir'], 'quick'));
});

test.each([
  [0, '5 s'],
  [41, '45 s'],
  [89, '90 s'],
  [200, '3 min'],
  [4_200, '1 h 10 min'],
])('%f seconds are roughly %s', (seconds, text) => {
  expect(roughTime(seconds)).toBe(text);
});
