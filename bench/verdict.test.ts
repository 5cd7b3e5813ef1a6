import { expect, test } from 'vitest';
import type { BenchProductResult, BenchProfileResult, BenchTrial } from '#contract';
import { medianTrial } from './statistics.ts';
import { baselineOf, verdictOf } from './verdict.ts';

const CONTENDERS = [
  { id: 'weir', isWeir: true, isControl: false },
  { id: 'nginx', isWeir: false, isControl: false },
  { id: 'haproxy', isWeir: false, isControl: false },
  { id: 'relay', isWeir: false, isControl: true },
];

function trial(cpuPerOperation: number | null, operationsPerSecond: number, errors = 0): BenchTrial {
  return {
    operations: operationsPerSecond,
    errors,
    seconds: 1,
    operationsPerSecond,
    successShare: operationsPerSecond / (operationsPerSecond + errors),
    p50: 1,
    p90: 2,
    p99: 3,
    p999: 4,
    max: 5,
    cpuPerOperation,
    engineCpuPerOperation: null,
    residentBytes: null,
    proportionalBytes: null,
    loopDelayP99: null,
    loopDelayMax: null,
  };
}

function result(product: string, ...trials: readonly BenchTrial[]): BenchProductResult {
  const name = product === 'weir' ? 'Weir, capture off' : product;
  return { product, name, version: '1', missing: null, trials, median: medianTrial(trials), originShare: null };
}

function profile(
  products: readonly BenchProductResult[],
  origin: BenchTrial | null = null,
): Omit<BenchProfileResult, 'verdict'> {
  return {
    profile: 'http1-small',
    family: 'reverse',
    title: 'HTTP/1.1',
    workload: 'GET',
    unit: 'requests',
    origin,
    products,
    baseline: baselineOf(products, CONTENDERS),
  };
}

test('ratios divide by the cheapest rival, never by a control or by Weir', () => {
  const results = [
    result('weir', trial(5, 100)),
    result('nginx', trial(30, 100)),
    result('haproxy', trial(20, 100)),
    result('relay', trial(1, 100)),
  ];
  expect(baselineOf(results, CONTENDERS)).toBe('haproxy');
  expect(baselineOf([result('weir', trial(5, 100)), result('relay', trial(1, 100))], CONTENDERS)).toBeNull();
});

test('a verdict names both ratios and the noise', () => {
  const products = [
    result('weir', trial(40, 900), trial(40, 900)),
    result('nginx', trial(20, 1_000), trial(20, 1_000)),
  ];
  expect(verdictOf(profile(products))).toBe(
    'Weir, capture off: 0.50× the work of nginx a second of CPU, 0.90× its throughput; noise ±0 %.',
  );
});

test('a difference within the noise is called none', () => {
  const products = [
    result('weir', trial(20, 900), trial(24, 1_100)),
    result('nginx', trial(21, 1_000), trial(21, 1_000)),
  ];
  expect(verdictOf(profile(products))).toContain('(no measurable difference)');
});

test('where the origin is the limit, throughput is not compared', () => {
  const products = [result('weir', trial(40, 1_000)), result('nginx', trial(20, 1_000))];
  expect(verdictOf(profile(products, trial(null, 1_100)))).toBe(
    'Weir, capture off: 0.50× the work of nginx a second of CPU; one trial, noise unknown; the origin limited the throughput, so it is not compared.',
  );
});

test('without a rival a verdict gives figures, and failures are said', () => {
  expect(verdictOf(profile([result('weir', trial(40, 1_000, 3))]))).toBe(
    'Weir, capture off: 40.0 µs of CPU a request, 1000 requests a second; no other proxy was measured. 3 operations failed.',
  );
  expect(verdictOf(profile([{ ...result('weir'), missing: 'not built' }]))).toBe('Weir was not measured.');
});
