import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds a program on PATH and in the folders where system servers are kept; null when it is not installed. */
export function which(program: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  for (const folder of folders) {
    const file = join(folder, program);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return null;
}
