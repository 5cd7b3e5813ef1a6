import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { SAMPLE_STARTED_AT } from '../../app/backend/services/sample/play-sample.ts';
import { browserForPages } from './browser.ts';
import { startInspectorServer } from './inspector-server.ts';
import type { InspectorServer } from './inspector-server.ts';

/** The pages' clock stands half a minute after the sample began, so that its pending exchange has waited for seconds. */
const PAGE_TIME = SAMPLE_STARTED_AT / 1_000 + 29_000;

/** The inspector in a real browser on a real backend with a fresh data folder. */
export interface RealInspector {
  readonly server: InspectorServer;
  readonly browser: Browser;
  /** What pages complained about: errors, warnings and violations of the security policy. */
  readonly complaints: string[];
  /** A page of its own, signed in and drawn. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Ends every page. */
  closePages(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param environment added to what the backend inherits
 * @param kept an existing data folder instead of a fresh one; it is not removed
 */
export async function startRealInspector(
  environment: NodeJS.ProcessEnv = {},
  kept: string | null = null,
): Promise<RealInspector> {
  const server = await startInspectorServer(environment, kept);
  const { executablePath, args } = await browserForPages();
  const browser = await chromium.launch({ executablePath, args: [...args] });
  const complaints: string[] = [];
  return {
    server,
    browser,
    complaints,
    async open(options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1_440, height: 900 },
        colorScheme: 'dark',
        reducedMotion: 'reduce',
        ...options,
      });
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.clock.setFixedTime(PAGE_TIME);
      await page.goto(await server.pageUrl());
      await page.getByRole('contentinfo').getByText('Recording').waitFor();
      return page;
    },
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}

/** Shows the sample traffic and waits for its rows. */
export async function showSample(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Show sample traffic' });
  const row = page.locator('[role=row][data-index]').first();
  await button.or(row).first().waitFor();
  if (await button.isVisible()) await button.click();
  else {
    // Something was recorded: the empty screen with its button is gone.
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Find an action').fill('Show sample traffic');
    await page.keyboard.press('Enter');
  }
  await page.getByText('This is sample traffic of an invented shop.').waitFor();
  await row.waitFor();
}

/** The detail pane. */
export function detailOf(page: Page): Locator {
  return page.locator('[data-pane=detail]');
}

/**
 * Filters the list to one exchange, opens it and chooses a tab of its detail.
 * @param filter in the query language; the first row that passes is opened
 */
export async function openExchange(page: Page, filter: string, tab: string): Promise<void> {
  // Through an empty list, so that no row of an earlier filter is taken for one of this.
  await applyFilter(page, 'host:nowhere.invalid');
  await page.getByRole('heading', { name: 'No exchange matches' }).waitFor();
  await applyFilter(page, filter);
  await page.locator('[role=row][data-index]').first().click();
  // A count may stand behind the name.
  await detailOf(page)
    .getByRole('tab', { name: new RegExp(`^${tab}\\s?[\\d,]*$`) })
    .click();
  await detailOf(page).getByRole('tabpanel').waitFor();
}

/** Writes into the filter box and applies it. */
export async function applyFilter(page: Page, filter: string): Promise<void> {
  const box = page.getByRole('combobox', { name: 'Filter' });
  await box.fill(filter);
  await box.press('Enter');
}
