import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GnomeDesktop } from '../support/gnome-desktop.ts';
import { missingForGnome, startGnomeDesktop } from '../support/gnome-desktop.ts';
import type { RealInspector } from '../support/real-inspector.ts';
import { startRealInspector } from '../support/real-inspector.ts';

/* The Setup page on a real backend inside a GNOME session of its own, with a browser's database in its home folder. */

const missing = missingForGnome();
if (missing !== null) process.stderr.write(`\nNOT TESTED: the Setup page on GNOME. ${missing}\n\n`);

const run = promisify(execFile);
/** A desktop, a build of the pages, a backend and a browser, on a machine that is busy. */
const START_MILLISECONDS = 300_000;

describe.skipIf(missing !== null)('the Setup page', () => {
  let desktop: GnomeDesktop;
  let inspector: RealInspector;
  let database: string;
  let page: Page;

  beforeAll(async () => {
    desktop = await startGnomeDesktop();
    database = await desktop.makeBrowserDatabase();
    inspector = await startRealInspector(desktop.environment);
    page = await inspector.open();
  }, START_MILLISECONDS);

  afterAll(async () => {
    await inspector.stop();
    await desktop.stop();
  });

  test('captures this computer by keys alone after listing what changes, and says so until it is turned off', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Find an action').fill('Capture this computer');
    await page.getByRole('option', { name: 'Capture this computer' }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Capture this computer' });
    await dialog.getByRole('row', { name: /Proxy mode 'none' 'manual'/ }).waitFor();
    expect(await desktop.dump()).toBe('');
    const hosts = dialog.getByLabel('Hosts without the proxy');
    await hosts.fill('localhost, *.corp.example');
    await hosts.press('Tab');
    await dialog.getByText("['localhost', '*.corp.example']").waitFor();
    await dialog.getByRole('button', { name: 'Turn on' }).press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('contentinfo').getByRole('button', { name: 'System proxy on' }).waitFor();
    expect(await desktop.dump()).toContain("mode='manual'");

    await page.getByRole('button', { name: 'Traffic', exact: true }).click();
    await page.getByRole('button', { name: 'System proxy on · Turn off' }).click();
    await page.getByText('The system proxy is off; the settings from before are back').waitFor();
    expect(await desktop.dump()).toBe('');
  });

  test('examines who trusts Weir, installs and removes it, and proves that decryption works', async () => {
    await page.getByRole('button', { name: 'Setup', exact: true }).click();
    await page.getByRole('button', { name: 'Examine' }).click();
    await page.getByText('A request through the proxy is decrypted').waitFor({ timeout: 60_000 });
    const store = page.getByRole('listitem').filter({ hasText: 'Chromium and Chrome' });
    await store.getByText('not trusted', { exact: true }).waitFor();
    await store.getByRole('button', { name: 'Trust', exact: true }).click();
    await store.getByText('trusted', { exact: true }).waitFor();
    const listing = async (): Promise<string> => (await run('certutil', ['-L', '-d', `sql:${database}`])).stdout;
    expect(await listing()).toContain('Weir CA');

    // Another authority: trust moves to it, and the old one goes with its key.
    const before = await listing();
    await page.getByRole('button', { name: 'Make a new one…' }).click();
    await page.getByRole('dialog', { name: 'Make a new authority' }).getByRole('button', { name: 'Make it' }).click();
    await page.getByText('Still trusted by Chromium and Chrome').waitFor();
    await page.getByRole('button', { name: 'Move trust' }).click();
    await page.getByText('Trust moved to the authority in use').waitFor();
    expect(await listing()).not.toBe(before);
    await page.getByRole('button', { name: 'Delete…', exact: true }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('The old authority and its key are deleted').waitFor();
    await store.getByRole('button', { name: 'Remove', exact: true }).click();
    await store.getByText('not trusted', { exact: true }).waitFor();
    expect(await listing()).not.toContain('Weir CA');
  });

  test('lets devices in on request and shows the address as a code', async () => {
    const open = page.getByRole('button', { name: 'Let devices in' });
    const alone = page.getByText('This computer is in no network');
    await open.or(alone).waitFor();
    // A machine without a network has no address for a device.
    if (await alone.isVisible()) return;
    await open.click();
    await page.getByRole('img', { name: /QR code of http:/ }).waitFor();
    await page.getByRole('button', { name: 'Let no device in' }).click();
    await open.waitFor();
    expect(inspector.complaints).toEqual([]);
  });
});
