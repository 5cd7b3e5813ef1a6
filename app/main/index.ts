import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, BrowserWindow, ipcMain, MessageChannelMain } from 'electron';
import type { IpcMainEvent, MessagePortMain, WebContents } from 'electron';
import { DESKTOP_CHANNELS } from '../contract/desktop.ts';
import type { BackendDown } from '../contract/desktop.ts';
import { forkBackend } from './backend-process.ts';
import { guardEveryPage, isPageUrl } from './shell/guards.ts';
import { installMenu } from './shell/menu.ts';
import { declarePageScheme, servePage } from './shell/page-protocol.ts';
import { followSystemTheme, openWindow } from './shell/windows.ts';
import { Supervisor } from './supervisor.ts';
import type { BackendState } from './supervisor.ts';

/** How long the backend may finish exchanges and flush when the app quits. */
const DRAIN_MS = 5_000;

const preload = join(import.meta.dirname, '../preload/index.cjs');
const page = join(import.meta.dirname, '../renderer');
const dataFolder = process.argv.find((word) => word.startsWith('--data='))?.slice('--data='.length);

app.enableSandbox();
declarePageScheme();
// One app a data folder: what Chromium keeps, and the lock that a second start meets, belong to it.
if (dataFolder !== undefined) {
  const own = join(dataFolder, 'desktop');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  app.setPath('userData', own);
}

if (app.requestSingleInstanceLock()) {
  run();
} else {
  app.quit();
}

function run(): void {
  /** Pages that said hello: they hear when the backend is down, and then say hello again. */
  const pages = new Set<WebContents>();
  /** Those that wait for a port. */
  const waiting = new Set<WebContents>();

  const supervisor = new Supervisor<MessagePortMain>({
    start: () =>
      forkBackend(join(import.meta.dirname, 'backend.js'), dataFolder === undefined ? [] : ['--data', dataFolder]),
    onState: (state) => {
      onBackendState(state);
    },
    now: () => performance.now(),
    after: (milliseconds, callback) => {
      const timer = setTimeout(callback, milliseconds);
      return () => {
        clearTimeout(timer);
      };
    },
  });

  function onBackendState(state: BackendState): void {
    if (state.name === 'ready') {
      for (const contents of [...waiting]) connect(contents);
    } else if (state.name === 'down') {
      for (const contents of pages) tellDown(contents, state.message);
    }
  }

  function connect(contents: WebContents): void {
    if (contents.isDestroyed()) return;
    const { port1, port2 } = new MessageChannelMain();
    if (!supervisor.connect(port1)) {
      waiting.add(contents);
      return;
    }
    waiting.delete(contents);
    contents.postMessage(DESKTOP_CHANNELS.port, null, [port2]);
  }

  function tellDown(contents: WebContents, message: string): void {
    if (!contents.isDestroyed()) contents.send(DESKTOP_CHANNELS.down, { message } satisfies BackendDown);
  }

  function newWindow(): void {
    const { webContents } = openWindow(preload);
    webContents.once('destroyed', () => {
      waiting.delete(webContents);
      pages.delete(webContents);
    });
  }

  ipcMain.on(DESKTOP_CHANNELS.hello, (event) => {
    if (!isOwnPage(event)) return;
    pages.add(event.sender);
    connect(event.sender);
    if (supervisor.state.name === 'down') tellDown(event.sender, supervisor.state.message);
  });

  app.on('second-instance', () => {
    const [window] = BrowserWindow.getAllWindows();
    if (window === undefined) {
      newWindow();
      return;
    }
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  });

  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) newWindow();
  });

  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });

  let drained = false;
  app.on('before-quit', (event) => {
    if (drained) return;
    event.preventDefault();
    void supervisor.stop(DRAIN_MS).then(() => {
      drained = true;
      app.quit();
    });
  });

  void app.whenReady().then(() => {
    guardEveryPage();
    servePage(page);
    installMenu(process.platform, newWindow);
    followSystemTheme();
    supervisor.start();
    newWindow();
  });
}

/** A message counts only when the top frame of one of our windows sent it from our own page. */
function isOwnPage(event: IpcMainEvent): boolean {
  const frame = event.senderFrame;
  return (
    frame !== null &&
    frame.parent === null &&
    isPageUrl(frame.url) &&
    BrowserWindow.fromWebContents(event.sender) !== null
  );
}
