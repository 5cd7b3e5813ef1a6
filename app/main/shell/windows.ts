import { join } from 'node:path';
import { app, BrowserWindow, nativeTheme, screen } from 'electron';
import type { BrowserWindowConstructorOptions } from 'electron';
import { PAGE_ORIGIN } from './page-protocol.ts';
import { keepWindowBounds, readWindowBounds, SMALLEST_WINDOW } from './window-bounds.ts';

/** `window` and `text` of the visual specification, so that nothing flashes before the page paints. */
const COLOURS = {
  dark: { window: '#0E1214', text: '#E4EAED' },
  light: { window: '#F1F4F5', text: '#182024' },
} as const;

/** Height of the toolbar, which is the title bar. */
const TOOLBAR_HEIGHT = 44;

/** Opens a window on the inspector; it shows itself when it has something to show. */
export function openWindow(preload: string): BrowserWindow {
  const boundsFile = join(app.getPath('userData'), 'window.json');
  const kept = readWindowBounds(
    boundsFile,
    screen.getAllDisplays().map((display) => display.workArea),
  );
  const window = new BrowserWindow({
    ...(kept === null
      ? { width: 1440, height: 900 }
      : { x: kept.x, y: kept.y, width: kept.width, height: kept.height }),
    minWidth: SMALLEST_WINDOW.width,
    minHeight: SMALLEST_WINDOW.height,
    title: 'Weir',
    show: false,
    backgroundColor: colours().window,
    autoHideMenuBar: true,
    ...chrome(),
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
    },
  });
  if (kept?.maximized === true) window.maximize();
  window.once('ready-to-show', () => {
    window.show();
  });
  window.on('close', () => {
    keepWindowBounds(boundsFile, { ...window.getNormalBounds(), maximized: window.isMaximized() });
  });
  window.webContents.on('render-process-gone', (_event, details) => {
    // The traffic goes on without the page; give the person a new one.
    if (details.reason !== 'clean-exit') window.webContents.reload();
  });
  // The fragment tells the page that its port comes from the preload script.
  void window.loadURL(`${PAGE_ORIGIN}/#desktop`);
  return window;
}

/** Windows follow the system from dark to light and back. */
export function followSystemTheme(): void {
  nativeTheme.on('updated', () => {
    for (const window of BrowserWindow.getAllWindows()) {
      window.setBackgroundColor(colours().window);
      if (process.platform !== 'darwin') window.setTitleBarOverlay(overlay());
    }
  });
}

function colours(): { readonly window: string; readonly text: string } {
  return nativeTheme.shouldUseDarkColors ? COLOURS.dark : COLOURS.light;
}

function chrome(): BrowserWindowConstructorOptions {
  if (process.platform === 'darwin') return { titleBarStyle: 'hiddenInset' };
  return { titleBarStyle: 'hidden', titleBarOverlay: overlay() };
}

function overlay(): { color: string; symbolColor: string; height: number } {
  return { color: colours().window, symbolColor: colours().text, height: TOOLBAR_HEIGHT };
}
