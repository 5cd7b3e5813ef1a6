import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFindings } from '../support/accessibility.ts';
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

test.each(['dark', 'light'] as const)('no page has an accessibility finding in the %s theme', async (colorScheme) => {
  const page = await inspector.open(19, { colorScheme });
  await page.locator('#exchange-19').click();
  await page.getByRole('region', { name: 'Detail' }).waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Palette' }).waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  for (const name of ['Setup', 'Settings']) {
    await page.getByRole('navigation').getByRole('button', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  }
  // The licences, from Settings and back by the keyboard alone.
  await page.getByRole('button', { name: 'Licences…' }).press('Enter');
  const licences = page.getByRole('dialog', { name: 'Licences' });
  await licences.locator('summary', { hasText: /^svelte 5/ }).press('Enter');
  await licences.getByText('Svelte Contributors').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await licences.waitFor({ state: 'detached' });
});

test('no page overflows its window', async () => {
  const page = await inspector.open(200, { viewport: { width: 1_024, height: 700 } });
  const overflows = (): Promise<boolean> =>
    page.evaluate(
      () => document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight,
    );
  await page.locator('#exchange-200').click();
  for (const size of [
    { width: 1_024, height: 700 },
    { width: 1_440, height: 900 },
    { width: 700, height: 500 },
  ]) {
    await page.setViewportSize(size);
    await expect.poll(overflows).toBe(false);
  }
  for (const name of ['Setup', 'Settings']) {
    await page.getByRole('navigation').getByRole('button', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await expect.poll(overflows).toBe(false);
  }
});

test('an empty session is one click away from its first traffic', async () => {
  const page = await inspector.open(0, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('heading', { name: 'Nothing captured yet' }).waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy terminal line' }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('weir run -- curl https://example.org');
  await page.getByRole('button', { name: 'Open a browser' }).click();
  await expect.poll(() => page.evaluate(() => window.fake.calls.map(({ name }) => name))).toContain('browsers.open');
  await page.evaluate(() => {
    window.fake.begin(3);
  });
  await page.locator('#exchange-3').waitFor();
});

test('without a browser the empty state says where it looked', async () => {
  const page = await inspector.open(0);
  await page.evaluate(() => {
    window.fake.browsers = { found: [], searched: ['/usr/bin/chromium', '/opt/chrome'] };
  });
  await page.getByRole('button', { name: 'Open a browser' }).click();
  await page.getByText('No browser was found.').waitFor();
});

test('sample traffic comes in a session of its own, with a banner that removes it', async () => {
  const page = await inspector.open(0);
  await page.getByRole('button', { name: 'Show sample traffic' }).click();
  await page.getByText('This is sample traffic of an invented shop.').waitFor();
  await page.locator('#exchange-38').waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('This is sample traffic of an invented shop.').waitFor({ state: 'detached' });
});

test('a pause is amber, counts what passes and is ended by the same button', async () => {
  const page = await inspector.open(5);
  await page.getByRole('button', { name: 'Recording' }).click();
  await page.evaluate(() => {
    window.fake.setStatus({ passedWhilePaused: 132 });
  });
  const button = page.getByRole('button', { name: 'Not recording · 132 passed' });
  await button.waitFor();
  await button.click();
  await page.getByRole('button', { name: 'Recording' }).waitFor();
});

test('clearing begins a new session and keeps the old one under Sessions', async () => {
  const page = await inspector.open(40);
  await page.locator('#exchange-40').waitFor();
  await page.keyboard.press('Control+Backspace');
  await page.getByRole('heading', { name: 'Nothing captured yet' }).waitFor();
  await page.evaluate(() => {
    window.fake.begin(1);
  });
  await page.locator('#exchange-41').waitFor();
  await page.getByRole('tab', { name: 'Sessions' }).click();
  await page.getByRole('button', { name: /^3 Mar 2026, 09:30/ }).waitFor();
  await page.getByRole('button', { name: /^2 Mar 2026, 17:02/ }).click();
  await page.getByText('This session is empty').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Show what is recorded now' }).click();
  await page.locator('#exchange-41').waitFor();
});

test('a store that cannot write, an engine that came back and an authority that ends are told', async () => {
  const page = await inspector.open(5);
  await page.evaluate(() => {
    const { certificateAuthority } = window.fake.status;
    window.fake.setStatus({
      storeTrouble: { code: 'disk-full', message: 'The disk is full.', since: 0, lostExchanges: 1_204 },
      restartedAt: Date.UTC(2026, 2, 3, 9, 31) * 1_000,
      certificateAuthority: { ...certificateAuthority, daysLeft: 12 },
      lostExchanges: 1_204,
    });
  });
  await page.getByText('Nothing is being recorded: The disk is full. 1,204 exchanges passed unrecorded').waitFor();
  await page.getByText('ends in 12 days').waitFor();
  await page.getByText('1,204 not recorded').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByText('stopped unexpectedly').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'See Setup' }).click();
  await page.getByRole('heading', { level: 1, name: 'Setup' }).waitFor();
});

test('a lost connection is told and mended by itself', async () => {
  const page = await inspector.open(50);
  await page.locator('#exchange-50').waitFor();
  await page.evaluate(() => {
    window.fake.close();
  });
  await page.getByRole('alert').getByText('Connection lost · retrying').waitFor();
  await page.evaluate(() => {
    window.fake.reopen();
  });
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.evaluate(() => {
    window.fake.begin(1);
  });
  await page.locator('#exchange-51').waitFor();
});

test('the palette finds an action by its name and runs it', async () => {
  const page = await inspector.open(50);
  await page.locator('#exchange-50').waitFor();
  await page.keyboard.press('Control+Shift+P');
  await page.locator('[role="dialog"] input:focus').waitFor();
  await page.keyboard.type('theme li');
  await page.getByRole('option', { name: 'Theme: light', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light');
  await expect
    .poll(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor))
    .toBe('rgb(241, 244, 245)');
  await page.reload();
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light');
});

test('what is typed right behind the palette’s keys arrives whole, and the focus goes back to where it was', async () => {
  const page = await inspector.open(50);
  const grid = page.getByRole('grid', { name: 'Exchanges' });
  for (let round = 0; round < 5; round += 1) {
    await grid.focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to set');
    expect(await page.getByPlaceholder('Find an action').inputValue()).toBe('go to set');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => grid.evaluate((element) => element === document.activeElement)).toBe(true);
  }
});

test('the sheet of keys shows the table that feeds them', async () => {
  const page = await inspector.open(5);
  await page.locator('#exchange-5').click();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'All keys' });
  await sheet.getByText('Copy as cURL').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
});

test('in a narrow window the sidebar lies over the list and the detail stands beneath', async () => {
  const page = await inspector.open(100, { viewport: { width: 1_024, height: 700 } });
  await page.locator('#exchange-99').click();
  const detail = await page.getByRole('region', { name: 'Detail' }).boundingBox();
  expect(detail?.width).toBe(976);
  expect(detail?.height).toBeCloseTo((700 - 44 - 24) * 0.45, -1);
  expect(await page.locator('#exchange-99').isVisible()).toBe(true);
  expect(await page.getByRole('complementary', { name: 'Sidebar' }).count()).toBe(0);
  await page.keyboard.press('Control+b');
  await page.getByRole('complementary', { name: 'Sidebar' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'Sidebar' }).waitFor({ state: 'detached' });
});

test('splitters move by arrow keys, and a double click resets them', async () => {
  const page = await inspector.open(50);
  await page.locator('#exchange-50').click();
  const splitter = page.getByRole('separator', { name: 'Width of the detail' });
  await splitter.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => splitter.getAttribute('aria-valuenow')).toBe('496');
  await splitter.dblclick();
  await expect.poll(() => splitter.getAttribute('aria-valuenow')).toBe('480');
});

test('settings are saved as they are changed', async () => {
  const page = await inspector.open(5);
  await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Pass through').fill('pinned.example\n*.bank.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => page.evaluate(() => window.fake.settings.passthroughHosts))
    .toEqual(['pinned.example', '*.bank.example']);
  await page.getByLabel('Connect').fill('2.5');
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate(() => window.fake.settings.timeouts['connect'])).toBe(2_500);
  // A setting is found by its name too, as what leads here from elsewhere asks for it.
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('recordFrames');
  await page.getByRole('checkbox', { name: /Record frames of HTTP\/2/ }).click();
  await expect.poll(() => page.evaluate(() => window.fake.settings.recordFrames)).toBe(false);
});

test('Setup opens a terminal window where there can be one, says why where not, and saves the certificate', async () => {
  const page = await inspector.open(5);
  await page.getByRole('navigation').getByRole('button', { name: 'Setup' }).click();
  await page.getByRole('button', { name: 'Open GNOME Terminal' }).click();
  await page.getByText('Opened GNOME Terminal').waitFor();
  expect(await page.evaluate(() => window.fake.calls.map(({ name }) => name))).toContain('setup.openTerminal');
  await page.getByRole('radio', { name: 'PowerShell' }).click();
  await page.getByText('No window can be opened from here. PowerShell is not on this computer.').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'DER' }).click();
  expect((await download).suggestedFilename()).toBe('weir-ca.der');
});
