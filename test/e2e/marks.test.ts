import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startFakeInspector } from '../support/fake-inspector.ts';
import type { FakeInspector } from '../support/fake-inspector.ts';

let inspector: FakeInspector;

beforeAll(async () => {
  inspector = await startFakeInspector();
});

afterEach(async () => {
  await Promise.all(inspector.browser.contexts().map((context) => context.close()));
  expect(inspector.complaints).toEqual([]);
});

afterAll(async () => {
  await inspector.close();
});

const rowOf = (page: Page, id: number): Locator => page.locator(`#exchange-${String(id)}`);
const chosen = (page: Page): Promise<string[]> =>
  page
    .locator('[role=row][aria-selected=true]')
    .evaluateAll((rows) => rows.map(({ id }) => id.replace('exchange-', '')));

test('keys label, pin and take back, for all that are chosen', async () => {
  const page = await inspector.open(100);
  await rowOf(page, 95).click();
  await rowOf(page, 97).click({ modifiers: ['Shift'] });
  const marked = (what: string): Promise<number> =>
    page.locator(`:is(#exchange-95, #exchange-96, #exchange-97) ${what}`).count();
  await page.keyboard.press('3');
  await expect.poll(() => marked('[title="label yellow"]')).toBe(3);
  await page.keyboard.press('p');
  await expect.poll(() => marked('[aria-label="pinned"]')).toBe(3);
  await page.keyboard.press('3');
  await page.keyboard.press('p');
  await expect.poll(() => marked('[title="label yellow"]')).toBe(0);
  await expect.poll(() => marked('[aria-label="pinned"]')).toBe(0);
});

test('a comment is written, marks its row and is read again', async () => {
  const page = await inspector.open(100);
  await rowOf(page, 96).click();
  await page.keyboard.press('n');
  await page.getByRole('textbox', { name: 'Comment' }).fill('the cart was empty');
  await page.keyboard.press('Control+Enter');
  await rowOf(page, 96).getByLabel('has a comment').waitFor();
  await page.getByRole('region', { name: 'Detail' }).getByText('the cart was empty').waitFor();
  await page.keyboard.press('n');
  expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('the cart was empty');
});

test('deleted rows go at once, the next one is chosen, and undo brings them back', async () => {
  const page = await inspector.open(100);
  await rowOf(page, 90).click();
  await rowOf(page, 92).click({ modifiers: ['Shift'] });
  await page.keyboard.press('Delete');
  await expect.poll(() => chosen(page)).toEqual(['93']);
  expect(await rowOf(page, 91).count()).toBe(0);
  const gap = await page.evaluate(
    () =>
      (document.querySelector('#exchange-93')?.getBoundingClientRect().top ?? 0) -
      (document.querySelector('#exchange-89')?.getBoundingClientRect().bottom ?? 0),
  );
  expect(gap).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await rowOf(page, 91).waitFor();
  await expect.poll(() => chosen(page)).toEqual(['90', '91', '92']);
});

test('two exchanges are compared, until others are chosen', async () => {
  const page = await inspector.open(100);
  await rowOf(page, 90).click();
  await rowOf(page, 91).click({ modifiers: ['Control'] });
  await page.keyboard.press('d');
  const comparison = page.getByRole('region', { name: 'Comparison' });
  await comparison.getByRole('table', { name: 'Exchange' }).waitFor();
  const path = comparison.getByRole('row', { name: /^Path/ });
  expect(await path.locator('del').count()).toBe(1);
  expect(await path.locator('ins').count()).toBe(1);
  await rowOf(page, 92).click();
  await expect.poll(() => comparison.count()).toBe(0);
});

test('every action of the row menu can be reached and run by the keyboard', async () => {
  const page = await inspector.open(100);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await rowOf(page, 96).click();
  const names = async (): Promise<string[]> => {
    const menu = page.getByRole('menu').last();
    return menu.getByRole('menuitem').evaluateAll((items) => items.map((item) => item.textContent.trim()));
  };
  const openMenu = async (): Promise<void> => {
    await page.keyboard.press('Shift+F10');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toMatch(/^menu/);
  };
  /** Goes down until the line has the focus. */
  const goTo = async (line: string): Promise<void> => {
    for (let steps = 0; steps < 20; steps += 1) {
      const at = await page.evaluate(() => document.activeElement?.textContent.trim() ?? '');
      if (at.startsWith(line)) return;
      await page.keyboard.press('ArrowDown');
    }
    throw new Error(`The menu has no line ${line}.`);
  };
  /** Opens the submenu of the marked line; its first line has the focus then. */
  const openSubmenu = async (first: string): Promise<void> => {
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent.trim())).toContain(first);
  };
  await openMenu();
  expect((await names()).map((name) => name.replace(/\s+\S{1,6}$/, ''))).toEqual(
    expect.arrayContaining(['Copy', 'Filter', 'Label']),
  );
  // Copy, the first submenu: its third line.
  await goTo('Copy');
  await openSubmenu('URL');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('fetch call copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^await fetch\("https:\/\//);
  // The focus is back in the list; a label by its first letter.
  await openMenu();
  await goTo('Label');
  await openSubmenu('Red');
  await goTo('Green');
  await page.keyboard.press('Enter');
  await rowOf(page, 96).locator('[title="label green"]').waitFor();
  await openMenu();
  await goTo('Delete');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowOf(page, 96).count()).toBe(0);
});

test('what is chosen is exported as one file, once it was shown what leaves', async () => {
  const page = await inspector.open(100);
  await rowOf(page, 96).click();
  await page.keyboard.press('Control+K');
  await page.keyboard.type('export as har');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Export 1 exchange' });
  await dialog.getByText('Header values: 2').waitFor();
  await dialog.getByText('request header Authorization').waitFor();
  // An exchange is named as people know it; a long URL is whole in its tooltip.
  const left = dialog.getByRole('listitem').filter({ hasText: 'the response body of POST https://api.weir.test/v2/' });
  const named = left.getByTitle(/^POST https:\/\/api\.weir\.test\/.*\/items\/1042\/reservations\?warehouse=north$/);
  expect(await named.textContent()).toMatch(/^POST https:\/\/api\.weir\.test\/.+….+\?warehouse=north$/);
  await dialog.getByLabel('JSON values').fill('$.a, $["b,c"]');
  const asked = (): Promise<unknown> =>
    page.evaluate(() => window.fake.opened.filter(({ name }) => name === 'export.preview').at(-1)?.input);
  await expect.poll(asked).toMatchObject({ redaction: { jsonPaths: ['$.a', '$["b,c"]'] } });
  // All that the list shows, without naming each of them.
  await dialog.getByRole('radio', { name: 'All in the list (100)' }).click();
  await expect.poll(asked).toMatchObject({ choice: { filter: '' } });
  await dialog.getByRole('radio', { name: 'Chosen (1)' }).click();
  await dialog.getByRole('radio', { name: '.weir' }).click();
  await dialog.getByRole('radio', { name: 'HAR' }).click();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save file' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('weir.har');
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toEqual({ log: { entries: [] } });
  const calls = await page.evaluate(() => window.fake.calls.filter(({ name }) => name === 'export.begin'));
  expect(calls).toMatchObject([
    { input: { choice: { ids: [96] }, format: 'har', redaction: { jsonPaths: ['$.a', '$["b,c"]'] } } },
  ]);
  expect(JSON.stringify(calls)).toContain('authorization');
});

test('a column is dragged to another place, and stays there after a reload', async () => {
  const page = await inspector.open(50);
  await rowOf(page, 50).waitFor();
  const heads = (): Promise<string[]> =>
    page.getByRole('columnheader').evaluateAll((cells) => cells.map((cell) => cell.textContent.trim()));
  const head = (name: string): Locator => page.getByRole('columnheader', { name });
  await head('Size').getByRole('button').hover();
  await page.mouse.down();
  const target = await head('Host').boundingBox();
  if (target === null) throw new Error('The head is not drawn.');
  await page.mouse.move(target.x + 10, target.y + 10, { steps: 5 });
  await page.mouse.up();
  await expect.poll(heads).toEqual(expect.arrayContaining(['Size', 'Host']));
  const after = await heads();
  expect(after.indexOf('Size')).toBe(after.indexOf('Host') - 1);
  expect(await head('Size').getAttribute('aria-sort')).toBe('none');
  await page.reload();
  await rowOf(page, 50).waitFor();
  expect(await heads()).toEqual(after);
});

test('the menu of a head moves its column and shows the waterfall', async () => {
  const page = await inspector.open(50);
  await rowOf(page, 50).waitFor();
  await page.getByRole('columnheader', { name: 'Method' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Move Method left' }).click();
  await page.getByRole('columnheader', { name: 'Method' }).click({ button: 'right' });
  await page.getByRole('menuitemcheckbox', { name: 'Waterfall' }).click();
  await page.keyboard.press('Escape');
  const bars = await page
    .locator('.waterfall .span')
    .evaluateAll((spans) =>
      spans.map((span) => ({ left: (span as HTMLElement).style.left, width: (span as HTMLElement).style.width })),
    );
  expect(bars.length).toBeGreaterThan(20);
  expect(bars.some(({ left }) => left !== '0%')).toBe(true);
});

test('a filter is saved, named and applied again by a click', async () => {
  const page = await inspector.open(100);
  const box = page.getByRole('combobox', { name: 'Filter' });
  await box.fill('status:404');
  await box.press('Enter');
  await page.keyboard.press('Control+S');
  await page.getByRole('button', { name: 'More about the filter' }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Missing');
  await page.keyboard.press('Enter');
  await box.fill('');
  await box.press('Enter');
  await page.getByRole('button', { name: /^Missing/ }).click();
  await expect.poll(() => box.inputValue()).toBe('status:404');
});

test('a session is renamed and merged from its menu', async () => {
  const page = await inspector.open(10);
  await page.getByRole('tab', { name: 'Sessions' }).click();
  await page.getByRole('button', { name: 'More about the session 2 Mar 2026, 17:02' }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Yesterday');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'More about the session Yesterday' }).click();
  await page.getByRole('menuitem', { name: 'Merge into' }).press('ArrowRight');
  await page.getByRole('menuitem', { name: '3 Mar 2026, 09:30' }).press('Enter');
  await page.getByRole('button', { name: 'Merge sessions' }).click();
  await expect.poll(() => page.getByText('Yesterday').count()).toBe(0);
});
