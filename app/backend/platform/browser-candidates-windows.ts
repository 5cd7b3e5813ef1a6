import { win32 } from 'node:path';
import type { BrowserCandidate, BrowserSurroundings } from './browser.ts';

const PROGRAMS: readonly BrowserCandidate[] = [
  { name: 'Google Chrome', path: 'Google\\Chrome\\Application\\chrome.exe' },
  { name: 'Chromium', path: 'Chromium\\Application\\chrome.exe' },
  { name: 'Microsoft Edge', path: 'Microsoft\\Edge\\Application\\msedge.exe' },
  { name: 'Brave', path: 'BraveSoftware\\Brave-Browser\\Application\\brave.exe' },
];

/** Environment variables that name installation folders: for 64 and 32 bits, and of the user alone. */
const FOLDERS = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'];

/** Chromium-based browsers on Windows. */
export function windowsCandidates(surroundings: BrowserSurroundings): BrowserCandidate[] {
  const variables = new Map(
    Object.entries(surroundings.environment).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const folders = FOLDERS.map((name) => variables.get(name)).filter((folder) => folder !== undefined && folder !== '');
  return PROGRAMS.flatMap(({ name, path }) =>
    folders.map((folder) => ({ name, path: win32.join(folder ?? '', path) })),
  );
}
