import { win32 } from 'node:path';
import type { BrowserCandidate, BrowserSurroundings } from './browser.ts';

const PROGRAMS: readonly BrowserCandidate[] = [
  { name: 'Google Chrome', family: 'chromium', path: 'Google\\Chrome\\Application\\chrome.exe' },
  { name: 'Chromium', family: 'chromium', path: 'Chromium\\Application\\chrome.exe' },
  { name: 'Microsoft Edge', family: 'chromium', path: 'Microsoft\\Edge\\Application\\msedge.exe' },
  { name: 'Brave', family: 'chromium', path: 'BraveSoftware\\Brave-Browser\\Application\\brave.exe' },
  { name: 'Firefox', family: 'firefox', path: 'Mozilla Firefox\\firefox.exe' },
];

/** Environment variables that name installation folders: for 64 and 32 bits, and of the user alone. */
const FOLDERS = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'];

/** Browsers on Windows. */
export function windowsCandidates(surroundings: BrowserSurroundings): BrowserCandidate[] {
  const variables = new Map(
    Object.entries(surroundings.environment).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const folders = FOLDERS.map((name) => variables.get(name)).filter((folder) => folder !== undefined && folder !== '');
  return PROGRAMS.flatMap(({ name, family, path }) =>
    folders.map((folder) => ({ name, family, path: win32.join(folder ?? '', path) })),
  );
}
