import { posix } from 'node:path';
import type { Environment } from './browser.ts';

/** A program of Linux that shows a terminal, and what stands before the command that it shall run there. */
export interface TerminalProgram {
  readonly program: string;
  readonly name: string;
  /** Then the command follows, one argument for each of its words. */
  readonly before: readonly string[];
}

/** Best first: what the user or the system has chosen, then what belongs to a desktop, then the others. */
const PROGRAMS: readonly TerminalProgram[] = [
  { program: 'xdg-terminal-exec', name: 'a terminal window', before: [] },
  { program: 'x-terminal-emulator', name: 'a terminal window', before: ['-e'] },
  { program: 'gnome-terminal', name: 'GNOME Terminal', before: ['--'] },
  { program: 'ptyxis', name: 'Ptyxis', before: ['--new-window', '--'] },
  { program: 'kgx', name: 'GNOME Console', before: ['--'] },
  { program: 'konsole', name: 'Konsole', before: ['-e'] },
  { program: 'xfce4-terminal', name: 'Xfce Terminal', before: ['-x'] },
  { program: 'mate-terminal', name: 'MATE Terminal', before: ['-x'] },
  { program: 'kitty', name: 'kitty', before: [] },
  { program: 'alacritty', name: 'Alacritty', before: ['-e'] },
  { program: 'ghostty', name: 'Ghostty', before: ['-e'] },
  { program: 'wezterm', name: 'WezTerm', before: ['start', '--'] },
  { program: 'foot', name: 'foot', before: [] },
  { program: 'terminator', name: 'Terminator', before: ['-x'] },
  { program: 'xterm', name: 'xterm', before: ['-e'] },
];

/** Names of all of them, for a person. */
export const TERMINAL_PROGRAMS: readonly string[] = PROGRAMS.map(({ program }) => program);

/** The best one in the folders of PATH, with its path; null when there is none. */
export async function findTerminalProgram(
  environment: Environment,
  isExecutable: (path: string) => Promise<boolean>,
): Promise<(TerminalProgram & { readonly path: string }) | null> {
  for (const entry of PROGRAMS) {
    const path = await findOnPath(entry.program, environment, isExecutable);
    if (path !== null) return { ...entry, path };
  }
  return null;
}

/** @returns the absolute path of a program in a folder of PATH, or null */
export async function findOnPath(
  program: string,
  environment: Environment,
  isExecutable: (path: string) => Promise<boolean>,
): Promise<string | null> {
  const folders = (environment['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  for (const folder of folders) {
    const path = posix.join(folder, program);
    if (await isExecutable(path)) return path;
  }
  return null;
}
