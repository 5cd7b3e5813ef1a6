import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeInspector } from '../support/fake-inspector.ts';
import type { FakeInspector } from '../support/fake-inspector.ts';
import { percentile, traceMainThread } from '../support/main-thread-trace.ts';
import { scrollBy } from '../support/scroll-list.ts';

let inspector: FakeInspector;

beforeAll(async () => {
  inspector = await startFakeInspector();
});

afterAll(async () => {
  await inspector.close();
});

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
