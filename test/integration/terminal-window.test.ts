import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { which } from '../../bench/products/which.ts';
import { writeTerminalScripts, type Shell } from '../../app/backend/platform/terminal-script.ts';
import {
  openTerminal,
  planTerminal,
  type TerminalSurroundings,
  type TerminalWindow,
} from '../../app/backend/platform/terminal-window.ts';

/* New terminal windows: Linux by executables that record and by a real xterm, macOS and Windows by what would be run. */

/** In the path of every script: what a shell would read as a command of its own. */
const AWKWARD = `it's "$(touch PWNED)" ;& \`touch PWNED\` 100%`;
const VARIABLES = { HTTPS_PROXY: 'http://127.0.0.1:8686', WEIR_TEST: AWKWARD };

let folder: string;
let scripts: string;
let programs: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-window-'));
  scripts = join(folder, AWKWARD);
  programs = join(folder, 'programs');
  await mkdir(programs);
  await writeTerminalScripts(scripts, VARIABLES);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function program(name: string, script: string): Promise<string> {
  const file = join(programs, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

const linux = (changes: NodeJS.ProcessEnv = {}): TerminalSurroundings => ({
  platform: 'linux',
  environment: { PATH: programs, DISPLAY: ':0', SHELL: join(programs, 'myshell'), ...changes },
  isExecutable,
});

async function windowOf(shell: Shell, surroundings: TerminalSurroundings): Promise<TerminalWindow> {
  const { window, reason } = await planTerminal(shell, scripts, surroundings);
  if (window === null) throw new Error(reason);
  return window;
}

const reasonOf = async (shell: Shell, surroundings: TerminalSurroundings): Promise<string | null> =>
  (await planTerminal(shell, scripts, surroundings)).reason;

/** What a shell of the user's writes when it is started: its environment. */
const recordingShell = (name: string): Promise<string> =>
  program(name, `/usr/bin/env > ${join(folder, 'new')} && /bin/mv ${join(folder, 'new')} ${join(folder, name)}`);

const environmentIn = async (name: string): Promise<string[]> =>
  (await readFile(join(folder, name), 'utf8').catch(() => '')).split('\n');

describe('on Linux', () => {
  test.each([
    ['xdg-terminal-exec', []],
    ['x-terminal-emulator', ['-e']],
    ['gnome-terminal', ['--']],
    ['konsole', ['-e']],
    ['xfce4-terminal', ['-x']],
    ['kitty', []],
    ['alacritty', ['-e']],
    ['wezterm', ['start', '--']],
    ['xterm', ['-e']],
  ])('%s runs the user’s shell with our variables, though its own environment has none', async (name, before) => {
    await recordingShell('myshell');
    // As terminals do that hand a window to a process which began before.
    const skip = before.map(() => 'shift;').join(' ');
    await program(name, `echo "$#" > ${join(folder, 'count')}; ${skip} exec /usr/bin/env -i "$@"`);
    await openTerminal(await windowOf('posix', linux()), scripts, {});
    await expect.poll(() => environmentIn('myshell')).toContain(`WEIR_TEST=${AWKWARD}`);
    expect(await environmentIn('myshell')).toContain('HTTPS_PROXY=http://127.0.0.1:8686');
    expect(await readFile(join(folder, 'count'), 'utf8')).toBe(`${String(before.length + 2)}\n`);
    expect(await readdir(folder, { recursive: true })).not.toContain('PWNED');
  });

  test('the script that the window runs is for its owner alone', async () => {
    await recordingShell('myshell');
    await program('xterm', 'exit 0');
    await openTerminal(await windowOf('posix', linux()), scripts, {});
    expect((await stat(join(scripts, 'open-posix.sh'))).mode & 0o777).toBe(0o700);
  });

  test('a shell of another kind is the one on PATH', async () => {
    await program('xterm', 'exit 0');
    await program('fish', 'exit 0');
    await program('pwsh', 'exit 0');
    const texts = [await windowOf('fish', linux()), await windowOf('powershell', linux())].map(
      ({ script }) => script?.text ?? '',
    );
    expect(texts[0]).toContain(`exec '${join(programs, 'fish')}'\n`);
    expect(texts[1]).toContain(`exec '${join(programs, 'pwsh')}' -NoLogo\n`);
  });

  test('what is missing is said: the shell, the display, the terminal', async () => {
    expect(await reasonOf('cmd', linux())).toBe('cmd is not on this computer.');
    expect(await reasonOf('fish', linux())).toBe('fish is not on this computer.');
    await program('myshell', 'exit 0');
    expect(await reasonOf('posix', linux({ DISPLAY: '' }))).toContain('neither DISPLAY nor WAYLAND_DISPLAY');
    expect(await reasonOf('posix', linux())).toContain('Searched: xdg-terminal-exec, x-terminal-emulator');
  });

  test('a terminal that refuses at once is an error', async () => {
    await program('myshell', 'exit 0');
    await program('xterm', 'exit 3');
    const window = await windowOf('posix', linux());
    await expect(openTerminal(window, scripts, {})).rejects.toThrow('xterm ended at once with code 3.');
    await rm(join(programs, 'xterm'));
    await expect(openTerminal(window, scripts, {})).rejects.toThrow(/xterm could not be started/);
  });
});

test('on macOS, Terminal is given a script of the owner’s alone, which runs the user’s shell', async () => {
  await recordingShell('zsh');
  const environment = { SHELL: join(programs, 'zsh'), PATH: programs };
  const window = await windowOf('posix', { platform: 'darwin', environment, isExecutable });
  const file = join(scripts, 'open-posix.command');
  expect(window).toMatchObject({ program: '/usr/bin/open', args: ['-b', 'com.apple.Terminal', file] });
  const open = await program('open', 'exec "$3"');
  await openTerminal({ ...window, program: open }, scripts, {});
  await expect.poll(() => environmentIn('zsh')).toContain(`WEIR_TEST=${AWKWARD}`);
  expect((await stat(file)).mode & 0o777).toBe(0o700);
});

describe('on Windows', () => {
  const environment = { LocalAppData: 'C:\\Users\\jo\\AppData\\Local', SystemRoot: 'C:\\Windows' };
  const windows = (terminal: boolean): TerminalSurroundings => ({
    platform: 'win32',
    environment,
    isExecutable: (path) =>
      Promise.resolve(terminal && path === 'C:\\Users\\jo\\AppData\\Local\\Microsoft\\WindowsApps\\wt.exe'),
  });

  test.each(['powershell', 'cmd'] as const)('%s opens in Windows Terminal, else in a console', async (shell) => {
    const inTerminal = await windowOf(shell, windows(true));
    expect(inTerminal.program).toBe('C:\\Users\\jo\\AppData\\Local\\Microsoft\\WindowsApps\\wt.exe');
    expect(inTerminal.args.slice(0, 4)).toEqual(['-w', 'new', '-d', '.']);
    const inConsole = await windowOf(shell, windows(false));
    expect(inConsole.program).toBe('C:\\Windows\\System32\\cmd.exe');
    expect(inConsole.args.slice(0, 3)).toEqual(['/D', '/C', 'start']);
    expect(inConsole.args.slice(3)).toEqual(inTerminal.args.slice(4));
    // Neither reader of the line finds anything of a path in it.
    for (const word of [...inTerminal.args, ...inConsole.args]) expect(word).toMatch(/^[\w.\\/+=-]+$/);
  });

  test('PowerShell gets the line that a person would paste', async () => {
    const { args } = await windowOf('powershell', windows(false));
    const line = Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le');
    expect(line).toBe(
      `Get-Content -Raw '${join(scripts, 'weir.ps1').replaceAll("'", "''")}' | Invoke-Expression; Set-Location $HOME`,
    );
  });

  test('cmd runs a file in the folder that it starts in', async () => {
    const { args, script } = await windowOf('cmd', windows(false));
    expect(args.slice(-3)).toEqual(['cmd.exe', '/K', '.\\open-cmd.cmd']);
    expect(script?.file).toBe(join(scripts, 'open-cmd.cmd'));
    expect(script?.text).toContain('@call "%~dp0weir.cmd"\r\n');
  });

  test('shells of other systems are not offered', async () => {
    expect(await reasonOf('fish', windows(true))).toBe('fish is not for this system.');
  });
});

const missing = ['Xvfb', 'xterm'].filter((name) => which(name) === null);
if (missing.length > 0)
  process.stderr.write(`\nNOT TESTED: a real terminal window. Missing: ${missing.join(', ')}.\n\n`);

describe.skipIf(missing.length > 0)('a real xterm', () => {
  let server: ChildProcess;
  let display: string;

  beforeEach(async () => {
    server = spawn('Xvfb', ['-displayfd', '1', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] });
    if (server.stdout === null) throw new Error('Xvfb has no output.');
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    display = `:${line}`;
  });

  afterEach(async () => {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
  });

  test('shows a window whose shell has our variables', async () => {
    await recordingShell('myshell');
    const path = which('xterm') ?? '';
    await program('xterm', `exec ${path} "$@"`);
    const environment = { ...linux().environment, DISPLAY: display };
    await openTerminal(await windowOf('posix', { ...linux(), environment }), scripts, environment);
    await expect.poll(() => environmentIn('myshell'), { timeout: 20_000 }).toContain(`WEIR_TEST=${AWKWARD}`);
    expect(await environmentIn('myshell')).toContain(`DISPLAY=${display}`);
  });
});
