import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shellQuoted } from './shell-word.ts';

/** Shells that a script exists for; `posix` is bash, zsh, dash, ksh. */
export type Shell = 'posix' | 'fish' | 'powershell' | 'cmd';

const FILE_NAMES: Readonly<Record<Shell, string>> = {
  posix: 'weir.sh',
  fish: 'weir.fish',
  powershell: 'weir.ps1',
  cmd: 'weir.cmd',
};

/** The shell that a user of this machine most likely has. @param platform as `process.platform` @param shell `SHELL` */
export function likelyShell(platform: string, shell: string | undefined): Shell {
  if (platform === 'win32') return 'powershell';
  return shell?.endsWith('/fish') === true ? 'fish' : 'posix';
}

/** Writes a script for each shell that sets the variables in the shell that reads it. */
export async function writeTerminalScripts(folder: string, variables: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const shells = Object.keys(FILE_NAMES).filter(isShell);
  await Promise.all(
    shells.map((shell) =>
      writeFile(join(folder, FILE_NAMES[shell]), terminalScript(shell, variables), { mode: 0o600 }),
    ),
  );
}

/** The line that a person pastes into a terminal of that shell. @param folder where the scripts are */
export function terminalLine(shell: Shell, folder: string): string {
  const file = join(folder, FILE_NAMES[shell]);
  switch (shell) {
    case 'posix':
      return `. ${shellQuoted(file)}`;
    case 'fish':
      return `source ${fishQuoted(file)}`;
    case 'powershell':
      // Scripts may be forbidden by policy; what is read as text may not.
      return `Get-Content -Raw ${powershellQuoted(file)} | Invoke-Expression`;
    case 'cmd':
      return `call "${file}"`;
  }
}

/** The script itself. */
export function terminalScript(shell: Shell, variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(([name, value]) => assignment(shell, name, value));
  const end = shell === 'cmd' ? '\r\n' : '\n';
  const text = shell === 'cmd' ? ['@echo off', ...lines] : [`# ${COMMENT}`, ...lines];
  return text.map((line) => line + end).join('');
}

const COMMENT = 'Sends what is started from this shell through Weir. Close the shell to undo it.';

function assignment(shell: Shell, name: string, value: string): string {
  switch (shell) {
    case 'posix':
      return `export ${name}=${shellQuoted(value)}`;
    case 'fish':
      return `set -gx ${name} ${fishQuoted(value)}`;
    case 'powershell':
      // An empty value would delete the variable in older versions, which means the same to programs.
      return `$env:${name} = ${powershellQuoted(value)}`;
    case 'cmd':
      return `set "${name}=${value.replaceAll('%', '%%')}"`;
  }
}

function fishQuoted(text: string): string {
  return `'${text.replace(/['\\]/g, String.raw`\$&`)}'`;
}

function powershellQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function isShell(name: string): name is Shell {
  return name in FILE_NAMES;
}
