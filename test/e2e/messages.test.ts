import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { applyFilter, detailOf, openExchange, showSample, startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';

const PATIENCE = { timeout: 20_000 };

let inspector: RealInspector;
let page: Page;

beforeAll(async () => {
  inspector = await startRealInspector();
});

beforeEach(async () => {
  page = await inspector.open();
  await showSample(page);
});

afterEach(async () => {
  await inspector.closePages();
});

afterAll(async () => {
  await inspector.stop();
});

test('columns for language models are shown when asked for, and filters find by them', async () => {
  await applyFilter(page, 'model:shop-assistant tokens:>200 ttft:>500ms');
  await page.getByRole('columnheader', { name: 'Method' }).click({ button: 'right' });
  for (const name of ['Model', 'Tokens', 'First token', 'Finish']) {
    await page.getByRole('menuitemcheckbox', { name, exact: true }).click();
  }
  await page.keyboard.press('Escape');
  const list = page.locator('[role=row][data-index]');
  await expect.poll(() => list.count(), PATIENCE).toBe(1);
  const cell = (id: string): Promise<string> => list.locator(`.cell.${id}`).innerText();
  expect([await cell('model'), await cell('finish')]).toEqual(['shop-assistant-small', 'stop']);
  expect(await cell('tokens')).toContain('212 → 74');
  expect(await cell('ttft')).toMatch(/^\d+ ms$/);
  const heads = page.getByRole('columnheader');
  expect(await heads.allInnerTexts()).toEqual(expect.arrayContaining(['Model', 'Tokens', 'First token', 'Finish']));
  expect(inspector.complaints).toEqual([]);
});

function rows(): Locator {
  return detailOf(page).getByRole('option');
}

test('messages are walked, read, found and left by the keyboard alone', async () => {
  await openExchange(page, 'path:/stock/live', 'Messages');
  const list = detailOf(page).getByRole('listbox', { name: 'Messages' });
  await list.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('j');
  await detailOf(page).getByRole('heading', { name: 'Message 2' }).waitFor();
  await detailOf(page).getByText('"ack"').last().waitFor();
  await page.keyboard.press('End');
  await detailOf(page).getByRole('heading', { name: 'Message 50' }).waitFor();

  await page.keyboard.press('Control+f');
  await page.keyboard.type('OAK sluice');
  await expect.poll(() => rows().count(), PATIENCE).toBe(1);
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await detailOf(page).getByText('"Is the oak sluice back soon?"').last().waitFor();

  await page.keyboard.press('Control+f');
  await page.keyboard.press('Escape');
  await expect.poll(() => rows().count(), PATIENCE).toBeGreaterThan(5);
  // The message that is read stays in view, and what the filter hid is not called new.
  await detailOf(page)
    .getByRole('option', { name: /oak sluice/, selected: true })
    .waitFor();
  expect(await detailOf(page).getByRole('button', { name: / new$/ }).count()).toBe(0);
  await list.focus();
  await page.keyboard.press('Escape');
  await expect
    .poll(() =>
      detailOf(page)
        .getByRole('heading', { name: /^Message / })
        .count(),
    )
    .toBe(0);
});

test('a direction and a kind leave what they say', async () => {
  await openExchange(page, 'path:/stock/live', 'Messages');
  await detailOf(page).getByRole('radio', { name: 'Sent' }).click();
  await detailOf(page).getByRole('radio', { name: 'Control' }).click();
  await expect.poll(() => rows().count(), PATIENCE).toBe(4);
  expect(await rows().allInnerTexts()).toEqual(expect.arrayContaining([expect.stringContaining('close 1001')]));
});

test('a gRPC message is taken apart by the wire format, and what the trailers said is told', async () => {
  await openExchange(page, 'path:/weir.shop.v1.Stock/Reserve', 'Messages');
  await rows().first().click();
  await detailOf(page).getByText('1: "1043"').last().waitFor();
  await detailOf(page).getByRole('tab', { name: 'Overview' }).click();
  await detailOf(page).getByText('9 FAILED_PRECONDITION').waitFor();
  expect(inspector.complaints).toEqual([]);
});
