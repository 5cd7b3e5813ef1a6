import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, BrowserWindow, ipcMain, MessageChannelMain } from 'electron';
import type { IpcMainEvent, MessagePortMain, WebContents } from 'electron';
import type { AppStatus } from '../contract/calls.ts';
import type { ContractClient } from '../contract/client.ts';
import { DESKTOP_CHANNELS } from '../contract/desktop.ts';
import type { BackendDown, OfferedFile } from '../contract/desktop.ts';
import { forkBackend } from './backend-process.ts';
import { filesOfArguments } from './file-arguments.ts';
import type { FilePort } from './opened-files.ts';
import { OpenedFiles } from './opened-files.ts';
import { outsideArchive } from './outside-archive.ts';
import { connectOwnClient } from './own-client.ts';
import { guardEveryPage, isPageUrl } from './shell/guards.ts';
import { installMenu } from './shell/menu.ts';
import { declarePageScheme, servePage } from './shell/page-protocol.ts';
import { installTray } from './shell/tray.ts';
import type { TrayAction, TrayState } from './shell/tray-view.ts';
import { followSystemTheme, openWindow } from './shell/windows.ts';
import { Supervisor } from './supervisor.ts';
import type { BackendState } from './supervisor.ts';

/** How long the backend may finish exchanges and flush when the app quits. */
const DRAIN_MS = 5_000;

const preload = join(import.meta.dirname, '../preload/index.cjs');
const backend = join(outsideArchive(import.meta.dirname), 'backend.js');
const page = join(import.meta.dirname, '../renderer');
const trayPictures = join(import.meta.dirname, '../../resources/tray');
const dataFolder = process.argv.find((word) => word.startsWith('--data='))?.slice('--data='.length);

app.enableSandbox();
declarePageScheme();
// One app a data folder: what Chromium keeps, and the lock that a second start meets, belong to it.
if (dataFolder !== undefined) {
  const own = join(dataFolder, 'desktop');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  app.setPath('userData', own);
}

/** What this start was asked to open; a second start hands it to the first one whole, since Chromium reorders arguments. */
const opened = { files: filesOfArguments(process.argv, process.cwd()) };

if (app.requestSingleInstanceLock(opened)) {
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
    start: () => forkBackend(backend, dataFolder === undefined ? [] : ['--data', dataFolder]),
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

  /** The tray's own connection; null while the backend is not there. */
  let own: ContractClient | null = null;
  let tellTray: (state: TrayState) => void = () => undefined;
  const untold: string[] = [];

  function onBackendState(state: BackendState): void {
    if (state.name === 'ready') {
      watchForTray();
      for (const contents of [...waiting]) connect(contents);
    } else if (state.name === 'down') {
      own?.close();
      tellTray('down');
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

  function watchForTray(): void {
    const { port1, port2 } = new MessageChannelMain();
    if (!supervisor.connect(port1)) return;
    const client = connectOwnClient(port2);
    own = client;
    client.onClose(() => {
      if (own !== client) return;
      own = null;
      tellTray('starting');
    });
    const items = (states: readonly AppStatus[]): void => {
      const newest = states.at(-1);
      if (newest !== undefined && own === client) tellTray(newest);
    };
    client.stream('app.status', {}, { items, gap: () => undefined });
  }

  function runFromTray(action: TrayAction): void {
    if (action === 'quit') app.quit();
    else if (action === 'show') comeToFront();
    else {
      const done =
        action === 'system-proxy-off'
          ? own?.call('systemProxy.off', {})
          : own?.call('capture.setRecording', { on: action === 'resume' });
      // The window is where a person learns more.
      done?.catch((error: unknown) => {
        untold.push(error instanceof Error ? error.message : String(error));
        comeToFront();
        tellUntold();
      });
    }
  }

  /** Tells a page what went wrong outside of it; one that is only being opened hears of it when it says hello. */
  function tellUntold(): void {
    const contents = frontPage();
    if (contents !== null) for (const message of untold.splice(0)) contents.send(DESKTOP_CHANNELS.refused, message);
  }

  function tellDown(contents: WebContents, message: string): void {
    if (!contents.isDestroyed()) contents.send(DESKTOP_CHANNELS.down, { message } satisfies BackendDown);
  }

  const files = new OpenedFiles({
    hasPage: () => frontPage() !== null,
    offer: (file) => {
      const contents = frontPage();
      return contents === null ? null : offerFile(contents, file);
    },
    refuse: (message) => frontPage()?.send(DESKTOP_CHANNELS.refused, message),
  });

  /** The page that a person sees when the app is brought to the front; null while it is not ready. */
  function frontPage(): WebContents | null {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    return contents !== undefined && pages.has(contents) && !contents.isDestroyed() ? contents : null;
  }

  function comeToFront(): void {
    const [window] = BrowserWindow.getAllWindows();
    if (window === undefined) {
      newWindow();
      return;
    }
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
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
    tellUntold();
    files.pageReady();
  });

  app.on('second-instance', (_event, _argv, _folder, data) => {
    comeToFront();
    files.add(filesOf(data));
  });

  // macOS says so instead of by arguments, and may before anything is ready.
  app.on('open-file', (event, path) => {
    event.preventDefault();
    if (app.isReady()) comeToFront();
    files.add([path]);
  });
  files.add(opened.files);

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
    tellTray = installTray(trayPictures, runFromTray);
    supervisor.start();
    newWindow();
  });
}

/** Gives a page the one end of a channel that it reads a file over. */
function offerFile(contents: WebContents, file: OfferedFile): FilePort {
  const { port1, port2 } = new MessageChannelMain();
  contents.postMessage(DESKTOP_CHANNELS.file, file, [port2]);
  let gone = (): void => undefined;
  return {
    send: (answer) => {
      port1.postMessage(answer);
    },
    onRequest: (listener) => {
      port1.on('message', ({ data }) => {
        listener(data);
      });
      port1.start();
    },
    onClose: (listener) => {
      gone = listener;
      port1.once('close', listener);
      contents.once('destroyed', listener);
    },
    close: () => {
      contents.off('destroyed', gone);
      port1.close();
    },
  };
}

/** What another start of ours wants opened; another program could speak to its lock too. */
function filesOf(data: unknown): string[] {
  if (typeof data !== 'object' || data === null || !('files' in data) || !Array.isArray(data.files)) return [];
  return data.files.filter((path) => typeof path === 'string');
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
