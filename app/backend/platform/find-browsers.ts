import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { linuxCandidates } from './browser-candidates-linux.ts';
import { macosCandidates } from './browser-candidates-macos.ts';
import { windowsCandidates } from './browser-candidates-windows.ts';
import type { BrowserCandidate, BrowserSurroundings } from './browser.ts';

/** Chromium-based browsers of this machine, best first, and every path that was looked at. */
export interface BrowserSearch {
  readonly found: readonly BrowserCandidate[];
  readonly searched: readonly string[];
}

/**
 * Looks for browsers that can be told to trust our authority for one profile alone. `WEIR_BROWSER` names one by its
 * path, which then is the only one.
 */
export async function findBrowsers(surroundings: BrowserSurroundings): Promise<BrowserSearch> {
  const candidates = candidatesOf(surroundings);
  const found = new Map<string, BrowserCandidate>();
  await Promise.all(candidates.map((candidate) => isExecutable(candidate.path))).then(async (present) => {
    for (const [index, candidate] of candidates.entries()) {
      if (present[index] !== true) continue;
      // `google-chrome` and `google-chrome-stable` are links to one program.
      const program = await realpath(candidate.path);
      if (!found.has(program)) found.set(program, candidate);
    }
  });
  return { found: [...found.values()], searched: candidates.map((candidate) => candidate.path) };
}

function candidatesOf(surroundings: BrowserSurroundings): BrowserCandidate[] {
  const chosen = surroundings.environment['WEIR_BROWSER'];
  if (chosen !== undefined && chosen !== '') return [{ name: 'WEIR_BROWSER', path: chosen }];
  switch (surroundings.platform) {
    case 'darwin':
      return macosCandidates(surroundings);
    case 'win32':
      return windowsCandidates(surroundings);
    default:
      return linuxCandidates(surroundings);
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
