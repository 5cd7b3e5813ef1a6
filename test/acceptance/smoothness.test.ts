import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeInspector } from '../support/fake-inspector.ts';
import type { FakeInspector } from '../support/fake-inspector.ts';
import { scrollBy } from '../support/scroll-list.ts';

let inspector: FakeInspector;

beforeAll(async () => {
  inspector = await startFakeInspector();
});

afterAll(async () => {
  await inspector.close();
});

/** One event of Chromium's trace; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly tid: number;
  readonly ts: number;
  /** CPU time of the thread: what other programs do on this machine does not count. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** What the main thread did while `work` ran, milliseconds of its own CPU time. */
async function traceMainThread(
  page: Page,
  work: () => Promise<void>,
): Promise<{ frames: number[]; longestTask: number }> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    // The protocol calls them objects; their shape is Chromium's trace format.
    for (const event of value) events.push(event as unknown as TraceEvent);
  });
  const categories = [
    'devtools.timeline',
    'disabled-by-default-devtools.timeline',
    'disabled-by-default-devtools.timeline.frame',
    '__metadata',
  ];
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: categories },
  });
  await work();
  await stopTracing(session);

  const main = events.find((event) => event.name === 'thread_name' && event.args.name === 'CrRendererMain')?.tid;
  const own = events.filter((event) => event.tid === main);
  const tasks = own.filter((event) => event.name === 'RunTask' && event.ph === 'X');
  const starts = own
    .filter((event) => event.name === 'BeginMainThreadFrame')
    .map((event) => event.ts)
    .sort((one, other) => one - other);
  const frames = starts.map((start, at) => {
    const end = starts[at + 1] ?? Infinity;
    return sum(tasks.filter(({ ts }) => ts >= start && ts < end).map(({ tdur }) => (tdur ?? 0) / 1_000));
  });
  return { frames, longestTask: Math.max(...tasks.map(({ tdur }) => (tdur ?? 0) / 1_000)) };
}

async function stopTracing(session: CDPSession): Promise<void> {
  const complete = new Promise<void>((done) =>
    session.once('Tracing.tracingComplete', () => {
      done();
    }),
  );
  await session.send('Tracing.end');
  await complete;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

test('scrolling a million rows costs the main thread at most 8 ms a frame', async () => {
  const page = await inspector.open(1_000_000);
  await page.locator('#exchange-1000000').waitFor();
  // Once without measuring: code is compiled and pages are loaded.
  await scrollBy(page, -120, 240);
  let best = { p95: Infinity, longestTask: Infinity };
  // Other programs on the machine only ever add to a figure, so the best of some rounds counts.
  for (let round = 0; round < 8 && (best.p95 > 8 || best.longestTask > 50); round += 1) {
    const { frames, longestTask } = await traceMainThread(page, async () => {
      await scrollBy(page, -120, 90);
    });
    expect(frames.length).toBeGreaterThan(60);
    const p95 = percentile(frames, 0.95);
    if (p95 < best.p95) best = { p95, longestTask };
    console.log(
      `scrolling: ${String(frames.length)} frames, p50 ${percentile(frames, 0.5).toFixed(1)} ms, ` +
        `p95 ${p95.toFixed(1)} ms, longest task ${longestTask.toFixed(1)} ms`,
    );
  }
  expect(best.p95).toBeLessThanOrEqual(8);
  expect(best.longestTask).toBeLessThanOrEqual(50);
});
