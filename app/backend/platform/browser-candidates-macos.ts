import { posix } from 'node:path';
import type { BrowserCandidate, BrowserSurroundings } from './browser.ts';

const APPLICATIONS = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'];

/** Chromium-based browsers on macOS, of the machine and of the user. */
export function macosCandidates(surroundings: BrowserSurroundings): BrowserCandidate[] {
  const folders = ['/Applications', posix.join(surroundings.home, 'Applications')];
  return APPLICATIONS.flatMap((name) =>
    folders.map((folder) => ({ name, path: posix.join(folder, `${name}.app`, 'Contents', 'MacOS', name) })),
  );
}
