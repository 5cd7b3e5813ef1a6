import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { detailOf, openExchange, showSample, startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';
import { DEEP_LEVELS, answerHostile } from '../support/hostile-bodies.ts';

let inspector: RealInspector;
let origin: Server;
let originPort: number;

/** `WEIR_FULL=1` opens the bombs and the bodies of 100 and 200 MB too, and writes how long each took. */
const FULL = process.env['WEIR_FULL'] === '1';

const LINES = 250_000;
const LINE = (number: number): string => `line ${String(number).padStart(8, '0')} of a long report\n`;

/** What was asked for that nobody may ask for. */
const canaryHits: string[] = [];

/** Called by the origin's handler while a response is held open. */
let release: () => void = () => undefined;

beforeAll(async () => {
  inspector = await startRealInspector();
  origin = createServer((incoming, response) => {
    const path = incoming.url ?? '';
    if (path.startsWith('/canary/')) {
      canaryHits.push(path);
      response.end();
    } else if (path.startsWith('/hostile/')) {
      void answerHostile(path, `http://127.0.0.1:${String(originPort)}/canary/`, response);
    } else if (path === '/long') {
      response.setHeader('Content-Type', 'text/plain');
      for (let number = 0; number < LINES; number += 1_000) {
        response.write(Array.from({ length: 1_000 }, (_, index) => LINE(number + index)).join(''));
      }
      response.end();
    } else {
      response.setHeader('Content-Type', 'text/plain');
      response.write('first half\n');
      release = () => response.end('second half\n');
    }
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

/** Asks the origin through the proxy; resolves with the length of the body. */
function throughProxy(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const target = `http://127.0.0.1:${String(originPort)}${path}`;
    const outgoing = request({ host: '127.0.0.1', port: inspector.server.proxyPort, path: target }, (response) => {
      let length = 0;
      response.on('data', (bytes: Buffer) => (length += bytes.length));
      response.on('end', () => {
        resolve(length);
      });
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

async function sample(filter: string, tab: string): Promise<Page> {
  const page = await inspector.open();
  await showSample(page);
  await openExchange(page, filter, tab);
  return page;
}

const CART = 'host:api.weir.test method:POST path:/v2/cart/items';

test('a response shows its fields in wire order and its body decoded, with both sizes', async () => {
  const page = await sample(CART, 'Response');
  const detail = detailOf(page);
  await detail.getByText('"currency"').waitFor();
  const names = await detail.locator('dl dt').allInnerTexts();
  expect(names.slice(0, 5)).toEqual(['Server', 'Date', 'Content-Type', 'Cache-Control', 'Set-Cookie']);
  expect(await detail.locator('.sizes').innerText()).toMatch(/^decoded \d+ B · as sent br, \d+ B$/);
  // The origin's hop-by-hop field was received and not passed on.
  expect(names).toContain('Keep-Alive');
  await detail.getByRole('radio', { name: 'As sent' }).click();
  expect(await detail.locator('dl dt').allInnerTexts()).not.toContain('Keep-Alive');
});

test('the tab and the view of the body stay when another exchange is chosen, and one key changes the view', async () => {
  const page = await sample(CART, 'Response');
  const detail = detailOf(page);
  await detail.getByText('"currency"').waitFor();
  await detail.getByRole('tabpanel').focus();
  await page.keyboard.press('v');
  await detail.getByRole('tree').waitFor();
  await page.keyboard.press('v');
  expect(await detail.getByRole('radio', { name: 'Text', exact: true }).getAttribute('aria-checked')).toBe('true');
  await page.keyboard.press('v');
  await detail.getByText('00000000').waitFor();
  await openExchange(page, 'path:/v2/profile method:GET', 'Response');
  expect(await detail.getByRole('radio', { name: 'Hex' }).getAttribute('aria-checked')).toBe('true');
  await detail.getByText('00000000').waitFor();
});

test('frames of HTTP/2 are shown by leg, of the exchange’s stream or of the whole connection, and one says all that it holds', async () => {
  const page = await sample('path:/weir.shop.v1.Stock/Watch', 'Frames');
  const detail = detailOf(page);
  const frames = detail.getByRole('listbox', { name: 'Frames' });
  await frames.getByRole('option').first().waitFor();
  // On its stream the exchange begins with its head; what concerns the connection is left out.
  expect(await frames.getByRole('option').first().innerText()).toMatch(/HEADERS\s+1\s/);
  await detail.getByRole('radio', { name: 'Whole connection' }).click();
  await frames
    .getByRole('option', { name: /SETTINGS/ })
    .first()
    .waitFor();
  await detail.getByRole('radio', { name: 'Origin' }).click();
  await detail.getByRole('searchbox', { name: 'Filter frames' }).fill('max_concurrent');
  await frames.getByRole('option').nth(1).waitFor({ state: 'detached' });
  // From the filter the keyboard goes on in the list, and back out.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const facts = detail.getByRole('region', { name: /^Frame \d+$/ });
  await facts.waitFor();
  expect(await facts.locator('dd').allInnerTexts()).toEqual(
    expect.arrayContaining(['received by Weir', 'SETTINGS (0x04)', 'none', '0 (the connection)', '18 B', '128']),
  );
  await page.keyboard.press('Escape');
  await facts.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+f');
  await page.keyboard.type('no such frame');
  await detail.getByText('None contains “no such frame”.').waitFor();
  await detail.getByRole('button', { name: 'Show the whole connection' }).click();
  await frames
    .getByRole('option', { name: /SETTINGS/ })
    .first()
    .waitFor();
});

test('an exchange of HTTP/1 has no frames to show, and one of HTTP/2 names its streams', async () => {
  const page = await sample(CART, 'Overview');
  const detail = detailOf(page);
  expect(await detail.getByRole('tab', { name: 'Frames' }).count()).toBe(0);
  await openExchange(page, 'path:/weir.shop.v1.Stock/Reserve', 'Overview');
  expect(await detail.getByText(/ · h2 · stream 3\b/).count()).toBe(2);
});

test('JSON is a tree that arrows walk, a search finds what is folded, and paths and values are copied', async () => {
  const page = await sample(CART, 'Response');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  const detail = detailOf(page);
  await detail.getByRole('radio', { name: 'Tree' }).click();
  const tree = detail.getByRole('tree');
  const current = tree.locator('[aria-selected=true]');
  await tree.getByRole('treeitem').first().click();
  // Folded by Left, the whole text is one row with a glimpse into it.
  await page.keyboard.press('ArrowLeft');
  expect(await tree.getByRole('treeitem').count()).toBe(1);
  expect(await current.getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.press('Control+f');
  await detail.getByRole('textbox', { name: 'Find in the tree' }).fill('GAUGE');
  await detail.getByText('1 of 1').waitFor();
  expect(await tree.locator('mark').innerText()).toBe('gauge');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+C');
  await page.getByText('Copied $.items[0].title').waitFor();
  expect(await copied()).toBe('$.items[0].title');
  await page.keyboard.press('Control+c');
  await page.getByText('Value copied').waitFor();
  expect(await copied()).toBe('Brass float gauge');
  await page.keyboard.press('ArrowLeft');
  expect(await current.getAttribute('aria-level')).toBe('3');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Copy JSON path' }).click();
  await page.getByText('Copied $.items[0]', { exact: true }).waitFor();
  expect(await copied()).toBe('$.items[0]');
  // The laid out text knows the path of the place under its cursor.
  await detail.getByRole('radio', { name: 'Pretty' }).click();
  await detail.getByText('"currency"').click();
  await detail.getByTitle('$.currency').waitFor();
  await page.keyboard.press('Control+Shift+C');
  await page.getByText('Copied $.currency').waitFor();
});

test('characters that deceive the eye are shown by their names, in fields and in bodies', async () => {
  const page = await sample('path:/v2/products/1042/reviews', 'Response');
  const detail = detailOf(page);
  await detail.getByText('"average"').waitFor();
  const field = detail.locator('dl > div').filter({ hasText: 'Content-Disposition' });
  expect(await field.locator('dd').first().innerText()).toBe('inline; filename="reviews-U+202Enosj.exe"');
  expect(await detail.locator('.cm-content .named').allInnerTexts()).toEqual(['U+202E', 'U+200B', 'U+200B']);
});

test('a picture is drawn with its size, and a damaged one says that it cannot be', async () => {
  const page = await sample('path:/img/weir-hero.webp', 'Response');
  await detailOf(page).getByText('480 × 240 px').waitFor();
  await openExchange(page, 'path:/img/p/broken.png', 'Response');
  await detailOf(page).getByText('The picture cannot be drawn').waitFor();
});

test('a font is shown by a sample in its own letters', async () => {
  const page = await sample('path:/fonts/weir-pixel.woff status:200', 'Response');
  await detailOf(page).getByText('0123456789').waitFor();
  expect(await page.evaluate(() => [...document.fonts].map(({ family }) => family.replaceAll('"', '')))).toContain(
    'Captured font',
  );
});

test('forms are tables of names and values, and an uploaded file opens as what it is', async () => {
  const page = await sample('path:/account/login method:POST', 'Request');
  const rows = detailOf(page).getByRole('table').last().getByRole('row');
  await rows.filter({ hasText: 'password' }).getByText('correct horse battery staple').waitFor();
  await openExchange(page, 'path:/account/avatar', 'Request');
  await detailOf(page).getByText('badge.png').waitFor();
  await detailOf(page)
    .getByText(/file, image\/png, [\d.]+ KB/)
    .waitFor();
  await detailOf(page)
    .getByRole('button', { name: /badge\.png/ })
    .click();
  const part = detailOf(page).getByRole('region', { name: /^Part / });
  await part.getByText('image/png', { exact: true }).first().waitFor();
  await part.getByRole('radio', { name: 'Hex' }).click();
  await part.getByText('89 50 4e 47').first().waitFor();
});

test('a damaged body shows what decodes and says that it stops there', async () => {
  const page = await sample('path:/v2/damaged', 'Response');
  await detailOf(page)
    .getByText(/The compressed data is damaged|ends in the middle of its compression/)
    .waitFor();
});

test('a failed handshake is explained, and one click passes the host through, and takes it back', async () => {
  const page = await sample('host:pinned.weir.test', 'Overview');
  const detail = detailOf(page);
  await detail.getByRole('heading', { name: 'The client does not trust Weir’s certificate' }).waitFor();
  expect(await detail.getByRole('tab').allInnerTexts()).toEqual(['Overview', 'Timing', 'TLS']);
  await detail.getByRole('button', { name: 'Pass this host through' }).click();
  await page.getByText('pinned.weir.test passes through from its next connection on').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
});

test('both legs of TLS show their chain, and an expired certificate says since when', async () => {
  const page = await sample('host:old.weir.test', 'TLS');
  const detail = detailOf(page);
  await detail.getByText('expired 3 Mar 2026').first().waitFor();
  expect(await detail.getByText('refused', { exact: true }).count()).toBe(1);
  expect(await detail.locator('summary').allInnerTexts()).toHaveLength(5);
});

test('raw shows the exact bytes, as received and as forwarded', async () => {
  const page = await sample('host:shop.weir.test status:301', 'Raw');
  const text = detailOf(page).locator('.cm-content');
  await text.getByText('GET http://shop.weir.test/ HTTP/1.1').waitFor();
  expect(await text.innerText()).toContain('Proxy-Connection: keep-alive');
  await detailOf(page).getByRole('radio', { name: 'As sent' }).click();
  await text.getByText('GET / HTTP/1.1').waitFor();
  expect(await text.innerText()).not.toContain('Proxy-Connection');
});

test('the find key inside a body searches that body, and Escape comes back out step by step', async () => {
  const page = await sample(CART, 'Response');
  const detail = detailOf(page);
  await detail.getByText('"currency"').click();
  await page.keyboard.press('Control+f');
  const field = detail.getByRole('textbox', { name: 'Find in this text' });
  await field.fill('gauge');
  await detail.getByText('1 of 1').waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await detail.getByText('"currency"').waitFor();
});

test('select all inside a body selects the body and nothing else', async () => {
  const page = await sample(CART, 'Response');
  await detailOf(page).getByText('"currency"').click();
  await page.keyboard.press('Control+a');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('Control+c');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(JSON.parse(copied)).toMatchObject({ id: 'crt_8Q2ZK', items: [{ sku: '1042' }] });
});

test('saving a body downloads its decoded bytes under a harmless name', async () => {
  const page = await sample('path:/v2/profile method:GET', 'Response');
  await detailOf(page).getByText('decoded').waitFor();
  const downloading = page.waitForEvent('download');
  await detailOf(page).getByRole('button', { name: 'Save response body' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('profile.json');
  expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({ id: 'u_31', name: 'Inês Moura' });
});

test('in a narrow window the detail stands at the bottom and everything fits', async () => {
  const page = await inspector.open({ viewport: { width: 1_024, height: 700 } });
  await showSample(page);
  await openExchange(page, CART, 'Response');
  const box = await detailOf(page).boundingBox();
  expect(box?.y).toBeGreaterThan(300);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1_024);
  // The body came in, and the fields above it are still in view.
  await detailOf(page).getByText('"currency"').waitFor();
  expect(
    await detailOf(page)
      .getByRole('tabpanel')
      .evaluate((panel) => panel.scrollTop),
  ).toBe(0);
});

// From here on there is real traffic, and the empty state with its sample is gone.

test('a body of many megabytes opens at its first part, and what is far down is found', async () => {
  expect(await throughProxy('/long')).toBe(LINES * LINE(0).length);
  const page = await inspector.open();
  await openExchange(page, 'path:/long', 'Response');
  const detail = detailOf(page);
  await detail.getByText('line 00000000').waitFor();
  await detail.getByText(/0 B – 262 KB of 7\.\d MB/).waitFor();
  const find = detail.getByRole('searchbox', { name: 'Find in the whole body' });
  await find.fill('LINE 00243210');
  await find.press('Enter');
  await detail.locator('.cm-content').getByText('line 00243210').waitFor();
  await detail.getByRole('button', { name: 'Last part' }).click();
  await detail.getByText('7.6 MB – 7.8 MB of 7.8 MB').waitFor();
  await detail.locator('.cm-content').press('Control+End');
  await detail.locator('.cm-content').getByText('line 00249999').waitFor();
});

test('a body that is still coming is shown as far as it came, and grows', async () => {
  const page = await inspector.open();
  const whole = throughProxy('/held');
  await openExchange(page, 'path:/held', 'Response');
  const detail = detailOf(page);
  await detail.getByText('still coming').waitFor();
  await detail.getByText('first half').waitFor();
  release();
  await whole;
  await detail.getByText('second half').waitFor();
  await detail.getByText('still coming').waitFor({ state: 'detached' });
});

interface Hostile {
  readonly path: string;
  /** What the detail shows when it is open. */
  readonly shows: string | RegExp;
  /** More to look at. */
  more?(page: Page): Promise<void>;
}

const HOSTILE: readonly Hostile[] = [
  {
    path: '/hostile/deep.json',
    shows: '[',
    async more(page) {
      await detailOf(page).getByRole('radio', { name: 'Tree' }).click();
      const tree = detailOf(page).getByRole('tree');
      await tree.focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Unfold all within' }).click();
      await tree.focus();
      await page.keyboard.press('End');
      await tree.locator(`[aria-level="${String(DEEP_LEVELS)}"]`).waitFor();
      await detailOf(page).getByRole('radio', { name: 'Pretty' }).click();
    },
  },
  { path: '/hostile/utf8.txt', shows: 'before \ufffd( \ufffd\ufffd \ufffd after' },
  { path: '/hostile/page.html', shows: /document\.title=/ },
  {
    path: '/hostile/drawing.svg',
    shows: /document\.title=/,
    async more(page) {
      await detailOf(page).getByRole('radio', { name: 'Preview' }).click();
      await detailOf(page).getByText('64 × 48 px').waitFor();
    },
  },
  { path: '/hostile/laughs.svg', shows: 'The picture is not drawn by itself' },
  { path: '/hostile/vast.png', shows: '20,000 × 20,000 px need 1,600 MB of memory.' },
];

const HUGE: readonly Hostile[] = [
  { path: '/hostile/bomb.br', shows: 'Decoding stopped at its limit: this body grows far beyond its size.' },
  { path: '/hostile/bomb.gz', shows: 'Decoding stopped at its limit: this body grows far beyond its size.' },
  {
    path: '/hostile/huge.json',
    shows: /0 B – 262 KB of 10\d MB/,
    async more(page) {
      await detailOf(page).getByRole('radio', { name: 'Tree' }).click();
      await detailOf(page)
        .getByText(/The tree shows the first 4\.2 MB of 10\d MB/)
        .waitFor();
      await detailOf(page).getByRole('treeitem').nth(3).waitFor();
      await detailOf(page).getByRole('radio', { name: 'Pretty' }).click();
    },
  },
  { path: '/hostile/huge.js', shows: /0 B – 262 KB of 10\d MB/ },
  { path: '/hostile/huge.bin', shows: '00000000' },
];

test('bodies that are made to harm whoever looks open at once or say why, run nothing and ask for nothing', async () => {
  const page = await inspector.open();
  const title = await page.title();
  for (const { path, shows, more } of FULL ? [...HOSTILE, ...HUGE] : HOSTILE) {
    await throughProxy(path);
    const before = performance.now();
    await openExchange(page, `path:${path}`, 'Response');
    await detailOf(page).getByText(shows).first().waitFor();
    await more?.(page);
    const task = await page.evaluate(answerTime);
    if (FULL)
      console.info(
        `${path}: ${(performance.now() - before).toFixed(0)} ms, then the page answers in ${String(task)} ms`,
      );
    expect(await page.title()).toBe(title);
    expect(new URL(page.url()).pathname).toBe('/');
  }
  expect(canaryHits).toEqual([]);
});

/** In the page: how long an event waits now, milliseconds. */
function answerTime(): Promise<number> {
  const before = performance.now();
  return new Promise((resolve) => {
    setTimeout(() => {
      resolve(Math.round(performance.now() - before));
    }, 0);
  });
}
