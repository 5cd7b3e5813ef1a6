import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { WebSocketServer } from 'ws';
import { MONEY_PROTO, protoFile, STOCK_PROTO } from '../support/shop-proto.ts';
import { applyFilter, detailOf, openExchange, showSample } from '../support/real-inspector.ts';

/** One picture of the product: how to get there from a fresh page. */
export interface Scene {
  readonly name: string;
  /** Another window than the run's, px. */
  readonly viewport?: { readonly width: number; readonly height: number };
  show(page: Page): Promise<void>;
  /** Puts back what other pages would notice. */
  leave?(page: Page): Promise<void>;
}

/** A scene of the sample traffic with one exchange open. */
function detail(name: string, filter: string, tab: string, settled: (page: Page) => Promise<void>): Scene {
  return {
    name,
    async show(page) {
      await showSample(page);
      await openExchange(page, filter, tab);
      await applyFilter(page, '');
      await settled(page);
    },
  };
}

const shown =
  (text: string) =>
  (page: Page): Promise<void> =>
    detailOf(page).getByText(text).first().waitFor();
const CART = 'host:api.weir.test method:POST path:/v2/cart/items';

/** Chooses a message by what its row says, and waits for its view. */
const message =
  (row: string | RegExp, payload: string) =>
  async (page: Page): Promise<void> => {
    // A low list shows only its first messages: the filter brings any other one into view, and is taken away again.
    const wanted = detailOf(page).getByRole('option', { name: row }).first();
    if ((await wanted.count()) === 0) {
      const filter = detailOf(page).getByRole('searchbox', { name: 'Filter messages' });
      await filter.fill(typeof row === 'string' ? row : row.source);
      await wanted.click();
      await filter.fill('');
    } else {
      await wanted.click();
    }
    await detailOf(page).getByText(payload).first().waitFor();
  };

/** The tree of a body, with a value chosen. */
async function tree(page: Page): Promise<void> {
  await detailOf(page).getByRole('radio', { name: 'Tree' }).click();
  await detailOf(page)
    .getByRole('treeitem', { name: /unitPrice/ })
    .first()
    .click();
}

async function openBenchmark(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Benchmark' }).click();
  await page.getByRole('heading', { name: 'Benchmark', level: 1 }).waitFor();
  await page.getByRole('heading', { name: /Choose what to measure|Weir .* is|Weir .* carries|Nothing was/ }).waitFor();
}

/** Shows an invented run of the quick set. */
async function showBenchmark(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Run the quick benchmark');
  await page.keyboard.press('Enter');
  await page.getByText(/^In throughput Weir .* 5 profiles/).waitFor();
}

let shop: WebSocketServer | null = null;

/** An invented shop that acknowledges a subscription and tells a little of what was recorded, so that a replay waits. */
async function startShop(): Promise<string> {
  shop = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: { threshold: 0 } });
  shop.on('connection', (socket) => {
    socket.once('message', () => {
      socket.send('{"op":"ack","id":1}');
      for (let index = 0; index < 9; index += 1) {
        socket.send(JSON.stringify({ sku: String(1_041 + (index % 3)), stock: 40 - index, warehouse: 'Graz' }));
      }
    });
  });
  await once(shop, 'listening');
  return `ws://127.0.0.1:${String((shop.address() as AddressInfo).port)}/stock/live`;
}

/** Adds schemas of the sample shop's calls. */
async function addProtos(page: Page, ...files: readonly ReturnType<typeof protoFile>[]): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('protobuf');
  await page.getByLabel('Add files').setInputFiles([...files]);
  await page.getByRole('button', { name: `Remove ${files.at(-1)?.name ?? ''}` }).waitFor();
}

/** Takes them away again: other scenes show messages without. */
async function removeProtos(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('protobuf');
  const buttons = page.getByRole('list', { name: 'Schema files' }).getByRole('button');
  await buttons.first().waitFor();
  for (let left = await buttons.count(); left > 0; left -= 1) {
    await buttons.first().click();
    await buttons.nth(left - 1).waitFor({ state: 'detached' });
  }
}

/** Shows the columns for language models, or takes them away again. */
async function toggleModelColumns(page: Page): Promise<void> {
  await page.getByRole('columnheader', { name: 'Method' }).click({ button: 'right' });
  for (const name of ['Model', 'Tokens', 'First token', 'Finish']) {
    await page.getByRole('menuitemcheckbox', { name, exact: true }).click();
  }
  await page.keyboard.press('Escape');
}

export const SCENES: readonly Scene[] = [
  {
    name: 'empty',
    show: (page) => page.getByRole('heading', { name: 'Nothing captured yet' }).waitFor(),
  },
  { name: 'list', show: showSample },
  {
    name: 'list-models',
    async show(page) {
      await showSample(page);
      await toggleModelColumns(page);
      await applyFilter(page, 'host:llm or host:live');
      await page.getByText('shop-assistant-small').first().waitFor();
    },
    leave: toggleModelColumns,
  },
  detail('overview', CART, 'Overview', shown('Asked for')),
  detail('request', CART, 'Request', shown('"quantity"')),
  detail('response-json', CART, 'Response', shown('"currency"')),
  detail('response-tree', CART, 'Response', tree),
  detail('request-parts', 'path:/account/avatar', 'Request', async (page) => {
    await detailOf(page)
      .getByRole('button', { name: /badge\.png/ })
      .click();
    await detailOf(page).getByText(/ px$/).waitFor();
  }),
  detail('response-hostile', 'path:/v2/products/1042/reviews', 'Response', shown('"average"')),
  detail('response-html', 'host:shop.weir.test type:html status:200', 'Response', shown('viewport')),
  detail('response-image', 'path:/img/weir-hero.webp', 'Response', shown('480 × 240 px')),
  detail('response-font', 'path:/fonts/weir-pixel.woff status:200', 'Response', shown('The quick brown fox')),
  detail('messages', 'path:/stock/live', 'Messages', message(/oak sluice/, '"chat"')),
  {
    ...detail('messages-narrow', 'path:/stock/live', 'Messages', message(/subscribe/, '"1043"')),
    viewport: { width: 680, height: 700 },
  },
  detail('messages-events', 'path:/orders/ord_77/events', 'Messages', message(/packed/, '"parcels"')),
  detail('messages-grpc', 'path:/weir.shop.v1.Stock/Watch', 'Messages', message(/EUR/, 'Message 2')),
  detail('frames', 'path:/weir.shop.v1.Stock/Watch', 'Frames', async (page) => {
    await detailOf(page).getByRole('radio', { name: 'Whole connection' }).click();
    await detailOf(page)
      .getByRole('option', { name: /MAX_CONCURRENT_STREAMS/ })
      .click();
    await detailOf(page)
      .getByRole('region', { name: /^Frame / })
      .waitFor();
  }),
  {
    name: 'protobuf',
    async show(page) {
      await addProtos(page, protoFile('money.proto', MONEY_PROTO), protoFile('stock.proto', STOCK_PROTO));
      await page.getByRole('button', { name: 'Traffic' }).click();
      await showSample(page);
      await openExchange(page, 'path:/weir.shop.v1.Stock/Watch', 'Messages');
      await message(/restocked/, '"currency"')(page);
    },
    leave: removeProtos,
  },
  {
    name: 'settings-protobuf',
    async show(page) {
      await addProtos(
        page,
        protoFile('bad.proto', 'syntax = "proto3";\nmessage A {\n  int32 a 1;\n}\n'),
        protoFile('money.proto', MONEY_PROTO),
        protoFile(
          'stock.proto',
          STOCK_PROTO.replace('money.proto', 'currency.proto').replace('Money price', 'Price price'),
        ),
      );
      await page.getByText('Imports weir/shop/v1/currency.proto').waitFor();
    },
    leave: removeProtos,
  },
  {
    name: 'messages-none',
    async show(page) {
      await showSample(page);
      await openExchange(page, 'path:/stock/live', 'Messages');
      await detailOf(page).getByRole('searchbox', { name: 'Filter messages' }).fill('no such text');
      await page.getByRole('heading', { name: 'No message matches' }).waitFor();
    },
  },
  detail('llm', 'host:llm.weir.test', 'Overview', shown('shop-assistant-small')),
  detail('timing', 'host:shop.weir.test type:html status:200', 'Timing', shown('The TLS handshake with the origin')),
  detail('tls', CART, 'TLS', shown('Weir and origin')),
  detail('cookies', 'host:shop.weir.test type:html status:200', 'Request', shown('Cookies')),
  detail('raw', CART, 'Raw', shown('Host: api.weir.test')),
  detail('failure', 'host:pinned.weir.test', 'Overview', shown('The client does not trust')),
  detail('certificate', 'host:old.weir.test', 'TLS', shown('expired 3 Mar 2026')),
  detail('noticed', 'host:legacy.weir.test path:/index.cgi', 'Overview', shown('Noticed')),
  {
    name: 'row-menu',
    async show(page) {
      await showSample(page);
      await page.locator('[role=row][data-index]').nth(4).click({ button: 'right' });
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'marks',
    async show(page) {
      await showSample(page);
      const rows = page.locator('[role=row][data-index]');
      await rows.nth(3).click();
      await rows.nth(5).click({ modifiers: ['Shift'] });
      await page.keyboard.press('4');
      await page.keyboard.press('p');
      await rows.nth(7).click();
      await page.keyboard.press('2');
      await page.getByTitle('label orange').waitFor();
    },
    async leave(page) {
      await page.keyboard.press('0');
    },
  },
  {
    name: 'compare',
    async show(page) {
      await showSample(page);
      await applyFilter(page, 'host:api.weir.test type:json status:200');
      const rows = page.locator('[role=row][data-index]');
      await rows.nth(0).click();
      await rows.nth(1).click({ modifiers: ['Control'] });
      await page.keyboard.press('d');
      await page.getByText('Response body').waitFor();
    },
  },
  {
    name: 'comment',
    async show(page) {
      await showSample(page);
      await page.locator('[role=row][data-index]').nth(4).click();
      await page.keyboard.press('n');
      await page
        .getByRole('textbox', { name: 'Comment' })
        .fill('The cart was empty here although the page showed two items.');
    },
  },
  {
    name: 'sessions',
    async show(page) {
      await showSample(page);
      // A narrow window has its sidebar behind a key.
      if ((await page.getByRole('tab', { name: 'Sessions' }).count()) === 0) await page.keyboard.press('Control+b');
      await page.getByRole('tab', { name: 'Sessions' }).click();
      await page.getByRole('button', { name: 'More about the session Sample shop' }).click();
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'filter-error',
    async show(page) {
      await showSample(page);
      await applyFilter(page, 'status:>=4o4 host:api');
      await page.getByText(/at character/).waitFor();
    },
  },
  {
    name: 'no-results',
    async show(page) {
      await showSample(page);
      await applyFilter(page, 'host:nowhere.weir.test');
      await page.getByRole('heading', { name: 'No exchange matches' }).waitFor();
    },
  },
  {
    name: 'paused',
    async show(page) {
      await showSample(page);
      await page
        .getByRole('button', { name: /Pause recording|Recording/ })
        .first()
        .click();
      await page
        .getByText(/Not recording/)
        .first()
        .waitFor();
    },
    async leave(page) {
      await page
        .getByRole('button', { name: /Resume recording|Not recording/ })
        .first()
        .click();
      await page.getByRole('contentinfo').getByText('Recording', { exact: true }).waitFor();
    },
  },
  { ...detail('narrow', CART, 'Response', shown('"currency"')), viewport: { width: 680, height: 700 } },
  {
    name: 'benchmark-empty',
    async show(page) {
      await openBenchmark(page);
      await page.getByRole('heading', { name: 'Nothing measured yet' }).waitFor();
    },
  },
  {
    name: 'benchmark-running',
    async show(page) {
      await openBenchmark(page);
      if ((await page.getByRole('button', { name: 'New run' }).count()) > 0) {
        await page.getByRole('button', { name: 'New run' }).click();
      }
      await page.getByRole('radio', { name: 'Full' }).click();
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText('Measuring HTTPS · HTTP/2 · Weir, capture off').waitFor();
    },
    async leave(page) {
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('This run ended early').waitFor();
    },
  },
  {
    name: 'benchmark-ramp',
    async show(page) {
      await openBenchmark(page);
      if ((await page.getByRole('button', { name: 'New run' }).count()) > 0) {
        await page.getByRole('button', { name: 'New run' }).click();
      }
      await page.getByRole('radio', { name: 'Ramp' }).click();
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByRole('region', { name: 'HTTP/1.1, ramp', exact: true }).waitFor();
    },
  },
  { name: 'benchmark', show: showBenchmark },
  {
    name: 'benchmark-details',
    async show(page) {
      await showBenchmark(page);
      await page.getByText('All figures').click();
      await page.getByText('Conditions and limits').click();
      await page.getByText('All figures').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'compose-websocket',
    async show(page) {
      const url = await startShop();
      await showSample(page);
      await openExchange(page, 'path:/stock/live', 'Overview');
      await page.getByRole('grid', { name: 'Exchanges' }).focus();
      await page.keyboard.press('e');
      await page.getByRole('textbox', { name: 'URL' }).fill(url);
      await page.getByRole('button', { name: 'Replay the conversation' }).click();
      await page.getByText(/waiting for \d+ of the origin/).waitFor();
      await detailOf(page)
        .getByRole('option', { name: /"stock":32/ })
        .click();
      await detailOf(page).getByText('"warehouse"').first().waitFor();
    },
    async leave(page) {
      await page.getByRole('button', { name: 'Cancel the replay' }).click();
      await page.getByText('Cancelled', { exact: true }).waitFor();
      shop?.close();
      shop = null;
    },
  },
  {
    name: 'settings',
    async show(page) {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    },
  },
  {
    name: 'settings-search',
    async show(page) {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('searchbox', { name: 'Search settings' }).fill('keep');
      await page.getByText('Keep at most').waitFor();
    },
  },
  {
    name: 'shortcuts',
    async show(page) {
      await showSample(page);
      await page.getByRole('grid', { name: 'Exchanges' }).focus();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'palette',
    async show(page) {
      await showSample(page);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
];
