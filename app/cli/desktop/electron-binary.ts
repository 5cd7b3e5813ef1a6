import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Electron's executable in its npm package's folder, or null when it was never downloaded. Asking never downloads, as
 * the package's own entry would.
 */
export function findElectron(packageFolder: string): string | null {
  const pathFile = join(packageFolder, 'path.txt');
  if (!existsSync(pathFile)) return null;
  const executable = join(packageFolder, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(executable) ? executable : null;
}
