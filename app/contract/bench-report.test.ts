import { describe, expect, test } from 'vitest';
import { sampleResult } from '../../test/support/sample-bench.ts';
import { compare, comparisonText, REGRESSION_BELOW } from './bench-comparison.ts';
import { toCsv } from './bench-csv.ts';
import { toMarkdown } from './bench-report.ts';
import { headlineOf, isOriginBound, ratioOf, standing } from './bench-ratios.ts';
import type { BenchProfileResult, BenchResult, BenchTrial } from './bench.ts';

const ORDER = {
  run: 'run-now',
  profiles: ['http1-small', 'https-http1', 'https-http2'],
  products: null,
  trials: 3,
  seconds: 10,
};

function trial(operationsPerSecond: number, cpuPerOperation: number | null): BenchTrial {
  const latencies = { p50: 1, p90: 2, p99: 3, p999: 4, max: 5 };
  return {
    operations: 1,
    errors: 0,
    seconds: 1,
    operationsPerSecond,
    cpuPerOperation,
    engineCpuPerOperation: null,
    residentBytes: 1,
    proportionalBytes: 1,
    loopDelayP99: 2.5,
    loopDelayMax: 9,
    successShare: 1,
    ...latencies,
  };
}

/** A profile with Weir, one rival and an origin, each figure as given. */
function profile(
  weir: readonly BenchTrial[],
  rival: readonly BenchTrial[],
  origin: BenchTrial | null = trial(1_000_000, null),
): BenchProfileResult {
  const product = (name: string, trials: readonly BenchTrial[]): BenchProfileResult['products'][number] => ({
    product: name.toLowerCase(),
    name,
    version: '1',
    missing: trials.length === 0 ? 'It is not here.' : null,
    trials,
    median: trials[Math.floor(trials.length / 2)] ?? null,
    originShare: null,
  });
  return {
    profile: 'http1-small',
    family: 'reverse',
    title: 'HTTP/1.1',
    workload: 'GET.',
    unit: 'requests',
    origin,
    products: [product('Weir', weir), product('Nginx', rival)],
    baseline: rival.length === 0 ? null : 'nginx',
    verdict: 'Weir was measured.',
  };
}

function run(...profiles: readonly BenchProfileResult[]): BenchResult {
  return { ...sampleResult({ ...ORDER, profiles: [] }), profiles };
}

describe('a ratio', () => {
  test('divides by the rival’s median, trial by trial, and says half of the widest spread as noise', () => {
    const trials = [trial(90, 11), trial(100, 10), trial(110, 9)];
    const ratio = ratioOf(profile(trials, [trial(50, 20), trial(50, 20)]), 'throughput');
    expect(ratio).toEqual({ ratio: 2, noise: 0.1, trials: [1.8, 2, 2.2], against: 'Nginx', kind: 'rival' });
  });

  test('of CPU is above 1 where Weir takes less of it', () => {
    expect(ratioOf(profile([trial(1, 20)], [trial(1, 30)]), 'cpu')?.ratio).toBeCloseTo(1.5);
  });

  test('of CPU is not known where the system does not say', () => {
    expect(ratioOf(profile([trial(1, null)], [trial(1, 30)]), 'cpu')).toBeNull();
  });

  test('without a rival is the share of what the origin does alone, of throughput only', () => {
    const alone = profile([trial(60, 10)], [], trial(100, null));
    expect(ratioOf(alone, 'throughput')).toMatchObject({ ratio: 0.6, kind: 'origin' });
    expect(ratioOf(alone, 'cpu')).toBeNull();
  });

  test('of throughput is not quoted where the origin was the limit, and that of CPU still is', () => {
    const bound = profile([trial(100, 10)], [trial(80, 20)], trial(129, null));
    expect(isOriginBound(bound)).toBe(true);
    expect(ratioOf(bound, 'throughput')).toBeNull();
    expect(ratioOf(bound, 'cpu')?.ratio).toBe(2);
    expect(isOriginBound(profile([trial(100, 10)], [trial(80, 20)], trial(130, null)))).toBe(false);
  });

  test.each([
    [1.2, 0.05, 'ahead'],
    [1.2, 0.25, 'level'],
    [1.02, 0, 'level'],
    [0.8, 0.05, 'behind'],
  ] as const)('of %f with noise %f is %s', (ratio, noise, expected) => {
    expect(standing({ ratio, noise })).toBe(expected);
  });
});

describe('the headline', () => {
  test('names the least and the most, and the noise', () => {
    expect(headlineOf(sampleResult(ORDER), 'throughput')).toBe(
      'In throughput Weir (capture off) is ahead in 2 and behind in 1 of 3 profiles, from 0.96× nginx (HTTPS · HTTP/1.1) to 2.41× nginx (HTTPS · HTTP/2); noise ±1 %, this machine.',
    );
  });

  test('goes by CPU where the origin was the limit everywhere', () => {
    const bound = profile([trial(100, 10)], [trial(80, 20)], trial(110, null));
    expect(headlineOf(run(bound, bound), 'throughput')).toContain('In work a second of CPU Weir is ahead in all of 2');
  });

  test('says so when there was no rival, and when nothing was finished', () => {
    const alone = profile([trial(60, 10)], []);
    expect(headlineOf(run(alone), 'throughput')).toBe('Weir was measured.');
    expect(headlineOf(run(alone, alone), 'throughput')).toContain('No rival was measured');
    expect(headlineOf({ profiles: [], cancelled: true }, 'throughput')).toContain('before it was cancelled');
  });
});

describe('comparing with an earlier run', () => {
  test('finds no change between equal runs', () => {
    const { changes, left } = compare(sampleResult(ORDER), sampleResult(ORDER));
    expect(left).toEqual([]);
    expect(changes.map(({ ratio, regression }) => ({ ratio, regression }))).toEqual(
      ORDER.profiles.map(() => ({ ratio: 1, regression: false })),
    );
  });

  test('takes out what made the machine slower for everyone', () => {
    const now = run(profile([trial(50, 40)], [trial(100, 20)]));
    const then = run(profile([trial(100, 20)], [trial(200, 10)]));
    expect(compare(now, then).changes[0]).toMatchObject({ cpu: 1, throughput: 1, regression: false });
  });

  test.each([
    [0.91, false],
    [0.89, true],
  ])('calls %f of the earlier standing a regression: %s', (share, regression) => {
    const now = run(profile([trial(100, 10 / share)], [trial(100, 10)]));
    const then = run(profile([trial(100, 10)], [trial(100, 10)]));
    const [change] = compare(now, then).changes;
    expect(change?.ratio).toBeCloseTo(share);
    expect(change?.regression).toBe(regression);
    expect(REGRESSION_BELOW).toBe(0.9);
  });

  test('sees throughput that fell while CPU did not, unless the trials lie as far apart', () => {
    const then = run(profile([trial(100, 10)], [trial(100, 10)]));
    const steady = run(profile([trial(70, 10), trial(70, 10), trial(71, 10)], [trial(100, 10)]));
    const shaky = run(profile([trial(45, 10), trial(70, 10), trial(100, 10)], [trial(100, 10)]));
    expect(compare(steady, then).changes[0]).toMatchObject({ cpu: 1, regression: true });
    expect(compare(shaky, then).changes[0]).toMatchObject({ cpu: 1, ratio: 1, regression: false });
  });

  test('falls back on throughput where CPU is not known', () => {
    const now = run(profile([trial(80, null)], [trial(100, null)]));
    const then = run(profile([trial(100, null)], [trial(100, null)]));
    expect(compare(now, then).changes[0]).toMatchObject({ cpu: null, throughput: 0.8, regression: true });
  });

  test('names what cannot be compared', () => {
    const alone = run(profile([trial(80, 10)], []));
    const both = run(profile([trial(80, 10)], [trial(80, 10)]));
    expect(compare(alone, both)).toEqual({ changes: [], left: ['HTTP/1.1'] });
    expect(compare(both, run())).toEqual({ changes: [], left: ['HTTP/1.1'] });
    const offered = { ...both, methodology: { ...both.methodology, rate: 100 } };
    expect(compare(both, offered)).toEqual({ changes: [], left: ['HTTP/1.1'] });
  });
});

describe('exports', () => {
  const result = sampleResult(ORDER);

  test('CSV has every trial and median with the figures of the JSON', () => {
    const [head = '', ...rows] = toCsv(result).trim().split('\r\n');
    const columns = head.split(',');
    const first = rows.map((row) => row.split(','));
    const measured = result.profiles.flatMap(({ products }) => products).filter(({ median }) => median !== null);
    const missing = result.profiles.flatMap(({ products }) => products).filter(({ median }) => median === null);
    expect(rows).toHaveLength(measured.length * 4 + missing.length + result.profiles.length);
    const median = first.find((row) => row[columns.indexOf('trial')] === 'median' && row.includes('weir'));
    const weir = result.profiles[0]?.products[0]?.median;
    expect(Number(median?.[columns.indexOf('cpuPerOperation')])).toBe(weir?.cpuPerOperation);
    expect(Number(median?.[columns.indexOf('operationsPerSecond')])).toBe(weir?.operationsPerSecond);
  });

  test('CSV gives a spreadsheet no formula and keeps commas and quotes inside their cell', () => {
    const first = profile([trial(1, 1)], []);
    const [weir] = first.products;
    if (weir === undefined) throw new Error('There is no product.');
    const hostile = { ...first, products: [{ ...weir, version: '=cmd|"calc",1' }] };
    expect(toCsv(run(hostile))).toContain(`,"'=cmd|""calc"",1",`);
  });

  test('Markdown begins with the verdict and shows each product, also what is missing and why', () => {
    const text = toMarkdown(result);
    expect(text.split('\n')[2]).toBe(headlineOf(result, 'throughput'));
    expect(text).toContain('| Weir, capture off | 0.1.0 | 27.9 | 41310 |');
    expect(text).toContain('haproxy is not on the PATH');
    expect(text).toContain('## Limitations');
  });

  test('Markdown lets no name become a cell or a link', () => {
    const first = profile([trial(1, 1)], []);
    expect(toMarkdown(run({ ...first, title: 'a | [b](c) <i>' }))).toContain(String.raw`## a \| \[b\](c) \<i\>`);
  });

  test('CSV and Markdown have each step of a ladder, and what it sustains', () => {
    const climbed = sampleResult({ ...ORDER, profiles: [], ramps: ['http1-small'] });
    const steps = toCsv(climbed)
      .split('\r\n')
      .filter((row) => row.includes(',weir,0.1.0,ramp '));
    expect(steps).toHaveLength(4);
    const text = toMarkdown(climbed);
    expect(text).toContain('## HTTP/1.1, ramp');
    expect(text).toContain('p99 at most 50 ms, errors at most 0.1 %');
    expect(text).toMatch(/\| Weir, capture off \| 0\.1\.0 \| 16 \| \d+ \|.*past the limits/);
    expect(headlineOf(climbed, 'throughput')).toMatch(/^HTTP\/1\.1: Weir, capture off sustains 16 under way at once/);
  });

  test('Markdown quotes no latency where the offered rate was not achieved, and says so in the row', () => {
    const late = { ...trial(90, 10), p50: null, p90: null, p99: null, p999: null, max: null };
    const { methodology, ...rest } = run(profile([late], []));
    const text = toMarkdown({ ...rest, methodology: { ...methodology, rate: 100 } });
    expect(text).toContain('100 operations a second offered');
    expect(text).toMatch(/\| Weir \| 1 \|.*rate not achieved \| – \|/);
  });
});

test('a comparison says which profile became slower, and what cannot be compared', () => {
  const now = run(profile([trial(80, 20)], [trial(100, 10)]));
  const then = run(profile([trial(100, 10)], [trial(100, 10)]));
  expect(comparisonText(compare(now, then))).toContain('| HTTP/1.1 | Nginx | 0.50× | 0.80× | ±1 % | **slower** |');
  expect(comparisonText(compare(now, run()))).toContain('Not comparable: HTTP/1.1.');
});
