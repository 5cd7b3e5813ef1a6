import { describe, expect, test } from 'vitest';
import type { BenchProfile } from '#contract';
import { BENCH_LADDER_PROFILES } from '#contract';
import { SAMPLE_PRODUCTS, SAMPLE_PROFILES } from '../../../test/support/sample-bench.ts';
import { UsageError } from '../usage.ts';
import { chooseBench, type BenchChoice, type BenchWish } from './choice.ts';

const NOTHING: BenchWish = {
  names: [],
  full: false,
  ramp: false,
  sweep: false,
  peers: null,
  trials: null,
  seconds: null,
  rate: null,
};

function choose(wish: Partial<BenchWish>): BenchChoice {
  return chooseBench(SAMPLE_PROFILES, SAMPLE_PRODUCTS, { ...NOTHING, ...wish });
}

function idsOf(which: (profile: BenchProfile) => boolean): readonly string[] {
  return SAMPLE_PROFILES.filter(which).map(({ id }) => id);
}

describe('what a benchmark measures', () => {
  test('without a word is the quick set, by trials alone', () => {
    const quick = idsOf((profile) => profile.quick);
    expect(choose({})).toMatchObject({ profiles: quick, ramps: [], sweeps: [], trials: 2, seconds: 1, rate: null });
  });

  test('in full is the full set, and ramps of three profiles', () => {
    const full = idsOf((profile) => profile.full);
    expect(choose({ full: true })).toMatchObject({
      profiles: full,
      ramps: BENCH_LADDER_PROFILES,
      sweeps: [],
      products: null,
      trials: 3,
      seconds: 10,
    });
  });

  test('is what is named, by profile, by family or all, in the order of the list', () => {
    const tls = idsOf(({ family }) => family === 'tls');
    expect(choose({ names: ['grpc-unary', 'tls'] }).profiles).toEqual([...tls, 'grpc-unary']);
    expect(choose({ names: ['all'], full: true })).toMatchObject({ profiles: idsOf(() => true), ramps: [] });
  });

  test('on ladders is three profiles, or those that are named, and nothing by trials unless in full', () => {
    expect(choose({ ramp: true })).toMatchObject({ profiles: [], ramps: BENCH_LADDER_PROFILES, secondsPerStep: 3 });
    const both = choose({ names: ['tcp-echo'], ramp: true, sweep: true, seconds: 1 });
    expect(both).toMatchObject({ profiles: [], ramps: ['tcp-echo'], sweeps: ['tcp-echo'], secondsPerStep: 1 });
    expect(choose({ names: ['tcp-echo'], ramp: true, full: true }).profiles).toEqual(['tcp-echo']);
  });

  test('always has Weir in it', () => {
    expect(choose({ peers: ['nginx'] }).products).toEqual(['weir', 'weir-capture', 'weir-watched', 'nginx']);
  });

  test.each([
    [{ names: ['http9'] }, /no profile "http9".*--list.*interception/],
    [{ peers: ['squid'] }, /no product "squid"/],
    [{ rate: 100, ramp: true }, /--rate is a fixed load/],
  ] satisfies [Partial<BenchWish>, RegExp][])('%j is refused', (wish, message) => {
    expect(() => choose(wish)).toThrow(UsageError);
    expect(() => choose(wish)).toThrow(message);
  });
});
