import { posix } from 'node:path';
import type { BrowserCandidate, BrowserFamily, BrowserSurroundings } from './browser.ts';

/** Program names in the order in which they are offered. */
const PROGRAMS: readonly (readonly [program: string, name: string, family?: BrowserFamily])[] = [
  ['google-chrome', 'Google Chrome'],
  ['google-chrome-stable', 'Google Chrome'],
  ['chromium', 'Chromium'],
  ['chromium-browser', 'Chromium'],
  ['microsoft-edge', 'Microsoft Edge'],
  ['microsoft-edge-stable', 'Microsoft Edge'],
  ['brave-browser', 'Brave'],
  ['brave-browser-stable', 'Brave'],
  ['firefox', 'Firefox', 'firefox'],
  ['firefox-esr', 'Firefox ESR', 'firefox'],
];

/**
 * Where packages put browsers, also when the folder is missing from PATH. Those of Flatpak are left out: their sandbox sees
 * no profile of ours.
 */
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/var/lib/snapd/snap/bin'];

const FIXED: readonly BrowserCandidate[] = [
  { name: 'Google Chrome', family: 'chromium', path: '/opt/google/chrome/chrome' },
  { name: 'Microsoft Edge', family: 'chromium', path: '/opt/microsoft/msedge/msedge' },
  { name: 'Brave', family: 'chromium', path: '/opt/brave.com/brave/brave' },
  { name: 'Firefox', family: 'firefox', path: '/opt/firefox/firefox' },
];

/** Browsers on Linux, in PATH's folders and the usual ones. */
export function linuxCandidates(surroundings: BrowserSurroundings): BrowserCandidate[] {
  const path = (surroundings.environment['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  const folders = [...new Set([...path, ...FOLDERS])];
  const found = PROGRAMS.flatMap(([program, name, family = 'chromium']) =>
    folders.map((folder) => ({ name, family, path: posix.join(folder, program) })),
  );
  return [...found, ...FIXED];
}
