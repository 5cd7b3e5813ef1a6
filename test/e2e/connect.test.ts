import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailOf, openExchange, startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';

let inspector: RealInspector;
let origin: Server;

beforeAll(async () => {
  inspector = await startRealInspector();
  origin = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/connect+json' });
    response.write(envelope(0, '{"greeting":"Hello"}'));
    response.end(envelope(2, '{"error":{"code":"unavailable","message":"overloaded"}}'));
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  origin.close();
  await inspector.stop();
});

function envelope(flags: number, text: string): Buffer {
  const prefix = Buffer.from([flags, 0, 0, 0, 0]);
  prefix.writeUInt32BE(text.length, 1);
  return Buffer.concat([prefix, Buffer.from(text)]);
}

/** Calls through the proxy; resolves when the answer is complete. */
function call(path: string, body: Buffer): Promise<void> {
  const url = `http://localhost:${String((origin.address() as AddressInfo).port)}${path}`;
  const headers = { 'Content-Type': 'application/connect+json', Host: new URL(url).host };
  return new Promise((resolve, reject) => {
    const { proxyPort: port } = inspector.server;
    request({ host: '127.0.0.1', port, method: 'POST', path: url, headers, agent: false }, (response) => {
      response.resume().on('end', resolve);
    })
      .on('error', reject)
      .end(body);
  });
}

test('messages of a stream of Connect are read as JSON, and the error that ended it is told in words', async () => {
  const page = await inspector.open();
  await call('/shop.v1.Greeter/Greet', envelope(0, '{"name":"Buf"}'));
  await openExchange(page, 'path:/Greet', 'Messages');
  const messages = detailOf(page).getByRole('option');
  await expect.poll(() => messages.count(), { timeout: 20_000 }).toBe(3);

  await messages.nth(1).click();
  await detailOf(page).getByText('"greeting": "Hello"').waitFor();
  await messages.nth(2).click();
  await detailOf(page).getByText('The service cannot be used at the moment; another try may help later.').waitFor();
  expect(await messages.nth(2).innerText()).toContain('end of the stream: unavailable · overloaded');
  await detailOf(page).getByRole('tab', { name: 'Overview' }).click();
  await detailOf(page).getByText('Connect status').waitFor();
  expect(await page.locator('[role=row][data-index]').first().innerText()).toContain('200·14');
  expect(inspector.complaints).toEqual([]);
});
