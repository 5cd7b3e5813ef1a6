import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { BrowserContext, Frame, Page, Request as PlaywrightRequest, Route } from 'playwright-core';
import { browserForPages } from '../browser.ts';
import { isShown, toOwn } from './addresses.ts';
import { fulfilFrom } from './web-contents.ts';
import type { StandInWebContents } from './web-contents.ts';

type SchemeHandler = (request: globalThis.Request) => Promise<Response> | Response;

/** One Chromium for all windows of the program. */
class StandInChromium {
  handler: SchemeHandler | null = null;
  permissionCheck: ((contents: null, permission: string, origin: string) => boolean) | null = null;
  #profile = '';
  readonly #contents = new Map<Page, StandInWebContents>();
  readonly #firstShown = Promise.withResolvers<void>();
  #context: Promise<BrowserContext> | null = null;
  /** Between asking Chromium for a page and having it: that page is nobody's pop-up. */
  #making = 0;

  async newPage(width: number, height: number): Promise<Page> {
    const context = await this.#start();
    this.#making += 1;
    try {
      const page = await context.newPage();
      await page.setViewportSize({ width, height });
      return page;
    } finally {
      this.#making -= 1;
    }
  }

  adopt(page: Page, contents: StandInWebContents): void {
    this.#contents.set(page, contents);
    page.on('close', () => {
      this.#contents.delete(page);
      contents.destroy();
    });
  }

  /** A window has loaded its page. */
  shown(): void {
    this.#firstShown.resolve();
  }

  /** Where a test connects to see the same pages, once there is one. */
  async debuggingAddress(): Promise<string> {
    await this.#firstShown.promise;
    const [port] = (await readFile(join(this.#profile, 'DevToolsActivePort'), 'utf8')).split('\n');
    return `http://127.0.0.1:${port ?? ''}`;
  }

  async close(): Promise<void> {
    if (this.#context === null) return;
    const context = await this.#context;
    await context.close().catch(() => undefined);
    // Its helpers write into the profile for a moment longer.
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  async #start(): Promise<BrowserContext> {
    this.#context ??= this.#launch();
    return this.#context;
  }

  async #launch(): Promise<BrowserContext> {
    const { executablePath, args } = await browserForPages();
    this.#profile = mkdtempSync(join(tmpdir(), 'weir-stand-in-'));
    const context = await chromium.launchPersistentContext(this.#profile, {
      executablePath,
      args: [...args, '--remote-debugging-port=0'],
      viewport: null,
    });
    await context.route('**/*', (route) => this.#route(route));
    context.on('page', (page) => {
      // Nobody asked the program for this page. Whether it may be was decided when its opener asked; nothing of ours may.
      if (this.#making === 0) void page.close();
    });
    await this.#applyPermissions(context);
    return context;
  }

  async #route(route: Route): Promise<void> {
    const request = route.request();
    const frame = navigatingFrame(request);
    if (frame !== null && frame === frame.page().mainFrame()) {
      const contents = this.#contents.get(frame.page());
      if (contents?.mayNavigate(request) !== true) {
        await route.abort('aborted');
        return;
      }
    }
    if (isShown(request.url()) && this.handler !== null) await fulfilFrom(route, this.handler);
    else await route.abort('blockedbyclient'); // no page of ours has business in the network
  }

  /** Chromium decides by its own table; fill it with what the program's check says. */
  async #applyPermissions(context: BrowserContext): Promise<void> {
    const check = this.permissionCheck;
    if (check === null) return;
    const allowed = PERMISSIONS.filter(([own]) => check(null, own, toOwn(SHOWN_ORIGIN)));
    await context.grantPermissions(
      allowed.map(([, shown]) => shown),
      { origin: SHOWN_ORIGIN },
    );
  }
}

const SHOWN_ORIGIN = 'https://weir.app.invalid';

/** The frame that a request would show itself in; null when it is no navigation, or one of a window that is not yet. */
function navigatingFrame(request: PlaywrightRequest): Frame | null {
  if (!request.isNavigationRequest()) return null;
  try {
    return request.frame();
  } catch {
    return null; // a pop-up's first: it is being closed, and gets nothing from the network
  }
}

/** Electron's names for permissions, and Playwright's. */
const PERMISSIONS: readonly (readonly [string, string])[] = [
  ['clipboard-sanitized-write', 'clipboard-write'],
  ['clipboard-read', 'clipboard-read'],
  ['geolocation', 'geolocation'],
  ['notifications', 'notifications'],
  ['media', 'camera'],
  ['midi', 'midi'],
];

export const browser = new StandInChromium();
