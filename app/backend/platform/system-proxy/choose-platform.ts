import type { Environment } from '../browser.ts';
import type { CommandRunner } from '../command-runner.ts';
import { gnomeSystemProxy } from './gnome.ts';
import { kdeSystemProxy } from './kde.ts';
import { macosSystemProxy } from './macos.ts';
import { windowsSystemProxy } from './windows.ts';
import type { SystemProxyPlatform } from './system-proxy.ts';

/** Desktops that read GNOME's settings. */
const LIKE_GNOME = /gnome|unity|budgie|cinnamon|mate|pantheon|pop/i;

/**
 * The proxy settings of this desktop.
 *
 * @param platform as `process.platform`
 * @returns a sentence for a person where there is nothing that all programs read
 */
export function chooseSystemProxy(
  platform: string,
  environment: Environment,
  run: CommandRunner,
): SystemProxyPlatform | string {
  if (platform === 'win32') return windowsSystemProxy(run);
  if (platform === 'darwin') return macosSystemProxy(run);
  const desktop = `${environment['XDG_CURRENT_DESKTOP'] ?? ''}:${environment['XDG_SESSION_DESKTOP'] ?? ''}`;
  if (/kde|plasma/i.test(desktop)) return kdeSystemProxy(run);
  if (LIKE_GNOME.test(desktop)) return gnomeSystemProxy(run);
  const name = desktop.replace(/^:+|:+$/g, '').split(':')[0] ?? '';
  const where = name === '' ? 'Weir runs outside of a desktop session' : `The desktop ${name} has no proxy settings`;
  return `${where} that Weir can set: only Windows, macOS, GNOME and its relatives, and KDE Plasma have settings that most programs read. Use a fresh browser, the terminal line, or set the proxy in each program.`;
}
