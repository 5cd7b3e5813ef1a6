import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_CODES } from '#contract';
import type { ErrorCode } from '#contract';
import { SamplePlayer } from '../../app/backend/services/sample/player.ts';
import { clientFields, failure } from '../../app/backend/services/sample/story-helpers.ts';
import { ERROR_ACTION_TEXT, ERROR_TEXT } from '../../app/renderer/text/errors.ts';
import type { ErrorAction } from '../../app/renderer/text/errors.ts';
import { detailOf, startRealInspector } from '../support/real-inspector.ts';
import type { RealInspector } from '../support/real-inspector.ts';
import { openStoreKit } from '../support/store-kit.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** `WEIR_SHOTS_FOLDER` keeps a picture of each failure. */
const PICTURES = process.env['WEIR_SHOTS_FOLDER'];

let data: string;
let inspector: RealInspector;

/** The shop on a bad day: a session in which every exchange fails, each in another way. */
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'weir-errors-'));
  await mkdir(join(data, 'store'));
  {
    using kit = openStoreKit(join(data, 'store'));
    // Now, since what is older than the limit of Settings is deleted.
    const startedAt = Date.now() * 1_000;
    const player = new SamplePlayer(kit.tap, { startedAt, now: startedAt }, 1, 1);
    CODES.forEach((code, place) => {
      const tunnel = code.startsWith('tls.client-');
      player.play({
        at: place * 100,
        client: 'app',
        kind: tunnel ? 'tunnel' : 'http',
        method: tunnel ? '' : 'POST',
        url: tunnel ? 'https://pinned.weir.test/' : `https://api.weir.test/v2/orders/${code}`,
        headers: clientFields('app', 'application/json'),
        phases: { dns: 2, connect: 8, tls: 20, send: 0.2, wait: 40, receive: 0 },
        error: failure(code, `What happened in this one case of ${code}.`),
      });
    });
    expect(kit.commit()).toBe(true);
  }
  inspector = await startRealInspector({}, data);
});

afterAll(async () => {
  expect(inspector.complaints).toEqual([]);
  await inspector.stop();
  await rm(data, { recursive: true, force: true });
});

/** Shows the failures with the first one open. */
async function openFailures(): Promise<Page> {
  const page = await inspector.open();
  await page.getByRole('button', { name: new RegExp(`${String(CODES.length)} exchanges$`) }).click();
  await page.locator('[role=row][data-index]').first().waitFor();
  await page.getByRole('grid', { name: 'Exchanges' }).focus();
  await page.keyboard.press('Home');
  return page;
}

async function showFailure(page: Page, code: ErrorCode): Promise<void> {
  const box = page.getByRole('combobox', { name: 'Filter' });
  await box.fill(`error:${code}`);
  await box.press('Enter');
  await page.locator('[role=row][data-index="0"]').click();
  // The tab stays where an earlier action led.
  await detailOf(page).getByRole('tab', { name: 'Overview' }).click();
  await detailOf(page).getByRole('region', { name: ERROR_TEXT[code].title }).waitFor();
}

test('a walk through every way to fail finds a word in the list, and in the detail what, why, what to do and one action', async () => {
  const page = await openFailures();
  for (const [place, code] of CODES.entries()) {
    if (place > 0) await page.keyboard.press('j');
    const { title, cause, next, action, word } = ERROR_TEXT[code];
    const row = page.locator(`[role=row][data-index="${String(place)}"]`);
    await row.and(page.locator('[aria-selected=true]')).waitFor();
    expect(await row.getByRole('gridcell').nth(1).innerText()).toBe(word);
    const card = detailOf(page).getByRole('region', { name: title });
    await card.getByText(`What happened in this one case of ${code}.`).waitFor();
    expect(await card.innerText()).toContain(cause);
    expect(await card.innerText()).toContain(next);
    expect(await card.getByRole('button').first().innerText()).toBe(ERROR_ACTION_TEXT[action]);
    if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `error-${code}.png`) });
  }
});

const LEADS_TO: Readonly<Record<ErrorAction, (page: Page) => Promise<unknown>>> = {
  'pass-through': (page) => page.getByText(/weir\.test passes through from its next connection on/).waitFor(),
  'trust-host': (page) => page.getByText('The certificate of api.weir.test is no longer verified').waitFor(),
  'view-chain': (page) => detailOf(page).getByRole('tab', { name: 'TLS', selected: true }).waitFor(),
  'view-raw': (page) => detailOf(page).getByRole('tab', { name: 'Raw', selected: true }).waitFor(),
  'view-timing': (page) => detailOf(page).getByRole('tab', { name: 'Timing', selected: true }).waitFor(),
  'open-setup': (page) => page.getByRole('heading', { name: 'Setup', level: 1 }).waitFor(),
  'open-settings': (page) => page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor(),
  'copy-curl': (page) => page.getByText('cURL command copied').waitFor(),
  'filter-host': (page) =>
    expect.poll(() => page.getByRole('combobox', { name: 'Filter' }).inputValue()).toContain('host:'),
};

/** Back from wherever an action has led. */
async function backToTraffic(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Traffic' }).click();
  await page.getByRole('grid', { name: 'Exchanges' }).waitFor();
}

test('each action leads where it says', async () => {
  const page = await openFailures();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const [action, led] of Object.entries(LEADS_TO) as [ErrorAction, (page: Page) => Promise<unknown>][]) {
    const code = CODES.find((candidate) => ERROR_TEXT[candidate].action === action);
    if (code === undefined) throw new Error(`Nothing offers ${action}.`);
    await showFailure(page, code);
    const card = detailOf(page).getByRole('region', { name: ERROR_TEXT[code].title });
    await card.getByRole('button', { name: ERROR_ACTION_TEXT[action] }).click();
    await led(page);
    await backToTraffic(page);
  }
});

test('a failure that a setting mends opens Settings at that setting', async () => {
  const page = await openFailures();
  const settings = new Map<string, ErrorCode>();
  for (const code of CODES) {
    const { setting } = ERROR_TEXT[code];
    if (setting !== undefined) settings.set(setting, code);
  }
  for (const [setting, code] of settings) {
    await showFailure(page, code);
    await detailOf(page).getByRole('button', { name: 'Open Settings' }).click();
    const place = page.locator('[data-pane=page]');
    await place.getByRole('searchbox', { name: 'Search settings' }).waitFor();
    expect(await place.getByRole('searchbox', { name: 'Search settings' }).inputValue()).toBe(setting);
    const fields = place.locator('input:not([type=search]), textarea, select');
    await place.getByRole('heading', { level: 2 }).first().waitFor();
    if (setting.startsWith('“')) expect(await fields.count()).toBe(1);
    await backToTraffic(page);
  }
});
