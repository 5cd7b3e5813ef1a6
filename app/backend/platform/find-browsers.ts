import { constants } from 'node:fs';
import { access, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { linuxCandidates } from './browser-candidates-linux.ts';
import { macosCandidates } from './browser-candidates-macos.ts';
import { windowsCandidates } from './browser-candidates-windows.ts';
import { snapOf, type BrowserCandidate, type BrowserFamily, type BrowserSurroundings } from './browser.ts';

/** Browsers of this machine, best first, and every path that was looked at. */
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
      const program = await programOf(candidate.path);
      if (program === null || found.has(program)) continue;
      found.set(program, snapOf(program) === null ? candidate : { ...candidate, path: program });
    }
  });
  return { found: [...found.values()], searched: candidates.map((candidate) => candidate.path) };
}

function candidatesOf(surroundings: BrowserSurroundings): BrowserCandidate[] {
  const chosen = surroundings.environment['WEIR_BROWSER'];
  if (chosen !== undefined && chosen !== '') return [{ name: 'WEIR_BROWSER', family: familyOf(chosen), path: chosen }];
  switch (surroundings.platform) {
    case 'darwin':
      return macosCandidates(surroundings);
    case 'win32':
      return windowsCandidates(surroundings);
    default:
      return linuxCandidates(surroundings);
  }
}

/** By the name of the program alone: nothing else is known of it. */
function familyOf(path: string): BrowserFamily {
  return /(?:firefox|librewolf|waterfox)[^/\\]*$/i.test(path) ? 'firefox' : 'chromium';
}

/**
 * What a path really starts, so that a browser under two names is found once: `google-chrome` and `google-chrome-stable`
 * are links to one program, Ubuntu's `/usr/bin/firefox` is a script that starts the snap, and Debian's one that starts
 * `firefox-esr`. Snaps are all links to one program of snapd.
 *
 * @returns null when it starts nothing, since the snap is not there
 */
async function programOf(path: string): Promise<string | null> {
  if (snapOf(path) !== null) return path;
  const program = await realpath(path);
  const script = await scriptIn(program);
  const snap = /(?<![\w.])\/[\w./-]*snap\/bin\/[\w-]+/.exec(script)?.[0];
  if (snap !== undefined) return (await isExecutable(snap)) ? snap : null;
  const other = /^exec ([\w-]+) "\$@"$/m.exec(script)?.[1];
  const beside = other === undefined ? program : join(dirname(path), other);
  return beside !== program && (await isExecutable(beside)) ? realpath(beside) : program;
}

const SCRIPT_BYTES = 4_096;

/** The beginning of a script; empty for a program that is none. */
async function scriptIn(program: string): Promise<string> {
  try {
    await using file = await open(program);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SCRIPT_BYTES), 0, SCRIPT_BYTES, 0);
    const text = buffer.toString('latin1', 0, bytesRead);
    return text.startsWith('#!') ? text : '';
  } catch {
    // A program may be executable without being readable.
    return '';
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
