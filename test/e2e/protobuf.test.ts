import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFindings } from '../support/accessibility.ts';
import { detailOf, openExchange, showSample, startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';
import { encodeProto } from '../support/proto-kit.ts';
import { MONEY_PROTO, protoFile, STOCK_PROTO } from '../support/shop-proto.ts';

const PATIENCE = { timeout: 20_000 };

let inspector: RealInspector;
let page: Page;

beforeAll(async () => {
  inspector = await startRealInspector();
});

beforeEach(async () => {
  page = await inspector.open();
});

afterEach(async () => {
  expect(inspector.complaints).toEqual([]);
  await inspector.closePages();
});

afterAll(async () => {
  await inspector.stop();
});

async function openSettings(): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('protobuf');
  await page.getByRole('heading', { name: 'Protobuf schemas' }).waitFor();
}

function files(): Locator {
  return page.getByRole('list', { name: 'Schema files' }).getByRole('listitem');
}

async function add(...given: readonly ReturnType<typeof protoFile>[]): Promise<void> {
  await page.getByLabel('Add files').setInputFiles([...given]);
}

async function removeAll(): Promise<void> {
  for (;;) {
    const button = files().getByRole('button').first();
    if ((await button.count()) === 0) return;
    const count = await files().count();
    await button.click();
    await page
      .getByText('There is none yet')
      .or(files().nth(count - 2))
      .first()
      .waitFor();
    await expect.poll(() => files().getByRole('button').count(), PATIENCE).toBeLessThan(count);
  }
}

/** Asks an origin through the proxy; resolves when the answer is complete. */
function ask(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port: inspector.server.proxyPort, path }, (response) => {
      response.resume().on('end', resolve);
    });
    outgoing.on('error', reject).end();
  });
}

/** The text of the decoded message. */
async function decoded(): Promise<string> {
  const lines = await detailOf(page).locator('.cm-line').allTextContents();
  return lines.join('\n');
}

test('a .proto that was chosen in Settings names the fields of gRPC messages, and a missing import is asked for', async () => {
  await openSettings();
  await page.getByText('There is none yet. Messages are taken apart by the wire format alone.').waitFor();
  await add(protoFile('stock.proto', STOCK_PROTO));
  await page.getByText('4 messages, 1 service').waitFor();
  await page.getByText('Imports weir/shop/v1/money.proto, which is not here').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await add(protoFile('money.proto', MONEY_PROTO));
  await expect.poll(() => files().count(), PATIENCE).toBe(2);
  await page.getByText('which is not here').waitFor({ state: 'detached' });

  await page.getByRole('navigation').getByRole('button', { name: 'Traffic' }).click();
  await showSample(page);
  await openExchange(page, 'path:/weir.shop.v1.Stock/Watch', 'Messages');
  const row = detailOf(page).getByRole('option', {
    name: /sku: "1042", stock: 40, price {currency: "EUR", cents: 3490}/,
  });
  await row.click();
  await expect.poll(decoded, PATIENCE).toContain('"currency": "EUR"');
  expect(JSON.parse(await decoded())).toEqual({
    sku: '1042',
    stock: 40,
    price: { currency: 'EUR', cents: 3490 },
    note: 'restocked',
  });
  expect(await accessibilityFindings(page)).toEqual([]);

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await detailOf(page).getByRole('button', { name: 'Copy as JSON' }).click();
  await page.getByText('Message copied as JSON').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(JSON.parse(copied)).toMatchObject({ sku: '1042' });
});

test('another type, or the wire format, is chosen for a call and remembered; one that does not fit says so', async () => {
  await openSettings();
  await removeAll();
  await add(protoFile('money.proto', MONEY_PROTO), protoFile('stock.proto', STOCK_PROTO));
  await expect.poll(() => files().count(), PATIENCE).toBe(2);
  await page.getByRole('navigation').getByRole('button', { name: 'Traffic' }).click();
  await showSample(page);
  await openExchange(page, 'path:/weir.shop.v1.Stock/Reserve', 'Messages');
  await detailOf(page).getByRole('option').first().click();
  await expect.poll(decoded, PATIENCE).toContain('"quantity": 4');
  const choice = detailOf(page).getByLabel('Decode as');
  expect(await choice.locator('option:checked').textContent()).toBe('weir.shop.v1.ReserveRequest (automatic)');

  await choice.selectOption('weir.shop.v1.WatchRequest');
  await detailOf(page)
    .getByText('Shown by the wire format: it is no weir.shop.v1.WatchRequest, since field 2 is a varint')
    .waitFor();
  await expect.poll(decoded, PATIENCE).toContain('1: "1043"');
  await choice.selectOption('Wire format');
  await page.reload();
  await showSample(page);
  await openExchange(page, 'path:/weir.shop.v1.Stock/Reserve', 'Messages');
  await detailOf(page).getByRole('option').first().click();
  await expect.poll(decoded, PATIENCE).toContain('1: "1043"');
  expect(await detailOf(page).getByText('Shown by the wire format').count()).toBe(0);
  await detailOf(page).getByLabel('Decode as').selectOption({ index: 0 });
  await expect.poll(decoded, PATIENCE).toContain('"quantity": 4');
});

test('the details of a gRPC status are told in the overview', async () => {
  await showSample(page);
  await openExchange(page, 'path:/weir.shop.v1.Stock/Reserve', 'Overview');
  await detailOf(page).getByRole('heading', { name: 'Status details' }).waitFor();
  const text = await detailOf(page).locator('pre').textContent();
  expect(JSON.parse(text ?? '')).toEqual({
    code: 9,
    message: 'sku 1043 is out of stock',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.PreconditionFailure',
        violations: [{ type: 'STOCK', subject: 'sku/1043', description: '0 of 4 in Graz' }],
      },
    ],
  });
  expect(await accessibilityFindings(page)).toEqual([]);
});

test('what is wrong with a file is said with its line, and a removed file comes back', async () => {
  await openSettings();
  await removeAll();
  await add(
    protoFile('bad.proto', 'syntax = "proto3";\nmessage A {\n  int32 a 1;\n}\n'),
    protoFile('empty.proto', ''),
    protoFile('huge.desc', 'x'.repeat(4_194_305)),
    protoFile('good.proto', 'syntax = "proto3"; message A { int32 a = 1; }'),
  );
  const alert = page.getByRole('alert');
  await alert.getByText("bad.proto, line 3: illegal token '1', '=' expected.").waitFor();
  await alert.getByText('empty.proto is empty.').waitFor();
  await alert.getByText(/huge\.desc is longer than .*, which is the most that is taken of one file\./).waitFor();
  expect(await files().allTextContents()).toEqual([expect.stringContaining('good.proto')]);
  expect(await accessibilityFindings(page)).toEqual([]);

  await page.getByRole('button', { name: 'Remove good.proto' }).click();
  await page.getByText('There is none yet').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByRole('button', { name: 'Remove good.proto' }).waitFor();
  await page.reload();
  await openSettings();
  await page.getByRole('button', { name: 'Remove good.proto' }).waitFor();
});

test('a .proto that is dropped on the window is taken, and a body is shown by the type that its head names', async () => {
  const source = 'syntax = "proto3"; package mill; message Wheel { string name = 1; repeated sint32 levels = 2; }';
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'mill.proto'));
    return data;
  }, source);
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
  await page.getByText('mill.proto added').waitFor();

  const bytes = encodeProto(source, 'mill.Wheel', { name: 'upper', levels: [-3, 4] });
  const origin = createServer((request, response) => {
    const isTold = request.url === '/wheel';
    const type = isTold ? 'application/x-protobuf; messageType="mill.Wheel"' : 'application/octet-stream';
    response.writeHead(200, { 'content-type': type });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = origin.address() as AddressInfo;
    await ask(`http://127.0.0.1:${String(port)}/wheel`);
    await openExchange(page, 'path:/wheel', 'Response');
    await expect.poll(decoded, PATIENCE).toContain('"upper"');
    expect(JSON.parse(await decoded())).toEqual({ name: 'upper', levels: [-3, 4] });
    await detailOf(page).getByLabel('Decode as').selectOption('Wire format');
    await expect.poll(decoded, PATIENCE).toContain('1: "upper"');
    await detailOf(page).getByLabel('Decode as').selectOption({ index: 0 });
    await expect.poll(decoded, PATIENCE).toContain('"levels"');

    // Of a body that nobody names, a person says what it is; the next one of its kind is shown so too.
    for (const query of ['first', 'second']) {
      await ask(`http://127.0.0.1:${String(port)}/bytes?${query}`);
      await openExchange(page, `path:/bytes?${query}`, 'Response');
      const choice = detailOf(page).getByLabel('Decode as');
      if (query === 'first') await choice.selectOption('mill.Wheel');
      await expect.poll(decoded, PATIENCE).toContain('"upper"');
      expect(JSON.parse(await decoded())).toEqual({ name: 'upper', levels: [-3, 4] });
    }
    expect(await accessibilityFindings(page)).toEqual([]);
  } finally {
    origin.close();
  }
});
