import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ClientProgram, FindPrograms } from './client-program.ts';

const run = promisify(execFile);
const MOST_OUTPUT_BYTES = 8_388_608;

/** Windows: `netstat` lists connections with process ids, `tasklist` the names of processes. Both are there since XP. */
export const windowsPrograms: FindPrograms = async (ports) => {
  const options = { maxBuffer: MOST_OUTPUT_BYTES, windowsHide: true };
  const { stdout: connections } = await run('netstat.exe', ['-ano', '-p', 'TCP'], options);
  const pids = readNetstat(connections, ports);
  if (pids.size === 0) return new Map();
  const { stdout: tasks } = await run('tasklist.exe', ['/FO', 'CSV', '/NH'], options);
  const names = readTasklist(tasks);
  const found = new Map<number, ClientProgram>();
  for (const [port, pid] of pids) {
    const name = names.get(pid);
    if (name !== undefined) found.set(port, { name, pid, path: '' });
  }
  return found;
};

/** Process ids by local port; the words for states depend on the system's language, the columns do not. */
export function readNetstat(output: string, ports: ReadonlySet<number>): Map<number, number> {
  const found = new Map<number, number>();
  for (const line of output.split(/\r?\n/)) {
    const match = /^\s*TCP\s+\S+:(\d+)\s+\S+:(\d+)\s+\S+\s+(\d+)\s*$/.exec(line);
    const port = Number(match?.[1]);
    // A listening socket has no port at its other end; process 0 is nobody's.
    if (match === null || !ports.has(port) || match[2] === '0' || match[3] === '0') continue;
    found.set(port, Number(match[3]));
  }
  return found;
}

/** Names by process id, of lines like `"chrome.exe","4711","Console","1","123,456 K"`. */
export function readTasklist(output: string): Map<number, string> {
  const names = new Map<number, string>();
  for (const line of output.split(/\r?\n/)) {
    const match = /^"([^"]+)","(\d+)"/.exec(line);
    if (match?.[1] !== undefined) names.set(Number(match[2]), match[1].replace(/\.exe$/i, ''));
  }
  return names;
}
