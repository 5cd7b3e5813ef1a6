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

test('no row is blank while a million rows scroll by', async () => {
  const page = await inspector.open(1_000_000);
  await page.locator('#exchange-1000000').waitFor();
  expect(await scrollBy(page, -120, 240)).toBe(0);
});

test('nothing shifts while 500 rows stream in', async () => {
  const page = await inspector.open(1_000);
  await page.locator('#exchange-1000').waitFor();
  // A font that comes after the first text makes words narrower by itself: the page has all of them, and has drawn with them.
  await page.evaluate(async () => {
    await Promise.all([...document.fonts].map((face) => face.load()));
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  });
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let total = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) total += (entry as PerformanceEntry & { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: false });
        let streamed = 0;
        const next = (): void => {
          if (streamed === 500) {
            requestAnimationFrame(() => {
              resolve(total);
            });
            return;
          }
          window.fake.begin(10);
          streamed += 10;
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
  );
  await page.locator('#exchange-1500').waitFor();
  expect(shift).toBe(0);
});
