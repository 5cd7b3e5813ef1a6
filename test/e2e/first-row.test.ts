import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserForTests } from '../support/browser.ts';
import { startRealInspector, type RealInspector } from '../support/real-inspector.ts';

/* The first minute of a newcomer: the real page on a real backend, one click, and a browser of its own. */

let inspector: RealInspector;

beforeAll(async () => {
  const { executablePath, args } = await browserForTests();
  inspector = await startRealInspector({
    WEIR_BROWSER: executablePath,
    WEIR_BROWSER_ARGS: ['--headless=new', ...args].join(' '),
  });
});

afterAll(async () => {
  await inspector.stop();
});

test('one click in the empty list opens a browser whose first page is a decrypted row, and nothing else', async () => {
  const page = await inspector.open();
  const button = page.getByRole('main').getByRole('button', { name: 'Open a browser' });
  await button.waitFor();

  const clickedAt = performance.now();
  await button.click();
  const row = page.getByRole('row').filter({ hasText: 'weir.test' }).filter({ hasText: '/welcome' });
  await row.filter({ hasText: '200' }).waitFor({ timeout: 30_000 });
  const seconds = (performance.now() - clickedAt) / 1_000;
  process.stdout.write(`first decrypted row ${seconds.toFixed(1)} s after the click\n`);

  await row.click();
  await page.getByRole('tab', { name: 'Response' }).click();
  await page.getByText('This browser goes through Weir').first().waitFor();
  await page.getByRole('tab', { name: 'TLS' }).click();
  await page.getByText('TLS 1.3').first().waitFor();
  expect(await page.getByRole('row').filter({ hasText: 'weir.test' }).count()).toBe(1);
  expect(inspector.complaints).toEqual([]);
});
