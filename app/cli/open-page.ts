import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFolder } from '../backend/data-folder.ts';

/**
 * Opens the inspector in the default browser. Its URL holds a one-time code, which must not stand in a process's
 * arguments, where others see it: the browser gets a private file that leads there.
 *
 * @returns false when no browser could be started
 */
export async function openPage(folder: DataFolder, url: string): Promise<boolean> {
  if (!hasDisplay()) return false;
  const folderOfFiles = pageFiles(folder);
  rmSync(folderOfFiles, { recursive: true, force: true });
  mkdirSync(folderOfFiles, { mode: 0o700 });
  const file = join(folderOfFiles, `${randomBytes(12).toString('hex')}.html`);
  writeFileSync(file, renderRedirect(url), { mode: 0o600, flag: 'wx' });
  const [command, ...args] = opener(file);
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    child.once('error', () => {
      resolve(false);
    });
    // Openers hand over to the browser and end; some stay. What does not fail at once has worked.
    const patience = setTimeout(() => {
      resolve(true);
    }, 2_000);
    child.once('exit', (code) => {
      clearTimeout(patience);
      resolve(code === 0);
    });
    child.unref();
  });
}

/** Takes away what `openPage` left behind. */
export function removePageFiles(folder: DataFolder): void {
  rmSync(pageFiles(folder), { recursive: true, force: true });
}

function pageFiles(folder: DataFolder): string {
  return join(folder.path, 'open');
}

function hasDisplay(): boolean {
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return Boolean(process.env['DISPLAY']) || Boolean(process.env['WAYLAND_DISPLAY']);
}

function opener(file: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', file];
  if (process.platform === 'win32') return ['explorer.exe', file];
  return ['xdg-open', file];
}

/** The address is of our own making: only what joins its parameters needs escaping. */
function renderRedirect(address: string): string {
  const url = address.replaceAll('&', '&amp;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Weir</title>
<a href="${url}">Open Weir</a>
`;
}
