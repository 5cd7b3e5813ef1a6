import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
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
