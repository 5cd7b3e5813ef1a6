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
  const tree = readTree(rootPid);
  if (tree === null) return null;
  let cpuMicroseconds = 0;
  let residentBytes = 0;
  for (const fields of tree.values()) {
    cpuMicroseconds += cpuOf(fields);
    residentBytes += Number(fields[21]) * PAGE_BYTES;
  }
  return { cpuMicroseconds, residentBytes };
}

/**
 * Memory of a process tree with shared pages divided among those that share them (PSS), bytes. Reading it holds the process up for
 * a moment: not to be done while it is measured.
 *
 * @returns null when the system does not say
 */
export function readTreeProportional(rootPid: number): number | null {
  const tree = readTree(rootPid);
  if (tree === null) return null;
  let bytes = 0;
  for (const pid of tree.keys()) {
    const kibibytes = /^Pss: *(\d+) kB/m.exec(readText(`${String(pid)}/smaps_rollup`) ?? '')?.[1];
    if (kibibytes === undefined) return null;
    bytes += Number(kibibytes) * 1_024;
  }
  return bytes;
}

/** Fields of `/proc/PID/stat` behind the command's name, by process: the root and everything below it. */
function readTree(rootPid: number): ReadonlyMap<number, readonly string[]> | null {
  const names = listProcesses();
  if (names.length === 0) return null;
  const children = new Map<number, number[]>();
  const known = new Map<number, readonly string[]>();
  for (const name of names) {
    const line = readText(`${name}/stat`);
    if (line === null) continue;
    // The command name may hold spaces and parentheses: fields are counted after the last one.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const pid = Number(name);
    const parent = Number(fields[1]);
    known.set(pid, fields);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  const tree = new Map<number, readonly string[]>();
  const queue = [rootPid];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const fields = known.get(pid);
    if (fields !== undefined) tree.set(pid, fields);
    queue.push(...(children.get(pid) ?? []));
  }
  return tree;
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
    const line = readText(`${String(pid)}/task/${thread}/stat`);
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

/** @param path below `/proc` */
function readText(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return null;
  }
}
