import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join, win32 } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from './browser.ts';
import { shellQuoted } from './shell-word.ts';
import { findOnPath, findTerminalProgram, TERMINAL_PROGRAMS } from './terminal-programs-linux.ts';
import { terminalLine, type Shell } from './terminal-script.ts';

/** What decides which window can be opened; handed in so that every platform is tested on one. */
export interface TerminalSurroundings {
  /** As `process.platform`. */
  readonly platform: string;
  readonly environment: Environment;
  readonly isExecutable: (path: string) => Promise<boolean>;
}

/** A window that can be opened: a program, its arguments, and no shell in between that would read them. */
export interface TerminalWindow {
  /** What opens it, for a person. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Script that has to be there first; null when the scripts for the pasted line are enough. */
  readonly script: { readonly file: string; readonly text: string; readonly mode: number } | null;
}

/** A window, or why there is none. */
export type TerminalPlan =
  { readonly window: TerminalWindow; readonly reason: null } | { readonly window: null; readonly reason: string };

/** A window could not be opened; the message says why. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

const HELLO = 'What you start here goes through Weir. Close this window to undo it.';
/** A program that cannot show a window says so at once. */
const REFUSAL_MS = 1_000;

/**
 * Finds the way to a new terminal window whose shell has the variables of our scripts. They are set by a script that the
 * window runs, since many terminals hand new windows to a process that began before, with variables of its own.
 *
 * @param scripts folder of the scripts that `writeTerminalScripts` wrote
 */
export function planTerminal(shell: Shell, scripts: string, surroundings: TerminalSurroundings): Promise<TerminalPlan> {
  switch (surroundings.platform) {
    case 'win32':
      return planOnWindows(shell, scripts, surroundings);
    case 'darwin':
      return planOnMacos(shell, scripts, surroundings);
    default:
      return planOnLinux(shell, scripts, surroundings);
  }
}

/**
 * Opens a planned window. It stays when Weir ends: what runs in it belongs to the person.
 *
 * @throws TerminalError when its program does not start or refuses at once
 */
export async function openTerminal(window: TerminalWindow, folder: string, environment: Environment): Promise<void> {
  const { script } = window;
  if (script !== null) {
    await writeFile(script.file, script.text, { mode: script.mode });
    // A file that was there before has kept its mode.
    await chmod(script.file, script.mode);
  }
  const child = spawn(window.program, [...window.args], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: environment,
  });
  try {
    await once(child, 'spawn');
  } catch (error: unknown) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TerminalError(`${window.program} could not be started: ${reason}.`, { cause: error });
  }
  child.unref();
  const ended = once(child, 'exit') as Promise<[code: number | null]>;
  const [code] = await Promise.race([ended, delay(REFUSAL_MS, [0] as const, { ref: false })]);
  if (code !== 0) throw new TerminalError(`${window.program} ended at once with code ${String(code)}.`);
}

async function planOnLinux(shell: Shell, scripts: string, surroundings: TerminalSurroundings): Promise<TerminalPlan> {
  const { environment, isExecutable } = surroundings;
  const program = await shellProgram(shell, surroundings);
  if (program === null) return none(`${shellName(shell)} is not on this computer.`);
  if (!environment['DISPLAY'] && !environment['WAYLAND_DISPLAY'])
    return none('Weir has no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set).');
  const terminal = await findTerminalProgram(environment, isExecutable);
  if (terminal === null)
    return none(`No terminal program was found on PATH. Searched: ${TERMINAL_PROGRAMS.join(', ')}.`);
  const script = shellScript(shell, program, scripts, join(scripts, `open-${shell}.sh`));
  return {
    window: {
      name: terminal.name,
      program: terminal.path,
      args: [...terminal.before, '/bin/sh', script.file],
      script,
    },
    reason: null,
  };
}

async function planOnMacos(shell: Shell, scripts: string, surroundings: TerminalSurroundings): Promise<TerminalPlan> {
  const program = await shellProgram(shell, surroundings);
  if (program === null) return none(`${shellName(shell)} is not on this computer.`);
  // Terminal runs a file of this kind in a new window.
  const script = shellScript(shell, program, scripts, join(scripts, `open-${shell}.command`));
  return {
    window: { name: 'Terminal', program: '/usr/bin/open', args: ['-b', 'com.apple.Terminal', script.file], script },
    reason: null,
  };
}

/**
 * No path stands on a command line of Windows: PowerShell gets its line encoded, cmd a name in the folder that it starts in.
 * `wt` splits at semicolons, and neither holds one.
 */
async function planOnWindows(shell: Shell, scripts: string, surroundings: TerminalSurroundings): Promise<TerminalPlan> {
  if (shell !== 'powershell' && shell !== 'cmd') return none(`${shellName(shell)} is not for this system.`);
  const { environment, isExecutable } = surroundings;
  const variables = new Map(Object.entries(environment).map(([name, value]) => [name.toUpperCase(), value]));
  const command = shell === 'cmd' ? ['cmd.exe', '/K', `.\\${OPEN_CMD}`] : powershell(scripts);
  const script = shell === 'cmd' ? { file: join(scripts, OPEN_CMD), text: CMD_TEXT, mode: 0o600 } : null;
  const terminal = win32.join(variables.get('LOCALAPPDATA') ?? '', String.raw`Microsoft\WindowsApps\wt.exe`);
  if (await isExecutable(terminal)) {
    const args = ['-w', 'new', '-d', '.', ...command];
    return { window: { name: 'Windows Terminal', program: terminal, args, script }, reason: null };
  }
  const program = win32.join(variables.get('SYSTEMROOT') ?? String.raw`C:\Windows`, 'System32', 'cmd.exe');
  // `start` gives it a console of its own.
  const args = ['/D', '/C', 'start', ...command];
  return { window: { name: shellName(shell), program, args, script }, reason: null };
}

const OPEN_CMD = 'open-cmd.cmd';
const CMD_TEXT = ['@call "%~dp0weir.cmd"', '@cd /d "%USERPROFILE%"', `@echo ${HELLO}`, ''].join('\r\n');

function powershell(scripts: string): readonly string[] {
  const line = `${terminalLine('powershell', scripts)}; Set-Location $HOME`;
  return ['powershell.exe', '-NoExit', '-EncodedCommand', Buffer.from(line, 'utf16le').toString('base64')];
}

function shellScript(
  shell: Shell,
  program: string,
  scripts: string,
  file: string,
): NonNullable<TerminalWindow['script']> {
  const text = [
    '#!/bin/sh',
    terminalLine('posix', scripts),
    'cd || :',
    `printf '%s\\n' ${shellQuoted(HELLO)}`,
    `exec ${shellQuoted(program)}${shell === 'powershell' ? ' -NoLogo' : ''}`,
    '',
  ].join('\n');
  return { file, text, mode: 0o700 };
}

/** The program of a shell on a Unix. Those of one kind are one here: the user's own, else the first that is there. */
async function shellProgram(shell: Shell, { environment, isExecutable }: TerminalSurroundings): Promise<string | null> {
  const own = environment['SHELL'] ?? '';
  const names = { posix: ['bash', 'zsh', 'sh'], fish: ['fish'], powershell: ['pwsh'], cmd: [] }[shell];
  // An app that was not started from a terminal has a short PATH; the user's own shell is known all the same.
  const ownKind = /\/(?:(fish)|(pwsh)|(?:nu|xonsh|elvish|t?csh))$/.exec(own);
  const isWanted = {
    posix: ownKind === null,
    fish: ownKind?.[1] !== undefined,
    powershell: ownKind?.[2] !== undefined,
  };
  if (shell !== 'cmd' && isWanted[shell] && own.startsWith('/') && (await isExecutable(own))) return own;
  for (const name of names) {
    const path = await findOnPath(name, environment, isExecutable);
    if (path !== null) return path;
  }
  return null;
}

function shellName(shell: Shell): string {
  return { posix: 'A shell like bash', fish: 'fish', powershell: 'PowerShell', cmd: 'cmd' }[shell];
}

function none(reason: string): TerminalPlan {
  return { window: null, reason };
}
