import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOpenedName } from '../contract/desktop.ts';

/**
 * The files that a start of the app was given on its command line, as absolute paths.
 *
 * @param argv whole command line; the program's own name comes first. Linux desktops name files by `file:` URLs
 * @param folder where relative paths begin
 */
export function filesOfArguments(argv: readonly string[], folder: string): string[] {
  return argv
    .slice(1)
    .filter((word) => !word.startsWith('-'))
    .map((word) => pathOf(word))
    .filter((path) => path !== null && isOpenedName(path))
    .map((path) => resolve(folder, path ?? ''));
}

function pathOf(word: string): string | null {
  if (!/^file:/i.test(word)) return word.includes('://') ? null : word;
  try {
    return fileURLToPath(word);
  } catch {
    return null; // of another machine, or not one at all
  }
}
