import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../app/cli/index.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs one `weir` command to its end, whatever its exit code. */
export async function runWeir(
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
  });
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(stdout), stderr };
}

/** Starts one `weir` command that is not waited for; what it says goes nowhere. */
export function spawnWeir(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [COMMAND, ...args], { stdio: 'ignore' });
}
