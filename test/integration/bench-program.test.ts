import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { BenchProgress } from '../../app/contract/index.ts';
import { listBench, runBench } from '../../app/backend/services/bench/bench-process.ts';

/* The real program with the one product that is everywhere: the bare relay. Figures are not looked at, only that they are. */

const PROGRAM = fileURLToPath(new URL('../../bench/bench-program.ts', import.meta.url));

test('the program says what can be measured here', async () => {
  const { profiles, products } = await listBench(PROGRAM);
  expect(profiles.map(({ id }) => id)).toContain('http1-small');
  expect(products.find(({ id }) => id === 'relay')).toMatchObject({ missing: null });
});

test('a run measures the origin and each product, tells its progress, and leaves nothing behind', async () => {
  const told: BenchProgress[] = [];
  const partial: number[] = [];
  const order = { run: 'test', profiles: ['http1-small', 'tcp-echo'], products: ['relay'], trials: 1, seconds: 1 };
  const run = runBench(
    PROGRAM,
    order,
    (progress) => told.push(progress),
    (result) => partial.push(result.profiles.length),
  );
  const result = await run.result;

  expect(result).toMatchObject({ schema: 'weir-bench/1', id: 'test', cancelled: false });
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

test('cancelling ends the load at once and keeps what was finished', async () => {
  let cancel = (): void => undefined;
  const order = { run: 'test', profiles: ['http1-small'], products: ['relay'], trials: 1, seconds: 600 };
  const run = runBench(PROGRAM, order, (progress) => {
    if (progress.live.length > 0) cancel();
  });
  cancel = () => {
    run.cancel(10_000);
  };
  expect(await run.result).toMatchObject({ cancelled: true, profiles: [] });
  expect(children()).toEqual([]);
});

/** Command lines of the benchmark's programs that outlived it, where the system can be asked: their parent is the first process. */
function children(): string[] {
  if (process.platform === 'win32') return [];
  const list = execFileSync('ps', ['-eo', 'ppid=,args='], { encoding: 'utf8' });
  return list.split('\n').filter((line) => /^ *1 .*(?:origin|generator|relay)-program\.ts/.test(line));
}
