import { beforeEach, describe, expect, test } from 'vitest';
import { FakeBackend } from '../../../test/support/fake-backend.ts';
import { SAMPLE_PROFILES, sampleResult } from '../../../test/support/sample-bench.ts';
import { Bench } from './bench.svelte.ts';

const QUICK = SAMPLE_PROFILES.filter(({ quick }) => quick).map(({ id }) => id);

describe('the model of the benchmark', () => {
  let backend: FakeBackend;
  let stored: Map<string, string>;
  let bench: Bench;

  const open = async (): Promise<Bench> => {
    const opened = new Bench(backend, {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
    });
    await opened.open();
    return opened;
  };

  beforeEach(async () => {
    backend = new FakeBackend();
    stored = new Map();
    bench = await open();
  });

  test('begins with choosing, and offers the quick set over everything that is here', () => {
    expect(bench.view).toBe('choose');
    expect(bench.order).toEqual({ profiles: QUICK, products: null, mode: 'quick' });
    expect(bench.chosenProducts).toEqual(['weir', 'weir-capture', 'nginx', 'mockttp']);
  });

  test('remembers the choice, and always measures Weir', async () => {
    bench.choice.value = { profiles: ['tcp-echo', 'gone'], products: ['nginx', 'haproxy'], mode: 'full' };
    const again = await open();
    expect(again.order).toEqual({ profiles: ['tcp-echo'], products: ['weir', 'nginx'], mode: 'full' });
  });

  test('shows a run while it goes on, and its result when it is over', async () => {
    await bench.startQuick();
    expect(bench.view).toBe('running');
    backend.bench.finish();
    await expect.poll(() => bench.view).toBe('result');
    expect(bench.shown?.profiles.map(({ profile }) => profile)).toEqual(QUICK);
    expect(bench.runs).toHaveLength(1);
  });

  test('shows the result of a run that began and ended within one message', async () => {
    const stream = backend.holdStream('bench.progress');
    await bench.startQuick();
    backend.bench.finish();
    stream.release();
    await expect.poll(() => bench.view).toBe('result');
    expect(bench.shown?.profiles.map(({ profile }) => profile)).toEqual(QUICK);
  });

  test('keeps a failure in view until another run is looked at', async () => {
    backend.bench.store(sampleResult({ run: 'old', profiles: QUICK, products: null, trials: 2, seconds: 1 }));
    bench = await open();
    await bench.startQuick();
    backend.bench.fail('nginx did not start.');
    expect(bench.failure?.problem).toBe('nginx did not start.');
    await bench.show('old');
    expect(bench.failure).toBeNull();
  });

  test('measures again what a stored run measured, as far as it is still here', () => {
    const result = sampleResult({
      run: 'old',
      profiles: ['tcp-echo'],
      products: ['nginx', 'haproxy'],
      trials: 3,
      seconds: 10,
    });
    expect(bench.orderOf(result)).toEqual({ profiles: ['tcp-echo'], products: ['weir', 'nginx'], mode: 'full' });
  });

  test('shows the result of a ramp, and measures on it again', async () => {
    await bench.start({ profiles: ['http1-small'], products: null, mode: 'ramp' });
    backend.bench.finish();
    await expect.poll(() => bench.view).toBe('result');
    expect(bench.shown?.ladders.map(({ kind, profile }) => [kind, profile])).toEqual([['ramp', 'http1-small']]);
    const shown = bench.shown;
    if (shown === null) throw new Error('There is no result.');
    expect(bench.orderOf(shown)).toEqual({ profiles: ['http1-small'], products: ['weir', 'nginx'], mode: 'ramp' });
  });

  test('shows the next run when the shown one is deleted, and stops comparing with a deleted one', async () => {
    for (const run of ['one', 'two']) {
      backend.bench.store(sampleResult({ run, profiles: QUICK, products: null, trials: 2, seconds: 1 }));
    }
    bench = await open();
    expect(bench.shown?.id).toBe('two');
    await bench.compareWith('one');
    expect(bench.earlier?.id).toBe('one');
    await bench.remove('one');
    expect(bench.earlier).toBeNull();
    await bench.remove('two');
    expect(bench.shown).toBeNull();
    expect(bench.view).toBe('choose');
  });
});
