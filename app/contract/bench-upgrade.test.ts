import { expect, test } from 'vitest';
import { sampleResult } from '../../test/support/sample-bench.ts';
import { parseBenchResult } from './bench-validators.ts';

const ORDER = { run: 'old-run', profiles: ['http1-small', 'grpc-unary'], products: null, trials: 3, seconds: 10 };
const ADDED = ['successShare', 'proportionalBytes', 'originShare', 'ladders', 'rate'];

/** A result as version 1 wrote it: without what came later. */
function firstVersion(): string {
  const text = JSON.stringify(sampleResult(ORDER), (key, value: unknown) => (ADDED.includes(key) ? undefined : value));
  return text.replace('weir-bench/2', 'weir-bench/1');
}

test('a result of version 1 is raised to the present one, with the shares that follow from its figures', () => {
  const { profiles, ...rest } = parseBenchResult(firstVersion());
  expect(rest).toMatchObject({ schema: 'weir-bench/2', id: 'old-run', ladders: [], methodology: { rate: null } });
  const [weir] = profiles[0]?.products ?? [];
  expect(weir?.originShare).toBeCloseTo(41_310 / 98_000);
  expect(weir?.trials[0]).toMatchObject({ successShare: 1, proportionalBytes: null, p99: 4.81 });
});

test('the earliest results, which do not tell the engine’s CPU, can be read', () => {
  const text = firstVersion().replaceAll('"engineCpuPerOperation":null,', '');
  expect(parseBenchResult(text).profiles[0]?.products[0]?.median?.engineCpuPerOperation).toBeNull();
});

test('a result of the present version stays as it is', () => {
  const result = sampleResult({ ...ORDER, ramps: ['http1-small'], sweeps: ['grpc-unary'] });
  expect(parseBenchResult(JSON.stringify(result))).toEqual(result);
});

test.each(['{}', 'null', '{"schema":"weir-bench/1","profiles":[]}', '{"schema":"weir-bench/3"}'])(
  '%s is no result',
  (text) => {
    expect(() => parseBenchResult(text)).toThrow();
  },
);
