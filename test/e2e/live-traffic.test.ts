import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';

let inspector: RealInspector;
let origin: Server;
let originPort: number;
/** Called by the origin's handler while a response is held. */
let release: () => void = () => undefined;

beforeAll(async () => {
  inspector = await startRealInspector();
  origin = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    response.setHeader('Content-Type', 'application/json');
    if (path.startsWith('/missing')) response.statusCode = 404;
    if (path.startsWith('/held')) release = () => response.end('{}');
    else response.end(JSON.stringify({ path }));
  });
  await new Promise<void>((listening) => origin.listen(0, '127.0.0.1', listening));
  const address = origin.address();
  if (address === null || typeof address === 'string') throw new Error('The origin has no port.');
  originPort = address.port;
});

afterEach(async () => {
  await inspector.closePages();
  expect(inspector.complaints.splice(0)).toEqual([]);
});

afterAll(async () => {
  origin.close();
  await inspector.stop();
});

/** Asks the origin through the proxy; resolves when the answer is complete. */
function ask(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const target = `http://127.0.0.1:${String(originPort)}${path}`;
    const outgoing = request({ host: '127.0.0.1', port: inspector.server.proxyPort, path: target }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const rowWith = (page: Page, path: string) => page.getByRole('row').filter({ hasText: path });
const count = (page: Page): Promise<string | null> =>
  page.getByRole('grid', { name: 'Exchanges' }).getAttribute('aria-rowcount');

/** A page on an empty session of its own. The old session gets a row first, so that its end can be seen. */
async function freshPage(): Promise<Page> {
  const page = await inspector.open();
  await ask('/old');
  await rowWith(page, '/old').last().waitFor();
  await page.keyboard.press('Control+Backspace');
  await page.getByRole('heading', { name: 'Nothing captured yet' }).waitFor();
  return page;
}

test('the frame stands before any script has run, where the page puts it', async () => {
  const page = await inspector.open();
  const logo = await page.getByRole('img', { name: 'Weir' }).boundingBox();
  expect(await page.locator('.first-frame').count()).toBe(0);
  const context = await inspector.browser.newContext({ viewport: page.viewportSize(), javaScriptEnabled: false });
  const still = await context.newPage();
  await still.goto(await inspector.server.pageUrl());
  expect(await still.locator('.first-rail svg').boundingBox()).toEqual(logo);
});

test('the first exchange takes the place of the empty state, and each one after it appears', async () => {
  const page = await freshPage();
  await ask('/first');
  await rowWith(page, '/first').waitFor();
  await ask('/second?x=1');
  await rowWith(page, '/second?x=1').waitFor();
  expect(await count(page)).toBe('3');
});

test('a request under way is a row before its response has come', async () => {
  const page = await freshPage();
  const answer = ask('/held');
  const row = rowWith(page, '/held');
  await row.waitFor();
  expect(await row.locator('.status').last().innerText()).toMatch(/ s$/);
  release();
  await answer;
  await expect.poll(() => row.locator('.status').last().innerText()).toBe('200');
});

test('filters and orders are the store’s own, and rows that match later join', async () => {
  const page = await freshPage();
  for (let number = 0; number < 12; number += 1)
    await ask(number % 4 === 0 ? `/missing/${String(number)}` : `/items/${String(number)}`);
  await rowWith(page, '/items/11').waitFor();
  await page.getByRole('combobox', { name: 'Filter' }).fill('status:404');
  await expect.poll(() => count(page)).toBe('4');
  await ask('/missing/later');
  await rowWith(page, '/missing/later').waitFor();
  expect(await count(page)).toBe('5');
  await page.getByRole('button', { name: 'Clear filter' }).click();
  await expect.poll(() => count(page)).toBe('14');
  await page.getByRole('columnheader', { name: 'Size' }).getByRole('button').click();
  await expect.poll(() => page.getByRole('columnheader', { name: 'Size' }).getAttribute('aria-sort')).toBe('ascending');
  await expect.poll(() => page.locator('[data-index="0"]').innerText()).toContain('/items/1');
});

test('beside a chosen row traffic goes on below it, and once the view is full the list stands still', async () => {
  const page = await freshPage();
  for (let number = 0; number < 3; number += 1) await ask(`/before/${String(number)}`);
  const chosen = rowWith(page, '/before/1');
  await chosen.click();
  const place = await chosen.boundingBox();
  await ask('/joins');
  await rowWith(page, '/joins').waitFor();
  for (let number = 0; number < 60; number += 1) await ask(`/after/${String(number)}`);
  const pill = page.getByRole('button', { name: /^\d+ new$/ });
  await pill.waitFor();
  expect(await rowWith(page, '/after/59').count()).toBe(0);
  expect(await chosen.boundingBox()).toEqual(place);
  await pill.click();
  await rowWith(page, '/after/59').waitFor();
});

test('while recording is paused nothing is kept, and the toolbar counts what passes', async () => {
  const page = await freshPage();
  await ask('/kept');
  await rowWith(page, '/kept').waitFor();
  await page.getByRole('button', { name: 'Recording' }).click();
  await page.getByRole('button', { name: 'Not recording · 0 passed' }).waitFor();
  await ask('/passed');
  const paused = page.getByRole('button', { name: 'Not recording · 1 passed' });
  await paused.waitFor();
  await paused.click();
  await page.getByRole('button', { name: 'Recording' }).waitFor();
  await ask('/kept-again');
  await rowWith(page, '/kept-again').waitFor();
  expect(await rowWith(page, '/passed').count()).toBe(0);
});

test('a reload goes on with the token of the tab, and the code is gone from the address', async () => {
  const page = await freshPage();
  await ask('/before-reload');
  await rowWith(page, '/before-reload').waitFor();
  expect(page.url()).not.toContain('code=');
  await page.reload();
  await rowWith(page, '/before-reload').waitFor();
});

test('hosts of the traffic stand in the sidebar with their numbers, and filter by a click', async () => {
  const page = await freshPage();
  await ask('/one');
  await ask('/two');
  const host = page.getByRole('treeitem', { name: new RegExp(`127\\.0\\.0\\.1:${String(originPort)}.*2`) });
  await host.waitFor();
  await host.click();
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Filter' }).inputValue())
    .toBe(`host:127.0.0.1 port:${String(originPort)}`);
  await expect.poll(() => count(page)).toBe('3');
});
