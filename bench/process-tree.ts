import { readFileSync, readdirSync } from 'node:fs';

/** CPU time and memory of a process and everything below it. */
export interface TreeUsage {
  /** User and system time since each process began, microseconds. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
}

const CLOCK_TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/**
 * Reads what a process tree has used so far, from `/proc`. Children that have ended count only as far as their parent
 * has waited for them, which is what a server with fixed workers never does.
 *
 * @returns null when the system has no `/proc`, zeros when the process is gone
 */
export function readTreeUsage(rootPid: number): TreeUsage | null {
  const parents = new Map<number, number[]>();
  const own = new Map<number, TreeUsage>();
  const names = listProcesses();
  if (names.length === 0) return null;
  for (const name of names) {
    const line = readStat(name);
    if (line === null) continue;
    // The command name may hold spaces and parentheses: fields are counted after the last one.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const pid = Number(name);
    const parent = Number(fields[1]);
    own.set(pid, {
      cpuMicroseconds: cpuOf(fields),
      residentBytes: Number(fields[21]) * PAGE_BYTES,
    });
    const siblings = parents.get(parent);
    if (siblings === undefined) parents.set(parent, [pid]);
    else siblings.push(pid);
  }
  let cpuMicroseconds = 0;
  let residentBytes = 0;
  const queue = [rootPid];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const usage = own.get(pid);
    if (usage !== undefined) {
      cpuMicroseconds += usage.cpuMicroseconds;
      residentBytes += usage.residentBytes;
    }
    queue.push(...(parents.get(pid) ?? []));
  }
  return { cpuMicroseconds, residentBytes };
}

/**
 * CPU time that the threads of a process whose names begin with `prefix` have used, microseconds.
 *
 * @returns null when there is none, or the system does not say
 */
export function readThreadCpu(pid: number, prefix: string): number | null {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${String(pid)}/task`);
  } catch {
    return null;
  }
  let found = false;
  let cpu = 0;
  for (const thread of threads) {
    const line = readStat(`${String(pid)}/task/${thread}`);
    if (line?.startsWith(prefix, line.indexOf('(') + 1) !== true) continue;
    found = true;
    cpu += cpuOf(line.slice(line.lastIndexOf(')') + 2).split(' '));
  }
  return found ? cpu : null;
}

/** @param fields of `/proc/PID/stat`, behind the command's name */
function cpuOf(fields: readonly string[]): number {
  return ((Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND) * 1e6;
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readStat(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
}
