import { spawn } from 'node:child_process';
import type { Environment } from './browser.ts';

/** How a command ended. */
export interface CommandOutcome {
  /** Exit code; 127 when the program is not there, null when it was ended because it took too long. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program without a shell and never throws. Handed in wherever a command of the system is run, so that every
 * platform's commands are tested on each.
 *
 * @param input what the program reads from standard input
 */
export type CommandRunner = (program: string, args: readonly string[], input?: string) => Promise<CommandOutcome>;

/** Renewing the trust of a machine with Java takes half a minute on a slow one, and ending it halfway would do harm. */
const LONGEST_MS = 120_000;
const MOST_OUTPUT = 8_388_608;
const NOT_FOUND = 127;

/** A runner for this machine. @param environment of the commands; their messages come in English, since they are read */
export function createCommandRunner(environment: Environment): CommandRunner {
  return (program, args, input = '') =>
    new Promise((resolve) => {
      const child = spawn(program, [...args], {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: { ...environment, LC_ALL: 'C.UTF-8' },
        windowsHide: true,
        timeout: LONGEST_MS,
        killSignal: 'SIGKILL',
      });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (stdout.length < MOST_OUTPUT) stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (stderr.length < MOST_OUTPUT) stderr += text;
      });
      child.once('error', (error) => {
        resolve({ code: NOT_FOUND, stdout, stderr: error.message });
      });
      child.once('close', (code) => {
        resolve({ code, stdout, stderr });
      });
      // A program that ends without reading its input is no trouble.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
}

/** What a person is told of a command that failed. */
export function failureText(program: string, { code, stdout, stderr }: CommandOutcome): string {
  if (code === NOT_FOUND) return `${program} is not installed`;
  if (code === null) return `${program} did not end in time`;
  const [line = ''] = `${stderr}\n${stdout}`.split('\n').filter((text) => text.trim() !== '');
  return `${program}: ${line.trim() || `exit code ${code}`}`;
}
