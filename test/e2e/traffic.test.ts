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

const rows = (page: Page): Locator => page.locator('[role=row][data-index]');
const rowOf = (page: Page, id: number): Locator => page.locator(`#exchange-${String(id)}`);
const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Exchanges' });
const pill = (page: Page): Locator => page.getByRole('button', { name: / new$/ });
const filterBox = (page: Page): Locator => page.getByRole('combobox', { name: 'Filter' });

/** Ids of the rows in view, in the order in which they are drawn. */
function visibleIds(page: Page): Promise<number[]> {
  return rows(page).evaluateAll((elements) =>
    elements
      .filter((element) => element.id !== '')
      .map((element) => ({
        id: Number(element.id.slice('exchange-'.length)),
        top: element.getBoundingClientRect().top,
      }))
      .sort((one, other) => one.top - other.top)
      .map(({ id }) => id),
  );
}

async function begin(page: Page, count: number, state: 'active' | 'complete' = 'complete'): Promise<void> {
  await page.evaluate(
    ([number, as]) => {
      window.fake.begin(number, as);
    },
    [count, state] as const,
  );
}

test('the list opens at its newest row, with host, path, type, size and time in words', async () => {
  const page = await inspector.open(1_284);
  await rowOf(page, 1_284).waitFor();
  const cells = await rowOf(page, 1_279).locator('[role=gridcell]').allInnerTexts();
  expect(cells.map((cell) => cell.trim())).toEqual([
    '',
    '204',
    'OPTIONS',
    'api.weir.test',
    expect.stringMatching(/^\/v2\s*\/cart$/),
    '–',
    '0 B',
    expect.stringMatching(/^\d+ ms$/),
    '',
    'http/1.1',
    expect.stringMatching(/^\d\d:30:51\.\d\d$/),
  ]);
  expect(await grid(page).getAttribute('aria-rowcount')).toBe('1285');
});

test('rows appear as requests start and fill in as they finish', async () => {
  const page = await inspector.open(20);
  await rowOf(page, 20).waitFor();
  await begin(page, 1, 'active');
  // Its time of beginning is that of the sample: long ago.
  await expect.poll(() => rowOf(page, 21).innerText()).toMatch(/^\s*> 1 day\s/);
  await page.evaluate(() => {
    window.fake.finish(21);
  });
  await expect.poll(() => rowOf(page, 21).locator('.status').first().innerText()).toBe('200');
});

test('at the tail new rows are followed; away from it nothing moves and a pill counts them', async () => {
  const page = await inspector.open(1_000);
  await rowOf(page, 1_000).waitFor();
  await begin(page, 5);
  await rowOf(page, 1_005).waitFor();
  await grid(page).hover();
  await page.mouse.wheel(0, -600);
  await expect.poll(() => rowOf(page, 1_005).count()).toBe(0);
  // The wheel scrolls smoothly; the rows have come to rest when two looks agree.
  await expect
    .poll(async () => {
      const [one, other] = [await visibleIds(page), await visibleIds(page)];
      return one.join() === other.join();
    })
    .toBe(true);
  await page.waitForFunction(() => window.fake.exchanges === 1_005);
  const before = await visibleIds(page);
  await begin(page, 128);
  await expect.poll(() => pill(page).innerText()).toBe('128 new');
  expect(await visibleIds(page)).toEqual(before);
  await pill(page).click();
  await rowOf(page, 1_133).waitFor();
  await expect.poll(() => pill(page).count()).toBe(0);
});

test('a chosen row is being read: the list stands still, and follows again without it', async () => {
  const page = await inspector.open(100);
  await rowOf(page, 98).click();
  await begin(page, 3);
  await expect.poll(() => pill(page).innerText()).toBe('3 new');
  await page.keyboard.press('Escape');
  await rowOf(page, 103).waitFor();
  expect(await rows(page).locator('xpath=self::*[@aria-selected="true"]').count()).toBe(0);
});

test('a click on a head sorts by it, descending at the second, and in the order of time at the third', async () => {
  const page = await inspector.open(190);
  const head = page.getByRole('columnheader', { name: 'Size' });
  await rowOf(page, 190).waitFor();
  await head.getByRole('button').click();
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending');
  await head.getByRole('button').click();
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending');
  await expect.poll(() => rows(page).locator('xpath=self::*[@data-index="0"]').innerText()).toContain('312 KB');
  await head.getByRole('button').click();
  await rowOf(page, 190).waitFor();
});

test('the chosen row stays chosen and in view through sorting and filtering', async () => {
  const page = await inspector.open(950);
  await rowOf(page, 947).click();
  await page.getByRole('columnheader', { name: 'Host' }).getByRole('button').click();
  await expect.poll(() => rowOf(page, 947).getAttribute('aria-selected')).toBe('true');
  await filterBox(page).fill('status:429');
  await expect.poll(() => grid(page).getAttribute('aria-rowcount')).toBe('51');
  await rowOf(page, 947).waitFor({ state: 'detached' });
  await filterBox(page).fill('');
  await expect.poll(() => rowOf(page, 947).getAttribute('aria-selected')).toBe('true');
});

test('typing filters, keys are completed, and Enter goes to the list', async () => {
  const page = await inspector.open(190);
  await rowOf(page, 190).waitFor();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('stat');
  await page.getByRole('option', { name: /^status:/ }).waitFor();
  await page.keyboard.press('Tab');
  expect(await filterBox(page).inputValue()).toBe('status:');
  await page.keyboard.type('404');
  await expect.poll(() => grid(page).getAttribute('aria-rowcount')).toBe('11');
  await page.keyboard.press('Enter');
  expect(await grid(page).evaluate((element) => element === document.activeElement)).toBe(true);
});

test('hosts of the session are completed', async () => {
  const page = await inspector.open(190);
  await page.getByRole('treeitem', { name: /^cdn/ }).waitFor();
  await filterBox(page).pressSequentially('host:cd');
  await page.getByRole('option', { name: 'cdn.weir.test' }).click();
  expect(await filterBox(page).inputValue()).toBe('host:cdn.weir.test ');
  await expect.poll(() => grid(page).getAttribute('aria-rowcount')).not.toBe('191');
});

test('a filter that cannot be read is underlined at its place and told in words', async () => {
  const page = await inspector.open(40);
  await rowOf(page, 40).waitFor();
  await filterBox(page).fill('status:abc ');
  const alert = page.getByRole('alert');
  await expect.poll(() => alert.innerText()).toMatch(/^This is no status\..* at character 8$/s);
  expect(await page.locator('.echo .bad').innerText()).toBe('abc');
  expect(await grid(page).getAttribute('aria-rowcount')).toBe('41');
});

test('a filter without results says so with its text and offers to clear it', async () => {
  const page = await inspector.open(40);
  await rowOf(page, 40).waitFor();
  await filterBox(page).fill('host:nowhere-else');
  await page.getByText('Nothing in this session passes the filter “host:nowhere-else”.').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Clear filter' }).click();
  await rowOf(page, 40).waitFor();
  expect(await filterBox(page).inputValue()).toBe('');
});

test('a host of the sidebar filters, and a second click takes the filter away', async () => {
  const page = await inspector.open(190);
  const api = page.getByRole('treeitem', { name: /^api/ });
  await api.click();
  await expect.poll(() => filterBox(page).inputValue()).toBe('host:api.weir.test');
  await expect.poll(() => api.getAttribute('aria-selected')).toBe('true');
  await api.click();
  await expect.poll(() => filterBox(page).inputValue()).toBe('');
});

test('the list is walked by keys', async () => {
  const page = await inspector.open(10_000);
  await rowOf(page, 10_000).waitFor();
  await grid(page).focus();
  const active = (): Promise<string | null> => grid(page).getAttribute('aria-activedescendant');
  await page.keyboard.press('End');
  await expect.poll(active).toBe('exchange-10000');
  await page.keyboard.press('k');
  await expect.poll(active).toBe('exchange-9999');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('j');
  await expect.poll(active).toBe('exchange-9999');
  await page.keyboard.press('Home');
  await expect.poll(active).toBe('exchange-1');
  await page.keyboard.press('PageDown');
  await expect.poll(active).toMatch(/^exchange-3\d$/);
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect.poll(() => rows(page).locator('xpath=self::*[@aria-selected="true"]').count()).toBe(3);
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.closest('[data-pane]')?.getAttribute('data-pane'))).toBe(
    'detail',
  );
});

test('F6 goes round the panes in order', async () => {
  const page = await inspector.open(100);
  await rowOf(page, 99).click();
  const pane = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.closest('[data-pane]')?.getAttribute('data-pane'));
  const seen: (string | null | undefined)[] = [await pane()];
  for (let step = 0; step < 4; step += 1) {
    await page.keyboard.press('F6');
    seen.push(await pane());
  }
  expect(seen).toEqual(['list', 'detail', 'toolbar', 'sidebar', 'list']);
  await page.keyboard.press('Shift+F6');
  expect(await pane()).toBe('sidebar');
});

test('the detail is reached by a key also while it is still being fetched', async () => {
  const page = await inspector.open(100);
  let arrive = (): void => undefined;
  const fetched = new Promise<void>((resolve) => (arrive = resolve));
  const late = await page.context().newPage();
  await late.route(/inspector.*\.js$/, async (route) => {
    await fetched;
    await route.continue();
  });
  await late.goto(page.url());
  await rowOf(late, 99).click();
  const pane = (): Promise<string | null | undefined> =>
    late.evaluate(() => document.activeElement?.closest('[data-pane]')?.getAttribute('data-pane'));
  await late.keyboard.press('F6');
  expect(await pane()).toBe('detail');
  await late.keyboard.press('Shift+F6');
  await late.keyboard.press('Enter');
  expect(await pane()).toBe('detail');
  arrive();
  await late.getByRole('tab', { name: 'Response' }).waitFor();
  expect(await pane()).toBe('detail');
});

test('every action of the row menu is reached by keys and does what it says', async () => {
  const page = await inspector.open(100, { permissions: ['clipboard-read', 'clipboard-write'] });
  await rowOf(page, 84).click();
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  const choose = async (...names: string[]): Promise<void> => {
    await grid(page).focus();
    await page.keyboard.press('Shift+F10');
    for (const name of names) {
      const item = page.getByRole('menuitem', { name, exact: true });
      await item.waitFor();
      for (let tries = 0; tries < 12 && (await item.getAttribute('data-highlighted')) === null; tries += 1) {
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press((await item.getAttribute('aria-haspopup')) === null ? 'Enter' : 'ArrowRight');
    }
  };
  await choose('Copy', 'URL Ctrl C');
  await expect.poll(copied).toBe('https://api.weir.test/v2/cart?expand=items,totals');
  await choose('Copy', 'cURL command c');
  await expect.poll(copied).toBe("curl 'https://api.weir.test/v2/cart?expand=items,totals'");
  await choose('Copy', 'Request headers');
  await expect.poll(copied).toContain('Host: api.weir.test');
  await choose('Copy', 'Response body');
  await expect.poll(copied).toBe('{"id":"crt_8Q2ZK"}');
  await choose('Filter', 'Only this host');
  await expect.poll(() => filterBox(page).inputValue()).toBe('host:api.weir.test');
  await choose('Filter', 'Only this path');
  await expect.poll(() => filterBox(page).inputValue()).toBe('host:api.weir.test path:/v2/cart');
  await choose('Pass through host');
  await page.getByText('api.weir.test passes through from its next connection on').waitFor();
  expect(await page.evaluate(() => window.fake.settings.passthroughHosts)).toContain('api.weir.test');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => page.evaluate(() => window.fake.settings.passthroughHosts)).not.toContain('api.weir.test');
});

test('columns are resized, hidden and kept over a reload', async () => {
  const page = await inspector.open(40);
  const host = page.getByRole('columnheader', { name: 'Host' });
  await rowOf(page, 40).waitFor();
  const box = await host.boundingBox();
  if (box === null) throw new Error('The column has no box.');
  await page.mouse.move(box.x + box.width - 1, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 59, box.y + 10, { steps: 3 });
  await page.mouse.up();
  await expect.poll(async () => (await host.boundingBox())?.width).toBe(192);
  await host.click({ button: 'right' });
  await page.getByRole('menuitemcheckbox', { name: 'Protocol' }).click();
  await page.keyboard.press('Escape');
  await page.reload();
  await rowOf(page, 40).waitFor();
  expect((await host.boundingBox())?.width).toBe(192);
  expect(await page.getByRole('columnheader', { name: 'Protocol' }).count()).toBe(0);
});

test('a million rows scroll by the wheel, the scroll bar and keys', async () => {
  const page = await inspector.open(1_000_000);
  await rowOf(page, 1_000_000).waitFor();
  await grid(page).evaluate((element) => {
    element.scrollTop = element.scrollHeight / 2;
  });
  await expect.poll(async () => Math.abs((await visibleIds(page))[0] ?? 0) - 500_000).toBeLessThan(100);
  await expect.poll(async () => (await visibleIds(page)).length).toBeGreaterThan(30);
  const [before = 0] = await visibleIds(page);
  await grid(page).hover();
  await page.mouse.wheel(0, 240);
  // Ten rows, although the scroll bar moves by less.
  await expect.poll(async () => ((await visibleIds(page))[0] ?? 0) - before).toBe(10);
  await grid(page).focus();
  await page.keyboard.press('Home');
  await rowOf(page, 1).waitFor();
  await page.keyboard.press('End');
  await rowOf(page, 1_000_000).waitFor();
});
