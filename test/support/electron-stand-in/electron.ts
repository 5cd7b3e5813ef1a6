// A stand-in for the `electron` module: what the desktop shell uses, over Node and a real Chromium. Anything else is
// refused by name: a missing export by the module loader, a missing member by `refuseTheRest`.
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browser } from './chromium.ts';
import { takeInstanceLock } from './instance-lock.ts';
import { StandInPort } from './ports.ts';
import { refuseTheRest } from './refuse.ts';
import { utilityMetrics } from './utility-process.ts';
import { navigationEvent, StandInWebContents } from './web-contents.ts';
import type { IpcEvent } from './web-contents.ts';

export { MessageChannelMain } from './ports.ts';
export { utilityProcess } from './utility-process.ts';

// --- app -------------------------------------------------------------------------------------------------------------

class StandInApp extends EventEmitter {
  readonly #paths = new Map([['userData', join(tmpdir(), `weir-stand-in-data-${String(process.pid)}`)]]);
  #quitting = false;
  #toldFirst: Promise<void> | null = null;

  enableSandbox(): void {
    // Chromium's own; nothing to switch here.
  }

  setPath(name: string, path: string): void {
    if (!this.#paths.has(name)) throw new Error(`The Electron stand-in knows no path ${name}.`);
    if (!existsSync(path)) throw new Error(`There is no folder ${path}.`); // as Electron does
    this.#paths.set(name, path);
  }

  getPath(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`The Electron stand-in knows no path ${name}.`);
    return path;
  }

  requestSingleInstanceLock(data: unknown = null): boolean {
    this.#toldFirst = takeInstanceLock(this.getPath('userData'), data, (second) => {
      this.emit('second-instance', {}, second.argv, second.folder, second.data);
    });
    return this.#toldFirst === null;
  }

  whenReady(): Promise<void> {
    return Promise.resolve();
  }

  isReady(): boolean {
    return true;
  }

  getAppMetrics(): { pid: number; type: string; name?: string }[] {
    return [{ pid: process.pid, type: 'Browser' }, ...utilityMetrics()];
  }

  quit(): void {
    if (this.#quitting) return;
    const event = navigationEvent('');
    this.emit('before-quit', event);
    if (event.defaultPrevented) return;
    this.#quitting = true;
    void this.#leave();
  }

  get quitting(): boolean {
    return this.#quitting;
  }

  async #leave(): Promise<void> {
    for (const window of StandInWindow.all) window.close();
    this.emit('will-quit', navigationEvent(''));
    await browser.close();
    await this.#toldFirst;
    this.emit('quit', {}, 0);
    process.exit(0);
  }
}

const theApp = new StandInApp();
export const app = refuseTheRest('app', theApp);

// --- windows ---------------------------------------------------------------------------------------------------------

interface WindowOptions {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
  readonly webPreferences: Readonly<Record<string, unknown>> & { readonly preload: string };
}

const WINDOW_OPTIONS: ReadonlySet<string> = new Set([
  ...['x', 'y', 'width', 'height', 'minWidth', 'minHeight', 'title', 'show', 'backgroundColor'],
  ...['autoHideMenuBar', 'titleBarStyle', 'titleBarOverlay', 'webPreferences'],
]);

/** What a window must be created with; anything looser is not what we ship. */
const REQUIRED_PREFERENCES = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webSecurity: true,
  webviewTag: false,
};

class StandInWindow extends EventEmitter {
  static readonly all = new Set<StandInWindow>();
  readonly webContents: StandInWebContents;
  readonly #bounds: { x: number; y: number; width: number; height: number };
  readonly #made: Promise<void>;
  /** What the program gets to see. */
  readonly #self: StandInWindow;
  #visible = false;
  #minimized = false;
  #maximized = false;
  #focused = false;
  #destroyed = false;

  static getAllWindows(): StandInWindow[] {
    return [...StandInWindow.all];
  }

  static fromWebContents(contents: StandInWebContents): StandInWindow | null {
    return StandInWindow.getAllWindows().find((window) => window.webContents === contents) ?? null;
  }

  constructor(options: WindowOptions) {
    super();
    for (const name of Object.keys(options)) {
      if (!WINDOW_OPTIONS.has(name)) throw new Error(`The Electron stand-in has no BrowserWindow option ${name}.`);
    }
    for (const [name, value] of Object.entries(REQUIRED_PREFERENCES)) {
      if (options.webPreferences[name] !== value)
        throw new Error(`A window without ${name}: ${String(value)} is not safe.`);
    }
    this.#bounds = { x: options.x ?? 0, y: options.y ?? 0, width: options.width, height: options.height };
    const page = browser.newPage(options.width, options.height);
    const contents = new StandInWebContents(
      page,
      readFileSync(options.webPreferences.preload, 'utf8'),
      (channel, event, args) => {
        ipcMain.emit(channel, { ...event, sender: this.webContents }, ...args);
      },
    );
    this.webContents = refuseTheRest('webContents', contents);
    this.#made = page.then((made) => {
      browser.adopt(made, contents);
    });
    contents.once('destroyed', () => {
      this.#gone();
    });
    this.#self = refuseTheRest('BrowserWindow', this);
    StandInWindow.all.add(this.#self);
    theApp.emit('web-contents-created', {}, this.webContents);
    return this.#self;
  }

  async loadURL(url: string): Promise<void> {
    await this.#made;
    await this.webContents.loadURL(url);
    this.emit('ready-to-show');
    browser.shown();
  }

  show(): void {
    this.#visible = true;
    this.#focused = true;
  }

  focus(): void {
    this.#focused = true;
    this.emit('focus');
  }

  minimize(): void {
    this.#minimized = true;
    this.#focused = false;
  }

  restore(): void {
    this.#minimized = false;
  }

  maximize(): void {
    this.#maximized = true;
  }

  close(): void {
    if (this.#destroyed) return;
    this.emit('close', navigationEvent(''));
    void this.webContents.close();
    this.#gone();
  }

  isVisible(): boolean {
    return this.#visible;
  }

  isMinimized(): boolean {
    return this.#minimized;
  }

  isMaximized(): boolean {
    return this.#maximized;
  }

  isFocused(): boolean {
    return this.#focused;
  }

  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return { ...this.#bounds };
  }

  setBackgroundColor(): void {
    // Paint behind the page: not to be seen here.
  }

  setTitleBarOverlay(): void {
    // Native chrome: not to be seen here.
  }

  #gone(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    StandInWindow.all.delete(this.#self);
    this.emit('closed');
    if (StandInWindow.all.size === 0 && !theApp.quitting) theApp.emit('window-all-closed');
  }
}

export const BrowserWindow = refuseTheRest('BrowserWindow', StandInWindow);

// --- the rest --------------------------------------------------------------------------------------------------------

class StandInIpcMain extends EventEmitter<Record<string, [event: IpcEvent, ...args: unknown[]]>> {}

const ipcMainPart = new StandInIpcMain();
export const ipcMain = refuseTheRest('ipcMain', ipcMainPart);

export const protocol = refuseTheRest('protocol', {
  registerSchemesAsPrivileged: (schemes: readonly { scheme: string }[]) => {
    for (const { scheme } of schemes)
      if (scheme !== 'app') throw new Error(`The Electron stand-in serves no ${scheme}: pages.`);
  },
  handle: (scheme: string, handler: (request: globalThis.Request) => Promise<Response> | Response) => {
    if (scheme !== 'app') throw new Error(`The Electron stand-in serves no ${scheme}: pages.`);
    browser.handler = handler;
  },
});

export const session = refuseTheRest('session', {
  defaultSession: refuseTheRest('session.defaultSession', {
    setPermissionRequestHandler: () => undefined, // the check below decides for Chromium's table
    setPermissionCheckHandler: (check: (contents: null, permission: string, origin: string) => boolean) => {
      browser.permissionCheck = check;
    },
  }),
});

/** No browser is opened; tests replace `openExternal` to see what was asked for. */
export const shell = refuseTheRest('shell', { openExternal: (_url: string) => Promise.resolve() });

export const nativeTheme = refuseTheRest(
  'nativeTheme',
  Object.assign(new EventEmitter(), { shouldUseDarkColors: false, shouldUseDarkColorsForSystemIntegratedUI: false }),
);

export const screen = refuseTheRest('screen', {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1040 } }],
});

const ROLES: ReadonlySet<string> = new Set([
  ...['appMenu', 'close', 'quit', 'editMenu', 'windowMenu', 'resetZoom', 'zoomIn', 'zoomOut'],
  ...['togglefullscreen', 'toggleDevTools'],
]);

interface MenuItem {
  readonly role?: string;
  readonly label?: string;
  readonly click?: () => void;
  readonly submenu?: readonly MenuItem[];
}

function checkMenu(items: readonly MenuItem[]): readonly MenuItem[] {
  for (const { role, submenu } of items) {
    if (role !== undefined && !ROLES.has(role)) throw new Error(`The Electron stand-in knows no menu role ${role}.`);
    checkMenu(submenu ?? []);
  }
  return items;
}

let applicationMenu: readonly MenuItem[] | null = null;

export const Menu = refuseTheRest('Menu', {
  buildFromTemplate: checkMenu,
  setApplicationMenu: (menu: readonly MenuItem[]) => {
    applicationMenu = menu;
  },
  getApplicationMenu: () => applicationMenu,
});

/** There is no panel to stand in: it keeps what it was told, where the program itself would not see it either. */
class StandInTray extends EventEmitter {
  #menu: readonly MenuItem[] = [];

  constructor(image: string) {
    super();
    this.setImage(image);
    Object.assign(globalThis, { standInTray: this });
    return refuseTheRest('Tray', this);
  }

  setImage(image: string): void {
    if (!existsSync(image)) throw new Error(`There is no picture ${image}.`); // as Electron does
    this.#image = image;
  }

  setToolTip(text: string): void {
    this.#toolTip = text;
  }

  setContextMenu(menu: readonly MenuItem[]): void {
    this.#menu = menu;
  }

  /** What a person sees, for tests. */
  get seen(): { image: string; toolTip: string; labels: (string | undefined)[] } {
    return { image: this.#image, toolTip: this.#toolTip, labels: this.#menu.map(({ label }) => label) };
  }

  /** A person chooses an entry. */
  choose(label: string): void {
    const item = this.#menu.find((entry) => entry.label === label);
    if (item?.click === undefined) throw new Error(`The tray's menu has no ${label} to choose.`);
    item.click();
  }

  #image = '';
  #toolTip = '';
}

export { StandInTray as Tray };

/** For code that asks whether something is a port. */
export { StandInPort as MessagePortMain };
