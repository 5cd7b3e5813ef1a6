import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { likelyShell, terminalLine, terminalScript, writeTerminalScripts } from './terminal-script.ts';

const AWKWARD = `it's $HOME "quoted" \`date\` \\ back %PATH% a b`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "weir's terminal "));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('the line sets the variables in the shell that reads it, whatever is in them', async () => {
  await writeTerminalScripts(folder, { WEIR_ONE: AWKWARD, WEIR_TWO: '' });
  const print = `printf '%s|%s' "$WEIR_ONE" "\${WEIR_TWO-unset}"`;
  const output = execFileSync('/bin/sh', ['-c', `${terminalLine('posix', folder)} && ${print}`], { encoding: 'utf8' });
  expect(output).toBe(`${AWKWARD}|`);
});

test('scripts are for their owner alone', async () => {
  await writeTerminalScripts(folder, { WEIR_ONE: 'x' });
  for (const name of ['weir.sh', 'weir.fish', 'weir.ps1', 'weir.cmd']) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  }
});

describe('each shell is written in its own language', () => {
  test.each([
    ['posix', String.raw`export NAME='it'\''s'`],
    ['fish', String.raw`set -gx NAME 'it\'s'`],
    ['powershell', `$env:NAME = 'it''s'`],
    ['cmd', `set "NAME=it's"`],
  ] as const)('%s', (shell, line) => {
    expect(terminalScript(shell, { NAME: "it's" })).toContain(line);
  });

  test('cmd takes a percent sign literally when it is doubled', () => {
    expect(terminalScript('cmd', { NAME: '100%' })).toContain('set "NAME=100%%"\r\n');
  });

  test.each([
    ['posix', `. '/data/terminal/weir.sh'`],
    ['fish', `source '/data/terminal/weir.fish'`],
    ['powershell', `Get-Content -Raw '/data/terminal/weir.ps1' | Invoke-Expression`],
    ['cmd', `call "/data/terminal/weir.cmd"`],
  ] as const)('the line for %s', (shell, line) => {
    expect(terminalLine(shell, '/data/terminal')).toBe(line);
  });
});

test.each([
  ['win32', undefined, 'powershell'],
  ['darwin', '/bin/zsh', 'posix'],
  ['linux', '/usr/bin/fish', 'fish'],
  ['linux', undefined, 'posix'],
] as const)('on %s with SHELL %s the likely shell is %s', (platform, shell, expected) => {
  expect(likelyShell(platform, shell)).toBe(expected);
});
