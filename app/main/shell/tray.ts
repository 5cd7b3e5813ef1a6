import { join } from 'node:path';
import { Menu, nativeTheme, Tray } from 'electron';
import type { TrayAction, TrayState } from './tray-view.ts';
import { trayView } from './tray-view.ts';

/** Puts Weir into the system's tray. @returns how to tell it another state */
export function installTray(pictures: string, run: (action: TrayAction) => void): (state: TrayState) => void {
  let state: TrayState = 'starting';
  const first = look();
  const tray = new Tray(join(pictures, first.picture));
  let shown = '';

  function look(): ReturnType<typeof trayView> {
    return trayView(state, process.platform, nativeTheme.shouldUseDarkColorsForSystemIntegratedUI);
  }

  function show(): void {
    const view = look();
    const all = JSON.stringify(view);
    // The status comes twice a second; a menu that is open must not be replaced for nothing.
    if (all === shown) return;
    shown = all;
    tray.setImage(join(pictures, view.picture));
    tray.setToolTip(view.toolTip);
    const entries = view.menu.map((entry) => {
      if (entry === null) return { type: 'separator' as const };
      const { label, action } = entry;
      return action === null
        ? { label, enabled: false }
        : {
            label,
            click: () => {
              run(action);
            },
          };
    });
    tray.setContextMenu(Menu.buildFromTemplate(entries));
  }

  // On macOS a click opens the menu.
  if (process.platform !== 'darwin') {
    tray.on('click', () => {
      run('show');
    });
  }
  nativeTheme.on('updated', show);
  show();
  return (next) => {
    state = next;
    show();
  };
}
