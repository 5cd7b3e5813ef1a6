import { posix } from 'node:path';
import type { BrowserCandidate, BrowserFamily, BrowserSurroundings } from './browser.ts';

const APPLICATIONS: readonly (readonly [name: string, program?: string, family?: BrowserFamily])[] = [
  ['Google Chrome'],
  ['Chromium'],
  ['Microsoft Edge'],
  ['Brave Browser'],
  ['Firefox', 'firefox', 'firefox'],
];

/** Browsers on macOS, of the machine and of the user. */
export function macosCandidates(surroundings: BrowserSurroundings): BrowserCandidate[] {
  const folders = ['/Applications', posix.join(surroundings.home, 'Applications')];
  return APPLICATIONS.flatMap(([name, program = name, family = 'chromium']) =>
    folders.map((folder) => ({
      name,
      family,
      path: posix.join(folder, `${name}.app`, 'Contents', 'MacOS', program),
    })),
  );
}
