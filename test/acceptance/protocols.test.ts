import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { browserForTests } from '../support/browser.ts';
import { startInspectorServer } from '../support/inspector-server.ts';
import { createOriginCertificate } from '../support/openssl-certificate.ts';
import { WeirProcess } from '../support/weir-process.ts';

/*
 * What only shows at size or over time, through a whole Weir: a page of 200 resources by HTTP/2, load of HTTP/2, how late
 * events are, and what a million requests leave behind. Prints its figures.
 */

const FULL = process.env['WEIR_FULL'] === '1';
const RESOURCES = 200;
const run = promisify(execFile);
const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function report(text: string): void {
  process.stdout.write(`${text}\n`);
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const portOf = (server: { address(): AddressInfo | string | null }): number => (server.address() as AddressInfo).port;

async function start(...args: readonly string[]): Promise<WeirProcess> {
  const weir = await WeirProcess.start(args);
  closers.push(async () => {
    await weir.stop();
  });
  return weir;
}

/** An HTTP/1.1 origin on a port of the system's choice. */
async function httpOrigin(answer: (path: string, response: ServerResponse) => void): Promise<number> {
  const server: Server = createServer((request, response) => {
    answer(request.url ?? '', response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return portOf(server);
}

/** Answers every request of HTTP/1.1 by the same bytes, at little cost. */
async function quickOrigin(): Promise<number> {
  const answer = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok';
  const sockets = new Set<Socket>();
  const server = createTcpServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => socket.write(answer.repeat(bytes.toString('latin1').split('\r\n\r\n').length - 1)));
  });
  server.listen(0, '127.0.0.1', 1_024);
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return portOf(server);
}

/** The value below which 95 of 100 lie. */
function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? NaN;
}

test('Chromium loads a page of 200 resources by HTTP/2 on both legs inside CONNECT, whole and recorded as such', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-pages-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const certificate = createOriginCertificate(folder);
  const contents = new Map<string, Buffer>();
  for (let n = 0; n < RESOURCES - 1; n += 1) {
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><title>${'x'.repeat(n * 40)}</title></svg>`;
    contents.set(`/${String(n)}.svg`, Buffer.from(drawing));
  }
  const images = [...contents.keys()].map((path) => `<img src="${path}" alt="">`).join('');
  contents.set('/', Buffer.from(`<!doctype html><link rel="icon" href="data:,"><title>Many</title>${images}`));
  const server = createSecureServer(
    { cert: await readFile(certificate.certificateFile), key: await readFile(certificate.keyFile) },
    (request, response) => {
      response.setHeader('content-type', request.url === '/' ? 'text/html' : 'image/svg+xml');
      response.end(contents.get(request.url) ?? '');
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => void server.close());
  const weir = await start('--origin-ca', certificate.caFile);
  const { executablePath, args } = await browserForTests();
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...args,
      `--proxy-server=${weir.proxyUrl}`,
      '--proxy-bypass-list=<-loopback>',
      await weir.chromiumTrustArgument(),
    ],
  });
  const seen = new Map<string, string>();
  try {
    const page = await browser.newPage();
    const bodies: Promise<void>[] = [];
    page.on('response', (response) => {
      if (!response.url().startsWith('https:')) return;
      const { pathname } = new URL(response.url());
      bodies.push(response.body().then((body) => void seen.set(pathname, sha256(body))));
    });
    await page.goto(`https://localhost:${String(portOf(server))}/`, { waitUntil: 'networkidle' });
    expect(await page.evaluate('[...document.images].filter((image) => image.naturalWidth === 8).length')).toBe(
      RESOURCES - 1,
    );
    await Promise.all(bodies);
  } finally {
    await browser.close();
  }
  expect(new Map([...contents].map(([path, bytes]) => [path, sha256(bytes)]))).toEqual(seen);
  const rows = (await weir.listUntil((all) => all.filter(({ complete }) => complete).length >= RESOURCES)).filter(
    ({ host, kind }) => host === 'localhost' && kind === 'http',
  );
  expect(
    rows.map(({ status, complete, client, origin }) => [status, complete, client.protocol, origin.protocol]),
  ).toEqual(Array.from({ length: RESOURCES }, () => [200, true, 'h2', 'h2']));
}, 120_000);

test('h2load sends 100,000 requests by 4 connections of 100 streams, and none fails', async () => {
  const requests = FULL ? 100_000 : 20_000;
  const weir = await start('--mode', `reverse:http://127.0.0.1:${String(await quickOrigin())}@127.0.0.1:0`);
  const { stdout } = await run('h2load', [
    `-n${String(requests)}`,
    '-c4',
    '-m100',
    `https://127.0.0.1:${String(weir.port)}/`,
  ]);
  report(/^requests:.*$/m.exec(stdout)?.[0] ?? stdout);
  expect(stdout).toContain(`${String(requests)} succeeded, 0 failed, 0 errored, 0 timeout`);
  expect(stdout).toMatch(/Application protocol: h2/);
}, 300_000);

test('an event reaches the client within 20 ms and the open page within 200 ms, at 95 of 100', async () => {
  const events = 500;
  const gapMs = 20;
  const streams: ServerResponse[] = [];
  const port = await httpOrigin((_path, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    streams.push(response);
  });
  const inspector = await startInspectorServer();
  closers.push(() => inspector.stop());
  const client = connect({ host: '127.0.0.1', port: inspector.proxyPort });
  await once(client, 'connect');
  client.write(`GET http://127.0.0.1:${String(port)}/events HTTP/1.1\r\nHost: 127.0.0.1:${String(port)}\r\n\r\n`);
  const clientDelays: number[] = [];
  const arrived = Promise.withResolvers<undefined>();
  let text = '';
  client.on('data', (bytes) => {
    const now = Date.now();
    text += bytes.toString('latin1');
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const sent = /sent=(\d+)/.exec(text.slice(0, end))?.[1];
      if (sent !== undefined) clientDelays.push(now - Number(sent));
      text = text.slice(end + 2);
    }
    if (clientDelays.length === events) arrived.resolve(undefined);
  });
  const { executablePath, args } = await browserForTests();
  const browser = await chromium.launch({ executablePath, args: [...args] });
  closers.push(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
  await page.goto(await inspector.pageUrl());
  await page.locator('[role=row][data-index]').first().click();
  const stream = streams[0];
  if (stream === undefined) throw new Error('The origin was not asked.');
  stream.write('data: first\n\n');
  await page
    .locator('[data-pane=detail]')
    .getByRole('tab', { name: /^Messages/ })
    .click();
  await page.locator('[data-pane=detail]').getByRole('option').first().waitFor();
  await page.evaluate(`
    window.delays = new Map();
    const look = () => {
      const now = Date.now();
      for (const [, sent] of document.querySelector('[data-pane=detail]').innerText.matchAll(/sent=(\\d+)/g))
        if (!window.delays.has(sent)) window.delays.set(sent, now - Number(sent));
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  `);
  for (let n = 0; n < events; n += 1) {
    // A stamp of its own for each, so that the page can tell them apart.
    await new Promise((resolve) => setTimeout(resolve, gapMs));
    stream.write(`data: sent=${String(Date.now())} number=${String(n)}\n\n`);
  }
  await arrived.promise;
  const shown = (): Promise<number[]> => page.evaluate<number[]>('[...window.delays.values()]');
  // Rows that scrolled by between two looks of the page were seen by nobody; nearly all must have been.
  await expect.poll(async () => (await shown()).length, { timeout: 10_000 }).toBeGreaterThan(events * 0.9);
  const pageDelays = await shown();
  report(
    `events: client p95 ${String(p95(clientDelays))} ms of ${String(clientDelays.length)}, page p95 ${String(p95(pageDelays))} ms of ${String(pageDelays.length)}`,
  );
  expect(p95(clientDelays)).toBeLessThanOrEqual(20);
  expect(p95(pageDelays)).toBeLessThanOrEqual(200);
  client.destroy();
  stream.end();
}, 120_000);

test('a million requests leave memory and descriptors as they were after the first three hundred thousand', async () => {
  const requests = FULL ? 1_000_000 : 100_000;
  // Until then V8 finds out how much memory the work takes.
  const first = 0.3 * requests;
  const weir = await start(
    '--no-capture',
    '--mode',
    `reverse:http://127.0.0.1:${String(await quickOrigin())}@127.0.0.1:0`,
  );
  const load = async (count: number): Promise<void> => {
    const { stdout } = await run('h2load', [
      `-n${String(count)}`,
      '-c64',
      '--h1',
      `http://127.0.0.1:${String(weir.port)}/`,
    ]);
    expect(stdout).toContain(`${String(count)} succeeded, 0 failed, 0 errored, 0 timeout`);
  };
  const descriptors = (): number => readdirSync(`/proc/${String(weir.pid)}/fd`).length;
  const idle = descriptors();
  const rest = async (): Promise<{ descriptors: number; memory: number }> => {
    // Connections to the origin wait a while for another request.
    await expect.poll(descriptors, { timeout: 120_000, interval: 500 }).toBeLessThanOrEqual(idle + 1);
    const status = readFileSync(`/proc/${String(weir.pid)}/status`, 'utf8');
    return { descriptors: descriptors(), memory: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024 };
  };
  await load(first);
  const before = await rest();
  await load(requests);
  const after = await rest();
  report(
    `${String(requests)} requests: descriptors ${String(before.descriptors)} → ${String(after.descriptors)}, memory ${before.memory.toFixed(1)} → ${after.memory.toFixed(1)} MiB`,
  );
  expect(Math.abs(after.descriptors - before.descriptors)).toBeLessThanOrEqual(1);
  expect(after.memory - before.memory).toBeLessThanOrEqual(16);
}, 900_000);
