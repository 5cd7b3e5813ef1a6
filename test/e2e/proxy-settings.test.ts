import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
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

async function openSettings(): Promise<Page> {
  const page = await inspector.open(5);
  await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  return page;
}

test('an upstream proxy is saved when it is one, and what is wrong is said beside it', async () => {
  const page = await openSettings();
  const proxy = page.getByLabel('Proxy for all hosts');
  await proxy.fill('ftp://proxy.example');
  await page.keyboard.press('Tab');
  await page.getByRole('alert').filter({ hasText: 'Write it like http://' }).waitFor();
  expect(await page.evaluate(() => window.fake.settings.upstreamProxy)).toBe('');
  await proxy.fill('socks5://ada:pw@proxy.example:1080');
  await page.keyboard.press('Tab');
  await expect
    .poll(() => page.evaluate(() => window.fake.settings.upstreamProxy))
    .toBe('socks5://ada:pw@proxy.example:1080');
  const rules = page.getByLabel('Hosts with a proxy of their own');
  await rules.fill('*.internal.example direct\nnonsense');
  await page.getByRole('alert').filter({ hasText: 'nonsense' }).waitFor();
  await rules.fill('*.internal.example direct\nlab.example http://10.0.0.1:3128');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => page.evaluate(() => window.fake.settings.upstreamRules))
    .toEqual(['*.internal.example direct', 'lab.example http://10.0.0.1:3128']);
});

test('credentials of clients are saved both together', async () => {
  const page = await openSettings();
  await page.getByLabel('User', { exact: true }).fill('ada');
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await page.getByLabel('Password', { exact: true }).first().fill('pw');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => page.evaluate(() => window.fake.settings.proxyAuthentication))
    .toEqual({ user: 'ada', password: 'pw' });
});

test('client certificates are added from a file and removed', async () => {
  const page = await openSettings();
  await page.getByText('CN=Ada Lovelace').waitFor();
  await page.getByLabel('Host', { exact: true }).fill('lab.example');
  await page
    .getByLabel('Certificate', { exact: true })
    .setInputFiles({ name: 'c.pem', mimeType: 'text/plain', buffer: Buffer.from('-----BEGIN CERTIFICATE-----') });
  await page.getByRole('button', { name: 'Add certificate' }).click();
  await page.getByText('CN=lab.example').waitFor();
  await page.getByRole('button', { name: 'Remove the certificate for bank.example' }).click();
  await page.getByText('CN=Ada Lovelace').waitFor({ state: 'detached' });
});

test('a file is chosen by the keyboard, is named beside the button, and is let go once it was used', async () => {
  const page = await openSettings();
  await page.getByLabel('Host', { exact: true }).fill('lab.example');
  const field = page.getByLabel('Certificate', { exact: true });
  const chosen = field.locator('xpath=..');
  expect(await chosen.textContent()).toMatch(/Choose a file….*No file chosen/s);

  const asked = page.waitForEvent('filechooser');
  await field.press('Enter');
  const name = `${'long-'.repeat(40)}.pem`;
  await (await asked).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('x') });
  await chosen.getByText(name).waitFor();
  expect(await field.getAttribute('title')).toBe(name);
  // A long name is cut, not the layout.
  const frame = await chosen.boundingBox();
  expect(frame?.height).toBe(28);
  expect(frame?.width).toBeLessThanOrEqual(480);

  await page.getByRole('button', { name: 'Add certificate' }).click();
  await chosen.getByText('No file chosen').waitFor();
  expect(await field.inputValue()).toBe('');
});

test('a file that is dropped on its field is chosen there, and one beside it is read as traffic', async () => {
  const page = await openSettings();
  const folder = await mkdtemp(join(tmpdir(), 'weir-drop-'));
  const path = join(folder, 'mine.p12');
  await writeFile(path, 'x');
  const mouse = await page.context().newCDPSession(page);
  const dropOn = async (target: Locator): Promise<void> => {
    await target.scrollIntoViewIfNeeded();
    const box = await target.boundingBox();
    if (box === null) throw new Error('The target is not drawn.');
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await mouse.send('Input.dispatchDragEvent', { type, x: box.x + 20, y: box.y + 10, data });
    }
  };

  const field = page.getByLabel('Certificate', { exact: true });
  await dropOn(field);
  await field.locator('xpath=..').getByText('mine.p12').waitFor();
  const imports = (): Promise<number> =>
    page.evaluate(() => window.fake.calls.filter(({ name }) => name === 'import.begin').length);
  expect(await imports()).toBe(0);
  await dropOn(page.getByRole('heading', { name: 'Client certificates' }));
  await page.getByText('mine.p12 holds no exchange.').waitFor();
  expect(await imports()).toBe(1);
  await rm(folder, { recursive: true });
});

test('an authority of one’s own is taken from a chosen file, and another can be chosen after a refusal', async () => {
  const page = await inspector.open(5);
  await page.getByRole('navigation').getByRole('button', { name: 'Setup' }).click();
  await page.getByRole('button', { name: 'Use one of yours…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Use an authority of yours' });
  const field = dialog.getByLabel('Certificate', { exact: true });
  const use = dialog.getByRole('button', { name: 'Use it' });
  expect(await use.isDisabled()).toBe(true);
  await field.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no certificate') });
  await use.click();
  await dialog.getByRole('alert').filter({ hasText: 'The file is no certificate.' }).waitFor();
  await dialog.getByText('notes.txt').waitFor();
  await field.setInputFiles({ name: 'ca.pem', mimeType: 'text/plain', buffer: Buffer.from('-----BEGIN') });
  await dialog.getByText('ca.pem').waitFor();
  await use.click();
  await page.getByText('Another authority is in use').waitFor();
});

test('a device that was turned away is allowed by one click', async () => {
  const page = await inspector.open(5);
  await page.evaluate(() => {
    window.fake.setStatus({ waitingDevices: ['192.168.1.7', '192.168.1.8'] });
  });
  const notice = page.getByRole('alert').filter({ hasText: '192.168.1.7' });
  await notice.getByRole('button', { name: 'Allow this device' }).click();
  await expect.poll(() => page.evaluate(() => window.fake.settings.approvedClients)).toEqual(['192.168.1.7']);
  const other = page.getByRole('alert').filter({ hasText: '192.168.1.8' });
  await other.getByRole('button', { name: 'Dismiss' }).click();
  await other.waitFor({ state: 'detached' });
});
