import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_SECURITY_POLICY } from '../../app/contract/page-policy.ts';
import { browserForPages } from './browser.ts';
import { builtPages } from './built-pages.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** The inspector in a real browser, on a backend that the test plays (`window.fake`). */
export interface FakeInspector {
  readonly browser: Browser;
  /**
   * Opens a page of its own; complaints of the page fail the test at `close`.
   * @param rows exchanges that the session holds
   */
  open(rows: number, options?: BrowserContextOptions): Promise<Page>;
  /** What pages complained about: errors, warnings and violations of the security policy. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Serves the page under the product's own security policy, and starts a browser. */
export async function startFakeInspector(): Promise<FakeInspector> {
  const pages = await builtPages('fake');
  const { folder } = pages;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = pathname === '/' ? 'index.html' : pathname.slice(1);
    readFile(join(folder, name)).then(
      (bytes) => {
        response.writeHead(200, {
          'Content-Type': CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
          'Content-Security-Policy': PAGE_SECURITY_POLICY,
        });
        response.end(bytes);
      },
      () => response.writeHead(name === 'favicon.ico' ? 204 : 404).end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const url = `http://127.0.0.1:${String(address.port)}/`;
  const { executablePath, args } = await browserForPages();
  const browser = await chromium.launch({ executablePath, args: [...args] });
  const complaints: string[] = [];

  return {
    browser,
    complaints,
    async open(rows, options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1_440, height: 900 },
        colorScheme: 'dark',
        ...options,
      });
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(`${url}?rows=${String(rows)}`);
      await page.locator('footer').waitFor();
      return page;
    },
    async close() {
      await browser.close();
      await new Promise((closed) => server.close(closed));
      await pages.remove();
    },
  };
}
