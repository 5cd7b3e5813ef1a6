import { writeFileSync } from 'node:fs';
import { CommandError } from './usage.ts';

/**
 * Writes what a command made to a file that only the user can read.
 *
 * @throws CommandError when that is impossible
 */
export function writeResultFile(path: string, content: string | Uint8Array): void {
  try {
    writeFileSync(path, content, { mode: 0o600 });
  } catch (error: unknown) {
    throw new CommandError(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
