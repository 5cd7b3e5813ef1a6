import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DesktopApp } from '../support/desktop-app.ts';
import { desktopKind, launchDesktop } from '../support/desktop-app.ts';

/*
 * Specifications of the desktop shell. They run the built main process and preload script: in real Electron where its
 * binary is found, else in the stand-in. They see no difference.
 */

let folder: string;
let started: DesktopApp[];

beforeAll(() => {
  console.log(`\n*** The desktop shell runs in ${desktopKind()}. ***\n`);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-shell-'));
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map((app) => app.dispose()));
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<DesktopApp> {
  const app = await launchDesktop(folder);
  started.push(app);
  return app;
}

/** The first window, with the inspector connected to its backend. */
async function startConnected(): Promise<{ app: DesktopApp; page: Page }> {
  const app = await start();
  const page = await app.firstPage();
  await expectConnected(page);
  return { app, page };
}

async function expectConnected(page: Page): Promise<void> {
  await page.getByText('Nothing captured yet').waitFor();
}

/** Process id of the backend; null while there is none. */
function backendPid(app: DesktopApp): Promise<number | null> {
  return app.evaluate(
    ({ app: electronApp }) => electronApp.getAppMetrics().find((metric) => metric.name === 'Weir backend')?.pid ?? null,
    null,
  );
}

test('a window shows the inspector, connected to its backend', async () => {
  const { app, page } = await startConnected();

  expect(await page.title()).toBe('Weir');
  const visible = await app.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()),
    null,
  );
  expect(visible).toEqual([true]);
});

test('the page sees a port and nothing of Node or Electron', async () => {
  const { page } = await startConnected();

  const seen = await page.evaluate(() =>
    ['require', 'process', 'module', 'ipcRenderer', 'electron', 'Buffer'].filter((name) => name in window),
  );

  expect(seen).toEqual([]);
});

test('a reloaded page gets a new port', async () => {
  const { page } = await startConnected();

  await page.reload();

  await expectConnected(page);
});

test('a backend that crashes is started again, the inspector says so and connects to the new one', async () => {
  const { app, page } = await startConnected();
  const first = await backendPid(app);
  if (first === null) throw new Error('There is no backend process.');

  process.kill(first, 'SIGKILL');

  await page
    .getByText(/connect/i)
    .first()
    .waitFor();
  await expectConnected(page);
  expect(await backendPid(app)).not.toBe(first);
});

test('the page cannot be led anywhere else', async () => {
  const { page } = await startConnected();
  const before = page.url();

  await page.evaluate(() => {
    location.href = 'https://example.org/';
  });
  await page.evaluate(() => {
    window.open('https://example.org/');
  });

  expect(page.url()).toBe(before);
  await expectConnected(page);
});

test('a link opens in the person’s browser only when it is https and on the list', async () => {
  const { app, page } = await startConnected();
  await app.evaluate(({ shell }) => {
    const opened: string[] = [];
    Object.assign(globalThis, { opened });
    shell.openExternal = (url: string) => {
      opened.push(url);
      return Promise.resolve();
    };
  }, null);

  for (const url of [
    'https://evil.test/',
    'http://developer.mozilla.org/',
    'file:///etc/passwd',
    'https://developer.mozilla.org:444/',
    'https://developer.mozilla.org/en-US/docs/Web/HTTP',
  ]) {
    await page.evaluate((address) => window.open(address), url);
  }

  await expect
    .poll(() => app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened, null))
    .toEqual(['https://developer.mozilla.org/en-US/docs/Web/HTTP']);
  expect(app.pages()).toHaveLength(1);
});

test('a page may copy text and nothing else of what it could ask for', async () => {
  const { page } = await startConnected();

  const states = await page.evaluate(async () => {
    const names = ['geolocation', 'notifications', 'camera', 'midi', 'clipboard-write'];
    const asked = names.map(async (name) => [
      name,
      (await navigator.permissions.query({ name: name as PermissionName })).state === 'granted',
    ]);
    return Object.fromEntries(await Promise.all(asked)) as Record<string, boolean>;
  });

  expect(states).toEqual({
    geolocation: false,
    notifications: false,
    camera: false,
    midi: false,
    'clipboard-write': true,
  });
});

test('the page runs under the strict policy and no script of another origin or of its own text', async () => {
  const { page } = await startConnected();

  const ran = await page.evaluate(async () => {
    const violated: string[] = [];
    const both = new Promise<void>((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => {
        if (violated.push(event.effectiveDirective) === 2) resolve();
      });
    });
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.head.append(script);
    await fetch('https://example.org/').catch(() => undefined);
    await both;
    return { injected: 'injected' in window, violated };
  });

  expect(ran).toEqual({ injected: false, violated: ['script-src-elem', 'connect-src'] });
});

test('a second start brings the first window to the front and ends', async () => {
  const { app } = await startConnected();
  await app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.minimize();
  }, null);

  const second = await start();

  expect(await second.exited).toBe(0);
  await expect
    .poll(() =>
      app.evaluate(({ BrowserWindow }) => {
        const window = BrowserWindow.getAllWindows()[0];
        return { minimized: window?.isMinimized(), windows: BrowserWindow.getAllWindows().length };
      }, null),
    )
    .toEqual({ minimized: false, windows: 1 });
});

test('quitting lets the backend finish and end before the app does', async () => {
  const { app } = await startConnected();
  const backend = await backendPid(app);
  if (backend === null) throw new Error('There is no backend process.');

  await app
    .evaluate(({ app: electronApp }) => {
      electronApp.quit();
    }, null)
    .catch(() => undefined); // the answer may not come any more

  expect(await app.exited).toBe(0);
  expect(() => process.kill(backend, 0)).toThrow('ESRCH');
});

test('a window comes back where it stood', async () => {
  const { app } = await startConnected();
  const stood = await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getNormalBounds(), null);

  await app
    .evaluate(({ app: electronApp }) => {
      electronApp.quit();
    }, null)
    .catch(() => undefined);
  await app.exited;

  const kept: unknown = JSON.parse(await readFile(join(folder, 'desktop/window.json'), 'utf8'));
  expect(kept).toEqual({ ...stood, maximized: false });
});
