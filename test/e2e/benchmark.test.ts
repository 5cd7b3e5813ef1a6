import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { BENCH_MODES, toCsv, toMarkdown } from '#contract';
import type { BenchProfileResult, BenchResult, BenchTrial } from '#contract';
import { accessibilityFindings } from '../support/accessibility.ts';
import { startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';
import { SAMPLE_PROFILES, sampleProgress, sampleResult } from '../support/sample-bench.ts';

/*
 * The Benchmark page over a real backend. What the backend runs here is a program that measures nothing and answers with
 * invented figures; how Weir itself is measured has tests of its own.
 */

const QUICK = SAMPLE_PROFILES.filter(({ quick }) => quick).map(({ id }) => id);

let inspector: RealInspector;
let page: Page;

beforeAll(async () => {
  inspector = await startRealInspector();
});

beforeEach(async () => {
  await rm(resultsFolder(), { recursive: true, force: true });
  page = await inspector.open({ timezoneId: 'UTC' });
});

afterEach(async () => {
  await inspector.closePages();
  expect(inspector.complaints.splice(0)).toEqual([]);
});

afterAll(async () => {
  await inspector.stop();
});

const resultsFolder = (): string => join(inspector.server.dataFolder, 'bench');

/** Puts a run of the quick set into the history. */
async function store(run: string, startedAt: string, better = 1): Promise<void> {
  const result = sampleResult({ run, profiles: QUICK, ...BENCH_MODES.quick }, { startedAt, better });
  await mkdir(resultsFolder(), { recursive: true });
  await writeFile(join(resultsFolder(), `${run}.json`), JSON.stringify(result));
}

/** Chooses an entry of the palette by its keys alone. */
async function palette(entry: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.locator('[role="dialog"] input:focus').waitFor();
  await page.keyboard.type(entry);
  await page.getByRole('option', { name: entry, selected: true }).waitFor();
  await page.keyboard.press('Enter');
}

const history = (): Locator => page.getByRole('complementary', { name: 'Earlier runs' }).getByRole('listitem');
const rows = (): Locator => page.locator('[data-profile]');

async function openBenchmark(): Promise<void> {
  await palette('Go to Benchmark');
  await page.getByRole('heading', { name: 'Benchmark', level: 1 }).waitFor();
}

/** Exports the shown run by keys. @returns the file's text */
async function exported(format: 'JSON' | 'CSV' | 'Markdown'): Promise<string> {
  await page.getByRole('button', { name: 'Export' }).focus();
  await page.keyboard.press('Enter');
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: format }).press('Enter');
  return readFile(await (await download).path(), 'utf8');
}

/** Numbers in the attributes of a picture. */
async function numbers(elements: Locator, attribute: string): Promise<number[]> {
  return elements.evaluateAll(
    (list, name) => list.map((one) => Number.parseFloat(one.getAttribute(name) ?? '')),
    attribute,
  );
}

function parts(profile: BenchProfileResult): { weir: BenchTrial; trials: readonly BenchTrial[]; rival: BenchTrial } {
  const [weir] = profile.products;
  const mine = weir?.median ?? null;
  const rival = profile.products.find(({ product }) => product === profile.baseline)?.median ?? null;
  if (weir === undefined || mine === null || rival === null) throw new Error('There is nothing to compare.');
  return { weir: mine, trials: weir.trials, rival };
}

function axe(): Promise<string[]> {
  return accessibilityFindings(page, ['region']);
}

test('the quick set runs from the palette, and the chart draws what its JSON says', async () => {
  await openBenchmark();
  await page.getByRole('heading', { name: 'Nothing measured yet' }).waitFor();
  expect(await axe()).toEqual([]);
  await palette('Run the quick benchmark');
  await page.getByText(/^In throughput Weir .* is/).waitFor();
  expect(await history().count()).toBe(1);

  const result = JSON.parse(await exported('JSON')) as BenchResult;
  expect(result.profiles.map(({ profile }) => profile)).toEqual(QUICK);
  expect(result).toEqual(sampleResult({ run: result.id, profiles: QUICK, ...BENCH_MODES.quick }));
  expect(await exported('CSV')).toBe(toCsv(result));
  expect(await exported('Markdown')).toBe(toMarkdown(result));

  expect(await rows().count()).toBe(QUICK.length);
  for (const profile of result.profiles) {
    const { weir, trials, rival } = parts(profile);
    const row = page.locator(`[data-profile="${profile.profile}"]`);
    const ratio = weir.operationsPerSecond / rival.operationsPerSecond;
    const text = (await row.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain(`${weir.operationsPerSecond.toLocaleString('en', { maximumFractionDigits: 0 })}/s`);
    expect(text).toContain(`${(weir.cpuPerOperation ?? 0).toFixed(1)} µs`);
    expect(text).toContain(`${ratio.toFixed(2)}×`);
    // The line at 1.0 gives the scale of the picture.
    const [one = 0] = await numbers(row.locator('line'), 'x1');
    const [bar = 0] = await numbers(row.locator('rect'), 'width');
    expect(bar / one).toBeCloseTo(ratio, 3);
    const dots = await numbers(row.locator('circle'), 'cx');
    expect(dots.map((dot) => (dot / one).toFixed(3))).toEqual(
      trials.map((trial) => (trial.operationsPerSecond / rival.operationsPerSecond).toFixed(3)),
    );
  }

  await page.getByRole('radio', { name: 'Work per CPU' }).click();
  const [first] = result.profiles;
  if (first === undefined) throw new Error('There is no profile.');
  const { weir, rival } = parts(first);
  const efficiency = (rival.cpuPerOperation ?? 0) / (weir.cpuPerOperation ?? 1);
  expect(await rows().first().innerText()).toContain(`${efficiency.toFixed(2)}×`);
  expect(await axe()).toEqual([]);

  await page.getByText('All figures').click();
  const figures = page.getByRole('region', { name: first.title }).getByRole('row').nth(1);
  expect(await figures.innerText()).toContain(weir.p99?.toFixed(2));
  const claims = page.getByText('Published by their makers, on other hardware');
  expect(await claims.count()).toBe(0);
  await page.getByRole('checkbox', { name: 'With what others published' }).check();
  expect(await claims.count()).toBeGreaterThan(0);
  expect(await axe()).toEqual([]);
  await page.getByText('Conditions and limits').click();
  for (const limitation of result.limitations) await page.getByText(limitation).waitFor();
});

test('a run shows where it stands, can be cancelled, keeps what was finished, and can be run again', async () => {
  await openBenchmark();
  await page.getByRole('radio', { name: 'Full' }).click();
  await page.getByText('3 trials × 10 s each').waitFor();
  expect(await page.getByLabel(/HAProxy/).isDisabled()).toBe(true);
  await page.getByText('apt-get install haproxy').waitFor();
  await page.getByRole('button', { name: 'Start' }).press('Enter');

  // The invented program stays at the third profile of a full run.
  await page.getByText('Measuring HTTPS · HTTP/2 · Weir, capture off · trial 1').waitFor();
  await page.getByText(/about .* left/).waitFor();
  const order = { run: '', profiles: QUICK, products: null, trials: 3, seconds: 10 };
  expect(await page.locator('[data-values]').getAttribute('data-values')).toBe(sampleProgress(order, 2).live.join(' '));
  expect(await rows().count()).toBe(2);
  expect(await axe()).toEqual([]);

  // It goes on while another page is open, and one that comes later sees it.
  await palette('Go to Traffic');
  await page.getByRole('heading', { name: 'Nothing captured yet' }).waitFor();
  await openBenchmark();
  await page.getByText('Measuring HTTPS · HTTP/2').waitFor();

  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await page.getByText('This run ended early').waitFor();
  expect(await rows().count()).toBe(2);
  await history().first().waitFor();

  await palette('Run the quick benchmark');
  await page.getByText('This run ended early').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run again' }).click();
  await history().nth(2).waitFor();
  // Nothing of all this went through the proxy of the user.
  await page.getByText('0 exchanges').waitFor();
});

test('a run is compared with an earlier one by its standing against the same rival', async () => {
  await store('earlier-run', '2026-02-27T08:02:00.000Z', 1.25);
  await store('later-run', '2026-03-03T09:12:00.000Z');
  await openBenchmark();
  await page.getByText(/^In throughput Weir .* is/).waitFor();

  const choice = page.getByLabel('Compare with');
  await choice.selectOption({ label: '27 Feb 2026, 08:02' });
  await page.getByText('1 of 5 profiles lost a tenth or more of its standing: HTTPS · HTTP/2 0.80×.').waitFor();
  expect(await page.locator('[data-profile="https-http2"]').innerText()).toContain('0.80× slower');
  expect(await page.locator('[data-profile="http1-small"]').innerText()).toContain('1.00×');
  expect(await axe()).toEqual([]);
  await choice.selectOption({ label: 'No other run' });
  await page.getByText('lost a tenth').waitFor({ state: 'detached' });
});

test('a ramp is chosen like a mode, and shows each load with what is sustained', async () => {
  await openBenchmark();
  await page.getByRole('radio', { name: 'Ramp' }).click();
  await page.getByText('8, 16, 32, 64 under way at once, 3 s each').waitFor();
  await page.getByRole('button', { name: 'Start' }).press('Enter');
  const table = page.getByRole('region', { name: 'HTTP/1.1, ramp', exact: true });
  const weir = await table.getByRole('row').filter({ hasText: 'Weir, capture off' }).innerText();
  expect(weir.replaceAll(/\s+/g, ' ')).toMatch(/^Weir, capture off 0\.1\.0 16 [\d,]+ /);
  await page
    .getByText(/p99 at most 50 ms, errors at most 0\.1 %/)
    .first()
    .waitFor();
  expect(await axe()).toEqual([]);

  const result = JSON.parse(await exported('JSON')) as BenchResult;
  expect(result.profiles).toEqual([]);
  expect(result.ladders.map(({ kind, profile }) => `${kind} ${profile}`)).toEqual(QUICK.map((id) => `ramp ${id}`));
});

test('deleting a run asks first', async () => {
  await store('earlier-run', '2026-02-27T08:02:00.000Z');
  await store('later-run', '2026-03-03T09:12:00.000Z');
  await openBenchmark();
  await history().nth(1).waitFor();
  await page.getByRole('button', { name: 'Delete the run of 27 Feb 2026, 08:02' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await history().count()).toBe(2);
  await page.getByRole('button', { name: 'Delete the run of 27 Feb 2026, 08:02' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await history().nth(1).waitFor({ state: 'detached' });
  await page.getByText('3 Mar 2026, 09:12').waitFor();
});

test('a damaged result is left out and named', async () => {
  await store('whole-run', '2026-03-03T09:12:00.000Z');
  await writeFile(join(resultsFolder(), 'torn.json'), '{"schema":"weir-bench/1"');
  await openBenchmark();
  await page.getByText('Left out, since they are no results: torn.json').waitFor();
  expect(await history().count()).toBe(1);
});
