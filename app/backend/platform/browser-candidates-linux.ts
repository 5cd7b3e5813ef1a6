import { posix } from 'node:path';
import type { BrowserCandidate, BrowserSurroundings } from './browser.ts';

/** Program names in the order in which they are offered. */
const PROGRAMS: readonly (readonly [program: string, name: string])[] = [
  ['google-chrome', 'Google Chrome'],
  ['google-chrome-stable', 'Google Chrome'],
  ['chromium', 'Chromium'],
  ['chromium-browser', 'Chromium'],
  ['microsoft-edge', 'Microsoft Edge'],
  ['microsoft-edge-stable', 'Microsoft Edge'],
  ['brave-browser', 'Brave'],
  ['brave-browser-stable', 'Brave'],
];

/** Where packages put browsers, also when the folder is missing from PATH. Flatpak's sandbox sees no profile of ours. */
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin'];

const FIXED: readonly BrowserCandidate[] = [
  { name: 'Google Chrome', path: '/opt/google/chrome/chrome' },
  { name: 'Microsoft Edge', path: '/opt/microsoft/msedge/msedge' },
  { name: 'Brave', path: '/opt/brave.com/brave/brave' },
];

/** Chromium-based browsers on Linux, in PATH's folders and the usual ones. */
export function linuxCandidates(surroundings: BrowserSurroundings): BrowserCandidate[] {
  const path = (surroundings.environment['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  const folders = [...new Set([...path, ...FOLDERS])];
  const found = PROGRAMS.flatMap(([program, name]) =>
    folders.map((folder) => ({ name, path: posix.join(folder, program) })),
  );
  return [...found, ...FIXED];
}
