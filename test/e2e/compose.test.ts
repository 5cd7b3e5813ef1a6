import { createServer, request, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { WebSocketServer } from 'ws';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { accessibilityFindings } from '../support/accessibility.ts';
import { applyFilter, startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly string[];
  readonly body: string;
}

let inspector: RealInspector;
let origin: Server;
let originPort: number;
let seen: Seen[] = [];

beforeAll(async () => {
  inspector = await startRealInspector();
  origin = createServer((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
    incoming.on('end', () => {
      const { method = '', url = '', rawHeaders } = incoming;
      seen.push({ method, path: url, fields: rawHeaders, body });
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ method, url }));
    });
  });
  await new Promise<void>((listening) => origin.listen(0, '127.0.0.1', listening));
  const address = origin.address();
  if (address === null || typeof address === 'string') throw new Error('The origin has no port.');
  originPort = address.port;
});
beforeEach(() => {
  seen = [];
});
afterEach(async () => {
  await inspector.closePages();
  expect(inspector.complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  origin.close();
  await inspector.stop();
});

const urlOf = (path: string): string => `http://127.0.0.1:${String(originPort)}${path}`;
const rowWith = (page: Page, path: string) => page.getByRole('row').filter({ hasText: path });
const response = (page: Page) => page.getByRole('region', { name: 'Response', exact: true });

/** Sends a request of a client through the proxy. */
function ask(path: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'X-One': '1' };
    const options = { host: '127.0.0.1', port: inspector.server.proxyPort, path: urlOf(path), method: 'POST', headers };
    const outgoing = request(options, (answer) => {
      answer.resume().on('end', resolve);
    });
    outgoing.on('error', reject).end(body);
  });
}

test('one key sends an exchange again, and both tell of each other', async () => {
  const page = await inspector.open();
  await ask('/again', '{"a":1}');
  await rowWith(page, '/again').click();
  await page.keyboard.press('r');
  await page.getByText('Replayed; answered 200').waitFor();
  expect(seen).toHaveLength(2);
  expect(seen[1]).toEqual(seen[0]);
  const detail = page.getByRole('region', { name: 'Detail' });
  await detail.getByRole('heading', { name: /^Replays/ }).waitFor();
  await detail.getByRole('button', { name: /^Exchange \d+$/ }).click();
  await detail.getByRole('heading', { name: 'Replay of' }).waitFor();
});

test('an exchange is edited and sent again without a mouse', async () => {
  const page = await inspector.open();
  await ask('/edit', '{"a":1}');
  await rowWith(page, '/edit').click();
  await page.keyboard.press('e');
  await page.getByRole('heading', { name: 'Compose' }).waitFor();
  expect(await page.getByLabel('URL').inputValue()).toBe(urlOf('/edit'));
  await page.getByRole('tab', { name: 'Headers' }).focus();
  await page.keyboard.press('ArrowRight');
  const body = page.getByLabel('Request body');
  expect(await body.inputValue()).toBe('{"a":1}');
  await body.fill('{"a":}');
  await page.getByText('No JSON').waitFor();
  await body.fill('{"a":2}');
  await page.getByText('Valid JSON').waitFor();
  await page.keyboard.press('Control+Enter');
  await response(page).getByText('200 OK').waitFor();
  expect(seen[1]).toMatchObject({ method: 'POST', path: '/edit', body: '{"a":2}' });
  expect(seen[1]?.fields.join('|')).toContain('X-One|1');
  expect(seen[1]?.fields.join('|')).toContain('Content-Length|7');
});

test('a pasted cURL command becomes a request, and one that is none says why', async () => {
  const page = await inspector.open();
  await page.getByRole('button', { name: 'Compose' }).click();
  await response(page).getByText('Nothing sent yet').waitFor();
  await page.getByText('Write a URL to send the request.').waitFor();
  await page.getByRole('button', { name: 'Paste cURL…' }).click();
  await page.getByRole('textbox', { name: 'cURL command' }).fill('wget http://x/');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('does not begin with curl').waitFor();
  await page
    .getByRole('textbox', { name: 'cURL command' })
    .fill(`curl -X PUT '${urlOf('/curl')}' -H 'X-Two: 2' \\\n  -d $'it\\'s'`);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Send' }).click();
  await response(page).getByText('200 OK').waitFor();
  expect(seen).toMatchObject([{ method: 'PUT', path: '/curl', body: "it's" }]);
});

test('a request is repeated in parallel with progress and a histogram', async () => {
  const page = await inspector.open();
  await page.getByRole('button', { name: 'Compose' }).click();
  await page.getByLabel('URL').fill(urlOf('/many'));
  await page.getByRole('tab', { name: 'Repeat' }).click();
  await page.getByLabel('Requests').fill('1000');
  await page.getByLabel('At a time').fill('50');
  await page.getByLabel('Connections').fill('50');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('1,000 of 1,000 answered').waitFor();
  await page.getByText('200 × 1,000').waitFor();
  expect(await page.getByRole('list', { name: 'Latency' }).getByRole('listitem').count()).toBeGreaterThan(0);
  expect(seen).toHaveLength(1_000);
  expect(await accessibilityFindings(page)).toEqual([]);
});

test('a run is cancelled', async () => {
  const page = await inspector.open();
  await page.getByRole('button', { name: 'Compose' }).click();
  await page.getByLabel('URL').fill(urlOf('/many'));
  await page.getByRole('tab', { name: 'Repeat' }).click();
  await page.getByLabel('Requests').fill('100000');
  await page.getByLabel('A second').fill('20');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('200 ×').waitFor();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
});

test('a WebSocket is composed, its conversation is replayed by one key, and a recorded message is edited and sent', async () => {
  const server = new WebSocketServer({ server: origin, path: '/live' });
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      socket.send(isBinary ? data : `echo ${data.toString()}`, { binary: isBinary });
    });
  });
  const page = await inspector.open();
  const conversation = page.getByRole('region', { name: 'Conversation', exact: true });
  const state = page.getByRole('status', { name: 'State of the connection' });
  await page.getByRole('button', { name: 'Compose' }).click();
  await page.getByRole('radio', { name: 'WebSocket' }).click();
  await conversation.getByText('Not connected').waitFor();
  const url = page.getByRole('textbox', { name: 'URL' });
  expect(await url.inputValue()).toBe('wss://');
  await url.fill(urlOf('/live').replace('http', 'ws'));
  await url.press('Enter');
  await state.getByText('Open').waitFor();
  const editor = page.getByRole('textbox', { name: 'Message to send' });
  await editor.fill('first');
  await editor.press('Control+Enter');
  await conversation.getByRole('option', { name: 'echo first' }).waitFor();
  await page.getByRole('radio', { name: 'Hex' }).click();
  await editor.fill('01 f');
  await page.getByText('Write pairs of hex digits').waitFor();
  await editor.fill('01 ff');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await state.getByText('2 sent, 2 received').waitFor();
  await page.getByRole('textbox', { name: 'Code' }).fill('4001');
  await page.getByRole('textbox', { name: 'Reason' }).fill('enough');
  await page.getByRole('textbox', { name: 'Reason' }).press('Enter');
  await state.getByText('Closed by you with 4001 “enough”').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);

  await page.getByRole('button', { name: 'Traffic' }).click();
  await applyFilter(page, 'path:/live');
  await rowWith(page, '/live').click();
  await page.keyboard.press('r');
  await page.getByText('Replayed to its end').waitFor();
  await page.getByText('2 of 2 sent').waitFor();
  await state.getByText('Closed by you with 4001 “enough”').waitFor();
  await conversation.getByRole('tab', { name: 'Overview' }).click();
  await conversation.getByRole('heading', { name: 'Replay of' }).waitFor();
  const recorded = page.getByRole('listbox', { name: 'Messages of the client' });
  await recorded.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect.poll(() => editor.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await editor.inputValue()).toBe('first');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await state.getByText('Open').waitFor();
  await editor.fill('edited');
  await editor.press('Control+Enter');
  await conversation.getByRole('option', { name: 'echo edited' }).waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await state.getByText('Closed by you with 1000').waitFor();

  await page.getByRole('button', { name: 'Traffic' }).click();
  await rowWith(page, '/live').nth(0).click();
  await rowWith(page, '/live')
    .nth(2)
    .click({ modifiers: ['Control'] });
  await page.keyboard.press('r');
  await page.getByText('Replayed 2 exchanges').waitFor();
  await page.keyboard.press('d');
  const comparison = page.getByRole('region', { name: 'Comparison' });
  await comparison.getByRole('heading', { name: 'Request messages' }).waitFor();
  await comparison.getByText('text edited').waitFor();
  server.close();
});

test('a dropped HAR file becomes a session, with a report of what was left out', async () => {
  const page = await inspector.open();
  const entry = {
    startedDateTime: '2026-03-01T10:00:00Z',
    request: { method: 'GET', url: 'http://imported.test/page', headers: [] },
    response: { status: 204, headers: [] },
  };
  const text = JSON.stringify({ log: { entries: [entry, { request: { url: 'data:,x' } }] } });
  const transfer = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], 'dropped.har', { type: 'application/json' }));
    return data;
  }, text);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  const report = page.getByRole('dialog', { name: 'Imported dropped.har' });
  await report.getByText('data: is no traffic of the network').waitFor();
  await report.getByRole('button', { name: 'Close' }).last().click();
  await rowWith(page, 'imported.test').waitFor();
});
