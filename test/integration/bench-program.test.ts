import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BenchProgress } from '../../app/contract/index.ts';
import type { BenchOrder } from '../../app/backend/services/bench/bench-process.ts';
import { listBench, runBench } from '../../app/backend/services/bench/bench-process.ts';
import { parseBenchResult } from '../../app/contract/bench-validators.ts';
import { readBenchSchema } from '../support/bench-schema.ts';

/* The real program with the one product that is everywhere: the bare relay. Figures are not looked at, only that they are. */

/** As little as shows that something is measured. */
const BRIEF: BenchOrder = {
  run: 'test',
  profiles: [],
  ramps: [],
  sweeps: [],
  products: ['relay'],
  trials: 1,
  seconds: 0.1,
  secondsPerStep: 0.1,
  rate: null,
};
const PROGRAM = fileURLToPath(new URL('../../bench/bench-program.ts', import.meta.url));

test('the program says what can be measured here', async () => {
  const { profiles, products } = await listBench(PROGRAM);
  expect(profiles.map(({ id }) => id)).toContain('http1-small');
  expect(products.find(({ id }) => id === 'relay')).toMatchObject({ missing: null });
});

test('a run measures the origin and each product, tells its progress, and leaves nothing behind', async () => {
  const told: BenchProgress[] = [];
  const partial: number[] = [];
  const order = { ...BRIEF, profiles: ['http1-small', 'tcp-echo'], seconds: 1 };
  const run = runBench(
    PROGRAM,
    order,
    (progress) => told.push(progress),
    (result) => partial.push(result.profiles.length),
  );
  const result = await run.result;

  expect(result).toMatchObject({ schema: 'weir-bench/2', id: 'test', cancelled: false });
  expect(partial).toEqual([1, 2]);
  expect(result.profiles.map(({ profile }) => profile)).toEqual(['http1-small', 'tcp-echo']);
  for (const { origin, products } of result.profiles) {
    expect(origin?.operations).toBeGreaterThan(0);
    expect(products).toMatchObject([{ product: 'relay', missing: null, trials: [{ errors: 0 }] }]);
    expect(products[0]?.median?.operations).toBeGreaterThan(0);
  }
  expect(told.at(-1)).toMatchObject({ state: 'done', step: 4, steps: 4, secondsLeft: 0 });
  expect(told.some(({ live }) => live.length > 0)).toBe(true);
  expect(children()).toEqual([]);
});

test('what is written is read back whole, and is what the schema in docs describes', async () => {
  const order = { ...BRIEF, profiles: ['http1-small'], sweeps: ['tcp-echo'], secondsPerStep: 0.05 };
  const result = await runBench(PROGRAM, order, () => undefined).result;
  expect(parseBenchResult(JSON.stringify(result))).toEqual(result);
  const validate = new Ajv2020({ validateFormats: false }).compile(readBenchSchema());
  expect(validate(result), JSON.stringify(validate.errors)).toBe(true);
  expect(result.ladders[0]?.products[1]?.steps.map(({ load }) => load)).toEqual([1, 10, 100, 1_000]);
  const [relay] = result.profiles[0]?.products ?? [];
  expect(relay?.median).toMatchObject({ successShare: 1, p999: expect.any(Number) as number });
  expect(relay?.originShare).toBeGreaterThan(0);
});

test('each way of loading gets its answers from the origin: slow, early, lossy, both ways at once, cold, over HTTP/2 and TLS', async () => {
  const profiles = [
    ...['slow-reader', 'early-response', 'lossy-http1', 'lossy-http2', 'http2-duplex'],
    ...['intercept-cold-leaf', 'socks5-http1'],
    ...['h1tls-to-h2tls', 'h2tls-to-h1tls'],
  ];
  const order = { ...BRIEF, profiles, products: [], seconds: 0.3 };
  const result = await runBench(PROGRAM, order, () => undefined).result;
  expect(result.profiles.map(({ profile }) => profile).sort()).toEqual(profiles.sort());
  for (const { origin } of result.profiles) {
    expect(origin?.operations).toBeGreaterThan(0);
    expect(origin?.errors).toBe(0);
  }
});

test('the relay stands where the client speaks to its own kind: over TLS, over HTTP/2, behind CONNECT; its event loop is looked at', async () => {
  const profiles = ['https-http1', 'https-http2', 'grpc-unary', 'intercept-http1'];
  const result = await runBench(PROGRAM, { ...BRIEF, profiles, seconds: 0.5 }, () => undefined).result;
  expect(result.profiles.map(({ profile }) => profile)).toEqual(profiles);
  for (const { products } of result.profiles) {
    expect(products).toMatchObject([{ product: 'relay', missing: null, trials: [{ errors: 0 }] }]);
    expect(products[0]?.median?.operations).toBeGreaterThan(0);
    expect(products[0]?.median?.loopDelayP99).toEqual(expect.any(Number));
  }
});

test('controls have one trial', async () => {
  const order = { ...BRIEF, profiles: ['http1-small'], trials: 3 };
  const [profile] = (await runBench(PROGRAM, order, () => undefined).result).profiles;
  expect(profile?.products[0]?.trials).toHaveLength(1);
});

test('a fixed rate offers so many operations a second, and counts latency only where they were achieved', async () => {
  const profiles = ['http1-small', 'tcp-echo'];
  const achieved = await runBench(PROGRAM, { ...BRIEF, profiles, seconds: 1, rate: 200 }, () => undefined).result;
  const [http, tcp] = achieved.profiles;
  expect(achieved.methodology.rate).toBe(200);
  const relayed = http?.products[0]?.median;
  expect(relayed?.operations).toBeGreaterThan(190);
  expect(relayed?.operations).toBeLessThan(210);
  // The ceiling is what the origin can do, not what is offered.
  expect(http?.origin?.operationsPerSecond).toBeGreaterThan(210);
  expect(tcp).toMatchObject({
    origin: null,
    products: [{ missing: expect.stringMatching(/^Not possible/) as string }],
  });

  const order = { ...BRIEF, profiles: ['http1-small'], rate: 1_000_000 };
  const missed = await runBench(PROGRAM, order, () => undefined).result;
  expect(missed.profiles[0]?.products[0]?.median).toMatchObject({ p50: null, p99: null, max: null });
});

test('a ramp loads the origin and each product step by step', async () => {
  const partial: number[] = [];
  const told: (number | null)[] = [];
  const run = runBench(
    PROGRAM,
    { ...BRIEF, ramps: ['http1-small'] },
    ({ load }) => told.push(load),
    (result) => partial.push(result.ladders.length),
  );
  const [ladder] = (await run.result).ladders;
  expect(ladder).toMatchObject({ kind: 'ramp', profile: 'http1-small', limits: { errorShare: 0.001, p99: 50 } });
  expect(ladder?.products.map(({ product }) => product)).toEqual(['origin', 'relay']);
  for (const { steps, peak } of ladder?.products ?? []) {
    expect(steps.map(({ load }) => load)).toEqual([8, 16, 32, 64]);
    expect(peak).toBeGreaterThan(0);
  }
  expect(partial).toEqual([1]);
  expect(new Set(told)).toEqual(new Set([8, 16, 32, 64, null]));
});

describe('cancelling', () => {
  let folder: string;
  const usual = process.env['TMPDIR'];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-bench-test-'));
    process.env['TMPDIR'] = folder;
  });

  afterEach(async () => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    await rm(folder, { recursive: true, force: true });
  });

  test('ends the load at once, keeps what was finished, and leaves no process and no folder', async () => {
    let cancel = (): void => undefined;
    const order = { ...BRIEF, profiles: ['http1-small', 'https-http1', 'tcp-echo'], products: ['relay'], seconds: 0.1 };
    const run = runBench(PROGRAM, { ...order, ramps: ['tcp-echo'], secondsPerStep: 600 }, (progress) => {
      if (progress.live.length > 0) cancel();
    });
    cancel = () => {
      run.cancel(10_000);
    };
    const result = await run.result;
    expect(result).toMatchObject({ cancelled: true, ladders: [] });
    expect(result.profiles).toHaveLength(3);
    expect(children()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });
});

/** Command lines of the benchmark's programs that outlived it, where the system can be asked: their parent is the first process. */
function children(): string[] {
  if (process.platform === 'win32') return [];
  const list = execFileSync('ps', ['-eo', 'ppid=,args='], { encoding: 'utf8' });
  return list.split('\n').filter((line) => /^ *1 .*(?:origin|generator|relay)-program\.ts/.test(line));
}
