import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

async function start(files: readonly string[] = []): Promise<DesktopApp> {
  const app = await launchDesktop(folder, files);
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

describe('one window that stays', () => {
  let app: DesktopApp;
  let page: Page;
  let ownFolder: string;

  beforeAll(async () => {
    ownFolder = await mkdtemp(join(tmpdir(), 'weir-shell-'));
    app = await launchDesktop(ownFolder);
    page = await app.firstPage();
    await expectConnected(page);
  });

  afterAll(async () => {
    await app.dispose();
    await rm(ownFolder, { recursive: true, force: true });
  });

  test('a window shows the inspector, connected to its backend', async () => {
    expect(await page.title()).toBe('Weir');
    const visible = await app.evaluate(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()),
      null,
    );
    expect(visible).toEqual([true]);
  });

  test('the page sees a port and nothing of Node or Electron', async () => {
    const seen = await page.evaluate(() =>
      ['require', 'process', 'module', 'ipcRenderer', 'electron', 'Buffer'].filter((name) => name in window),
    );

    expect(seen).toEqual([]);
  });

  test('a link opens in the person’s browser only when it is https and on the list', async () => {
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

  test.skipIf(desktopKind() === 'real Electron')(
    'the tray says whether Weir records, and changes that (in real Electron nobody can look into a tray)',
    async () => {
      interface Seen {
        image: string;
        toolTip: string;
        labels: string[];
      }
      const tray = (label: string | null): Promise<Seen> =>
        app.evaluate((_electron, chosen) => {
          const { standInTray } = globalThis as unknown as { standInTray: { seen: Seen; choose(label: string): void } };
          if (chosen !== null) standInTray.choose(chosen);
          return standInTray.seen;
        }, label);

      await expect.poll(() => tray(null)).toMatchObject({ toolTip: 'Weir: recording' });
      await tray('Pause recording');
      await expect.poll(() => tray(null)).toMatchObject({ toolTip: 'Weir: recording is paused' });
      expect((await tray(null)).image).toContain('idleTemplate.png');
      await page.getByRole('button', { name: /^Not recording/ }).waitFor();
      await tray('Resume recording');
      await page.getByRole('button', { name: 'Recording', exact: true }).waitFor();
      await expect.poll(() => tray(null)).toMatchObject({ toolTip: 'Weir: recording' });
      expect((await tray(null)).image).toContain('recordingTemplate.png');
    },
  );

  test('a page may copy text and nothing else of what it could ask for', async () => {
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

  test('the page cannot be led anywhere else', async () => {
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

  test('a reloaded page gets a new port', async () => {
    await page.reload();

    await expectConnected(page);
  });
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

/** A HAR file of one exchange with `path`. */
async function harOf(name: string, path: string): Promise<string> {
  const request = { method: 'GET', url: `http://opened.test${path}`, httpVersion: 'HTTP/1.1', headers: [] };
  const response = { status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1', headers: [], content: { size: 0 } };
  const entry = { startedDateTime: '2026-11-30T12:00:00.000Z', time: 1, request, response, timings: {} };
  const file = join(folder, name);
  await writeFile(file, JSON.stringify({ log: { version: '1.2', creator: { name: 'x' }, entries: [entry] } }));
  return file;
}

/** Drops a file of the disk on the middle of the page, as a person does. */
async function drop(page: Page, file: string): Promise<void> {
  const input = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await input.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data });
  }
}

test('files that the system opens become sessions: of the first start, of a second one that shows the window, of macOS', async () => {
  const app = await start([await harOf('first.har', '/of-the-first-start')]);
  const page = await app.firstPage();
  await page.getByText('/of-the-first-start').first().waitFor();

  await app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.minimize();
  }, null);
  const second = await start([await harOf('second.har', '/of-the-second-start')]);
  await page.getByText('/of-the-second-start').first().waitFor();
  expect(await second.exited).toBe(0);
  const shown = await app.evaluate(({ BrowserWindow }) => {
    const windows = BrowserWindow.getAllWindows();
    return { minimized: windows[0]?.isMinimized(), windows: windows.length };
  }, null);
  expect(shown).toEqual({ minimized: false, windows: 1 });

  const third = await harOf('third.har', '/of-macos');
  const prevented = await app.evaluate(({ app: electronApp }, path) => {
    let called = false;
    electronApp.emit('open-file', { preventDefault: () => (called = true) }, path);
    return called;
  }, third);
  await page.getByText('/of-macos').first().waitFor();
  expect(prevented).toBe(true);

  await app.evaluate(({ app: electronApp }) => {
    electronApp.emit('open-file', { preventDefault: () => undefined }, '/etc/passwd');
  }, null);
  await page.getByText('passwd is no file of Weir').waitFor();
});

test('a file that is dropped on the window is imported, and whatever it is, the window stays where it is', async () => {
  const { page } = await startConnected();
  const before = page.url();
  const foreign = join(folder, 'page.html');
  await writeFile(foreign, '<title>Another page</title>');

  await drop(page, foreign);
  await page.getByText('page.html could not be read whole').waitFor();
  await page.keyboard.press('Escape');
  await drop(page, await harOf('dropped.har', '/of-a-drop'));

  await page.getByText('/of-a-drop').first().waitFor();
  expect(page.url()).toBe(before);
});

test('quitting lets the backend finish and end before the app does, and a window comes back where it stood', async () => {
  const { app } = await startConnected();
  const stood = await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getNormalBounds(), null);
  const backend = await backendPid(app);
  if (backend === null) throw new Error('There is no backend process.');

  await app
    .evaluate(({ app: electronApp }) => {
      electronApp.quit();
    }, null)
    .catch(() => undefined); // the answer may not come any more

  expect(await app.exited).toBe(0);
  expect(() => process.kill(backend, 0)).toThrow('ESRCH');
  const kept: unknown = JSON.parse(await readFile(join(folder, 'desktop/window.json'), 'utf8'));
  expect(kept).toEqual({ ...stood, maximized: false });
});
