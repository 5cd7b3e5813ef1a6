import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BENCH_MODES } from '#contract';
import type { BenchProgress, ContractClient } from '#contract';
import { benchEnvironment, runBench } from '../../app/backend/services/bench/bench-process.ts';
import type { TestBackend } from '../support/backend-kit.ts';
import { firstItem, startBackend } from '../support/backend-kit.ts';
import { sampleResult } from '../support/sample-bench.ts';

const PROGRAM = fileURLToPath(new URL('../support/fake-bench-program.ts', import.meta.url));
const QUICK = { profiles: ['http1-small', 'https-http2'], products: null, mode: 'quick' } as const;
const NO_LADDER = { ramps: [], sweeps: [], secondsPerStep: 10, rate: null } as const;
/** The invented program stays at the third profile of a full run. */
const LONG = { profiles: ['http1-small', 'https-http1', 'https-http2'], products: null, mode: 'full' } as const;

describe('the benchmark of a backend', () => {
  let weir: TestBackend;
  let client: ContractClient;

  beforeEach(async () => {
    weir = await startBackend({ benchProgram: PROGRAM });
    client = await weir.connect();
  });

  afterEach(async () => {
    await weir.stop();
  });

  const reached = async (wanted: (progress: BenchProgress) => boolean): Promise<BenchProgress> => {
    const { progress } = await firstItem(
      client,
      'bench.progress',
      {},
      ({ progress: now }) => now !== null && wanted(now),
    );
    if (progress === null) throw new Error('There is no run.');
    return progress;
  };
  const over = (): Promise<BenchProgress> => reached(({ state }) => state !== 'running');

  test('says what can be measured here, and of what is missing why', async () => {
    const { profiles, products } = await client.call('bench.profiles', {});
    expect(profiles.filter(({ quick }) => quick).length).toBeGreaterThan(0);
    expect(products.find(({ id }) => id === 'haproxy')?.missing).toContain('apt-get install');
  });

  test('is idle before the first run', async () => {
    expect(await firstItem(client, 'bench.progress', {})).toEqual({ progress: null });
    expect(await client.call('bench.history', {})).toEqual({ runs: [], damaged: [] });
  });

  test('runs, keeps the result as a private file and gives it back whole', async () => {
    const { run } = await client.call('bench.start', QUICK);
    const end = await over();
    expect(end).toMatchObject({ run, state: 'done', problem: null, secondsLeft: 0 });
    const { result } = await client.call('bench.get', { id: run });
    expect(result).toEqual(sampleResult({ run, profiles: QUICK.profiles, ...BENCH_MODES.quick }));
    expect(end.results).toEqual(result.profiles);
    const file = join(weir.dataFolder, 'bench', `${run}.json`);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(result);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await client.call('bench.history', {})).runs).toEqual([
      {
        id: run,
        startedAt: result.startedAt,
        profiles: QUICK.profiles,
        cancelled: false,
        verdict: result.profiles[0]?.verdict,
      },
    ]);
  });

  test('tells a page that comes later where a run stands', async () => {
    await client.call('bench.start', LONG);
    const first = await reached(({ profile }) => profile === 'https-http2');
    const second = await firstItem(await weir.connect(), 'bench.progress', {});
    expect(second).toEqual({ progress: first });
    expect(first.results.map(({ profile }) => profile)).toEqual(['http1-small', 'https-http1']);
  });

  test('measures one run at a time, and keeps of a cancelled one what was finished', async () => {
    const { run } = await client.call('bench.start', LONG);
    await reached(({ profile }) => profile === 'https-http2');
    await expect(client.call('bench.start', QUICK)).rejects.toMatchObject({ code: 'conflict' });
    await client.call('bench.cancel', { run });
    expect(await over()).toMatchObject({ run, state: 'cancelled' });
    const { result } = await client.call('bench.get', { id: run });
    expect(result.cancelled).toBe(true);
    expect(result.profiles.map(({ profile }) => profile)).toEqual(['http1-small', 'https-http1']);
    await client.call('bench.start', QUICK);
    expect((await reached(({ run: id, state }) => id !== run && state !== 'running')).state).toBe('done');
  });

  test.each([
    ['fail', /port is taken/],
    ['chatter', /cannot be used/],
    ['silence', /ended without a result/],
  ])('says why a run has failed (%s), and can run again', async (trouble, why) => {
    await client.call('bench.start', { ...QUICK, products: [trouble] });
    const end = await over();
    expect(end.state).toBe('failed');
    expect(end.problem).toMatch(why);
    expect((await client.call('bench.history', {})).runs).toEqual([]);
    await client.call('bench.start', QUICK);
    expect(await reached(({ state }) => state === 'done')).toMatchObject({ state: 'done' });
  });

  test('keeps of a run that fails what was finished before', async () => {
    const { run } = await client.call('bench.start', { ...QUICK, products: ['late'] });
    expect(await over()).toMatchObject({ state: 'failed', problem: 'The generator ended early.' });
    const { result } = await client.call('bench.get', { id: run });
    expect(result.cancelled).toBe(true);
    expect(result.profiles.map(({ profile }) => profile)).toEqual(['http1-small']);
  });

  test('leaves out damaged results, and says which', async () => {
    const { run } = await client.call('bench.start', QUICK);
    await over();
    const folder = join(weir.dataFolder, 'bench');
    const good = await readFile(join(folder, `${run}.json`), 'utf8');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'cut.json'), good.slice(0, 900));
    await writeFile(join(folder, 'renamed.json'), good);
    await writeFile(join(folder, 'other.json'), '{"schema":"weir-bench/9"}');
    const history = await client.call('bench.history', {});
    expect(history.runs.map(({ id }) => id)).toEqual([run]);
    expect(history.damaged).toEqual(['cut.json', 'other.json', 'renamed.json']);
    expect(weir.reports.filter((line) => line.includes('cut.json'))).toHaveLength(1);
    await client.call('bench.history', {});
    expect(weir.reports.filter((line) => line.includes('cut.json'))).toHaveLength(1);
    await expect(client.call('bench.get', { id: 'cut' })).rejects.toMatchObject({ code: 'not-found' });
  });

  test('deletes a run for good, and nothing outside of its folder', async () => {
    const { run } = await client.call('bench.start', QUICK);
    await over();
    await client.call('bench.remove', { id: run });
    expect(await readdir(join(weir.dataFolder, 'bench'))).toEqual([]);
    await expect(client.call('bench.remove', { id: run })).rejects.toMatchObject({ code: 'not-found' });
    await expect(client.call('bench.get', { id: '../settings' })).rejects.toMatchObject({ code: 'bad-input' });
  });

  test('ends with the backend', async () => {
    const { run } = await client.call('bench.start', LONG);
    await reached(({ profile }) => profile === 'https-http2');
    await weir.backend.stop(0);
    const stored: unknown = JSON.parse(await readFile(join(weir.dataFolder, 'bench', `${run}.json`), 'utf8'));
    expect(stored).toMatchObject({ cancelled: true });
  });
});

test('a program that is not there is named', async () => {
  const weir = await startBackend({ benchProgram: '/nowhere/bench.js' });
  try {
    const client = await weir.connect();
    await expect(client.call('bench.start', QUICK)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('/nowhere/bench.js') as string,
    });
  } finally {
    await weir.stop();
  }
});

test('what is measured hears nothing of the proxies that this process goes through', () => {
  const proxy = 'http://127.0.0.1:8686';
  const kept = benchEnvironment({
    PATH: '/usr/bin',
    HTTP_PROXY: proxy,
    https_proxy: proxy,
    NO_PROXY: 'localhost',
    NODE_USE_ENV_PROXY: '1',
    NODE_EXTRA_CA_CERTS: '/tmp/ca.pem',
  });
  expect(kept).toEqual({ PATH: '/usr/bin' });
});

test('a program that does not end when it is asked to is ended', async () => {
  const order = { ...LONG, ...NO_LADDER, run: 'stubborn-run', products: ['stubborn'], trials: 3, seconds: 10 };
  const held = Promise.withResolvers<undefined>();
  const child = runBench(PROGRAM, order, ({ profile }) => {
    if (profile === 'https-http2') held.resolve(undefined);
  });
  await held.promise;
  child.cancel(1);
  await expect(child.result).rejects.toThrow(/ended early/);
});
