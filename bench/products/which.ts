import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds a program on PATH and in the folders where system servers are kept; null when it is not installed. */
export function which(program: string): string | null {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    '/opt/homebrew/bin',
  ];
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

/** The first `x.y` of what a program prints about itself, on either output; null when it does not start or says none. */
export function versionOf(program: string, argument: string): string | null {
  const file = which(program);
  if (file === null) return null;
  try {
    const text = execFileSync('sh', ['-c', '"$0" "$1" 2>&1', file, argument], { encoding: 'utf8', timeout: 20_000 });
    return /\d+\.\d+(?:\.\d+)*/.exec(text)?.[0] ?? null;
  } catch {
    return null;
  }
}
