import type { Page } from 'playwright-core';
import { detailOf, showSample } from '../support/real-inspector.ts';
import type { Scene } from './scenes.ts';

/* Pictures of what people do with Weir beside looking: set up, trust, compose, take in, take along. */

/** What Weir itself answers, so that a request needs no network. */
const OWN_PAGE = 'http://weir.test/';

/** Two entries that are traffic, and one that is not. */
const FILE = JSON.stringify({
  log: {
    version: '1.2',
    entries: [
      ...['/orders/77', '/orders/78'].map((path) => ({
        startedDateTime: '2026-03-01T10:00:00Z',
        time: 48,
        request: { method: 'GET', url: `https://api.weir.test${path}`, httpVersion: 'HTTP/2', headers: [] },
        response: {
          status: 200,
          httpVersion: 'HTTP/2',
          headers: [{ name: 'content-type', value: 'application/json' }],
          content: { mimeType: 'application/json', text: '{"state":"packed"}' },
        },
      })),
      { request: { method: 'GET', url: 'data:text/css,body%7B%7D' } },
    ],
  },
});

async function openCompose(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compose' }).click();
  await page.getByLabel('URL').fill(OWN_PAGE);
}

async function openSetup(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Setup' }).click();
  await page.getByRole('heading', { name: 'Setup', level: 1 }).waitFor();
}

export const JOURNEY_SCENES: readonly Scene[] = [
  {
    name: 'export',
    async show(page) {
      await showSample(page);
      await page.getByRole('grid', { name: 'Exchanges' }).focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Find an action').fill('Export as HAR');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: /^Export/ });
      await dialog.getByRole('radio', { name: /^All in the list/ }).click();
      await dialog.getByLabel('JSON values').fill('$..unitPrice, email');
      await dialog.getByText(/JSON values: [1-9]/).waitFor();
      await dialog.getByRole('progressbar').waitFor({ state: 'hidden' });
    },
  },
  { name: 'setup', show: openSetup },
  {
    name: 'capture',
    async show(page) {
      await openSetup(page);
      await page.getByRole('button', { name: 'Capture this computer…' }).click();
      await page.getByRole('dialog', { name: 'Capture this computer' }).getByText('Proxy mode').waitFor();
    },
  },
  {
    name: 'trust-doctor',
    async show(page) {
      await openSetup(page);
      await page.getByRole('button', { name: 'Examine' }).click();
      const again = page.getByRole('button', { name: 'Examine again' });
      await again.waitFor({ timeout: 60_000 });
      await again.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'authority-import',
    async show(page) {
      await openSetup(page);
      await page.getByRole('button', { name: 'Use one of yours…' }).click();
      await page.getByRole('dialog', { name: 'Use an authority of yours' }).waitFor();
    },
  },
  {
    name: 'compose',
    async show(page) {
      await openCompose(page);
      await page.keyboard.press('Control+Enter');
      await page.getByRole('region', { name: 'Response', exact: true }).getByText('200 OK').first().waitFor();
    },
  },
  {
    name: 'compose-repeat',
    async show(page) {
      await openCompose(page);
      await page.getByRole('tab', { name: 'Repeat' }).click();
      await page.getByLabel('Requests').fill('200');
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText('200 of 200 answered').waitFor();
    },
  },
  {
    name: 'import-report',
    async show(page) {
      const transfer = await page.evaluateHandle((text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], 'orders.har', { type: 'application/json' }));
        return data;
      }, FILE);
      await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
      await page.getByRole('dialog', { name: 'Imported orders.har' }).getByText('data: is no traffic').waitFor();
    },
    async leave(page) {
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      await detailOf(page).waitFor({ state: 'hidden' });
    },
  },
];
