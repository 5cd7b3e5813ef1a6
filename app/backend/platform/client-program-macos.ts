import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import type { ClientProgram, FindPrograms } from './client-program.ts';

const run = promisify(execFile);
const MOST_OUTPUT_BYTES = 4_194_304;

/** macOS has `lsof`, which lists the connections of the user's processes. */
export const macosPrograms: FindPrograms = async (ports) => {
  const { stdout } = await run('/usr/sbin/lsof', ['-nP', '-iTCP', '-sTCP:ESTABLISHED', '-FpcnR'], {
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  const found = readLsof(stdout, ports);
  return new Map(
    await Promise.all([...found].map(async ([port, program]) => [port, await withPath(program)] as const)),
  );
};

/** Reads `lsof -F pcn`: `p` begins a process, `c` is its command, `n` a connection `from->to` (lsof(8), OUTPUT FOR OTHER PROGRAMS). */
export function readLsof(output: string, ports: ReadonlySet<number>): Map<number, ClientProgram> {
  const found = new Map<number, ClientProgram>();
  let pid = 0;
  let name = '';
  for (const line of output.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('p')) pid = Number(value);
    else if (line.startsWith('c')) name = value;
    else if (line.startsWith('n')) {
      const port = Number(/:(\d+)->/.exec(value)?.[1]);
      if (ports.has(port)) found.set(port, { name, pid, path: '' });
    }
  }
  return found;
}

/** `lsof` cuts names at a few characters; `ps` tells the whole path. */
async function withPath(program: ClientProgram): Promise<ClientProgram> {
  const { stdout } = await run('/bin/ps', ['-o', 'comm=', '-p', String(program.pid)]).catch(() => ({ stdout: '' }));
  const path = stdout.trim();
  return path === '' ? program : { ...program, name: basename(path), path };
}
