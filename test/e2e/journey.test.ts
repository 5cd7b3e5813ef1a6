import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserForTests } from '../support/browser.ts';
import { startChainProxy, type ChainProxy } from '../support/chain-proxy.ts';
import { missingForGnome, startGnomeDesktop, type GnomeDesktop } from '../support/gnome-desktop.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { applyFilter, detailOf, startRealInspector, type RealInspector } from '../support/real-inspector.ts';

/*
 * The whole journey of one person: a desktop whose traffic goes through the office's proxy, a browser that knows nothing
 * of Weir, and an inspector in which everything is done by clicks and keys. At the end nothing of it is left.
 */

const missing = missingForGnome();
if (missing !== null) process.stderr.write(`\nNOT TESTED: the whole journey. ${missing}\n\n`);

const run = promisify(execFile);
const SHOP = 'shop.example';
const CART = `<!doctype html><title>Shop</title><h1>Cart</h1><output></output><script>
fetch('/api/cart', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"item":"lamp"}' })
  .then((answer) => answer.json())
  .then(({ total }) => { document.querySelector('output').textContent = 'Total ' + total; });
</script>`;

interface Order {
  readonly fields: readonly string[];
  readonly body: string;
}

let desktop: GnomeDesktop;
let database: string;
let office: ChainProxy;
let shop: Server;
const orders: Order[] = [];
let inspector: RealInspector;
let person: Browser | null = null;

describe.skipIf(missing !== null)('the whole journey', () => {
  beforeAll(async () => {
    shop = createServer(originCertificate(SHOP), (request, response) => {
      if (request.url !== '/api/cart') {
        response.setHeader('Content-Type', 'text/html').end(request.url === '/' ? CART : '');
        return;
      }
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        orders.push({ fields: request.rawHeaders, body });
        response.setHeader('Content-Type', 'application/json').end(`{"total":${String(orders.length * 40)}}`);
      });
    });
    await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening));
    office = await startChainProxy({ [`${SHOP}:443`]: (shop.address() as AddressInfo).port });
    desktop = await startGnomeDesktop();
    for (const kind of ['http', 'https']) {
      await desktop.settings('set', `org.gnome.system.proxy.${kind}`, 'host', '127.0.0.1');
      await desktop.settings('set', `org.gnome.system.proxy.${kind}`, 'port', String(office.port));
    }
    await desktop.settings('set', 'org.gnome.system.proxy', 'mode', 'manual');
    database = await desktop.makeBrowserDatabase();
    inspector = await startRealInspector({ ...desktop.environment, WEIR_TEST_ORIGIN_CA: ORIGIN_CA });
  });

  afterAll(async () => {
    await person?.close();
    await inspector.stop();
    await desktop.stop();
    office.stop();
    shop.closeAllConnections();
    shop.close();
  });

  test('leads from an empty list over the system proxy, trust, a look, replay and export back to what was before', async () => {
    const before = await traces();
    const page = await inspector.open({ acceptDownloads: true });
    await page.getByRole('heading', { name: 'Nothing captured yet' }).waitFor();

    await turnOn(page);
    await changeTrust(page, 'Trust');
    expect(await traces()).not.toEqual(before);

    // The person's own browser: nothing but the desktop tells it of the proxy, and nothing but its database of the authority.
    const { executablePath, args } = await browserForTests();
    person = await chromium.launch({ executablePath, args: [...args], env: desktop.environment });
    const shopping = await person.newPage();
    await shopping.goto(`https://${SHOP}/`);
    await shopping.getByText('Total 40').waitFor();
    expect(office.asked).toContain(`${SHOP}:443`);

    await page.getByRole('button', { name: 'Traffic' }).click();
    await applyFilter(page, `host:${SHOP} method:post`);
    await rowOf(page, '/api/cart').click();
    await detailOf(page).getByRole('tab', { name: 'Response' }).click();
    await detailOf(page).getByText('40').first().waitFor();

    await page.getByRole('grid', { name: 'Exchanges' }).focus();
    await page.keyboard.press('r');
    await page.getByText('Replayed; answered 200').waitFor();
    expect(orders[1]).toEqual(orders[0]);

    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Compose' }).waitFor();
    await page.getByRole('tab', { name: 'Body' }).click();
    await page.getByLabel('Request body').fill('{"item":"chair"}');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Response', exact: true }).getByText('200 OK').first().waitFor();
    expect(orders[2]?.body).toBe('{"item":"chair"}');

    await page.getByRole('button', { name: 'Traffic' }).click();
    await expect.poll(() => page.locator('[role=row][data-index]').count()).toBe(3);
    const exported = await exportSession(page);
    expect(exported).toContain('chair');
    await importFile(page, exported);
    await applyFilter(page, `host:${SHOP} method:post`);
    await expect.poll(() => page.locator('[role=row][data-index]').count()).toBe(3);

    await person.close();
    await changeTrust(page, 'Remove');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('The system proxy is off; the settings from before are back').waitFor();
    expect(await traces()).toEqual(before);
    expect(await readdir(inspector.server.dataFolder)).not.toContain('system-proxy.json');
    expect(inspector.complaints).toEqual([]);
  });
});

const rowOf = (page: Page, path: string) => page.getByRole('row').filter({ hasText: path });

/** What Weir changes outside of its own folder. */
async function traces(): Promise<readonly string[]> {
  const { stdout } = await run('certutil', ['-L', '-d', `sql:${database}`]);
  const sections = (await desktop.dump()).trim().split('\n\n');
  return [stdout, ...sections.map((section) => section.split('\n').sort().join('\n')).sort()];
}

async function turnOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Setup' }).click();
  await page.getByRole('button', { name: 'Capture this computer…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Capture this computer' });
  const host = dialog.getByRole('row').filter({ hasText: `127.0.0.1:${String(office.port)}` });
  await host
    .filter({ hasText: String(inspector.server.proxyPort) })
    .first()
    .waitFor();
  await dialog.getByLabel(`Send Weir’s own traffic through http://127.0.0.1:${String(office.port)}`).check();
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('The system proxy is on').waitFor();
}

async function changeTrust(page: Page, change: 'Trust' | 'Remove'): Promise<void> {
  await page.getByRole('button', { name: 'Setup' }).click();
  await page.getByRole('button', { name: 'Examine' }).click();
  const store = page.getByRole('listitem').filter({ hasText: 'Chromium' });
  await store.getByRole('button', { name: change, exact: true }).click({ timeout: 60_000 });
  await store.getByText(change === 'Trust' ? 'trusted' : 'not trusted', { exact: true }).waitFor();
}

/** Saves all of the session as HAR with credentials blanked. */
async function exportSession(page: Page): Promise<string> {
  await page.getByRole('tab', { name: 'Sessions' }).click();
  await page
    .getByRole('button', { name: /^More about the session/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Export/ });
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save file' }).click();
  return readFile(await (await download).path(), 'utf8');
}

async function importFile(page: Page, text: string): Promise<void> {
  const transfer = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], 'journey.har', { type: 'application/json' }));
    return data;
  }, text);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await page
    .getByRole('button', { name: /journey\.har/ })
    .first()
    .waitFor();
}
