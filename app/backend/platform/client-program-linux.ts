import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ClientProgram, FindPrograms } from './client-program.ts';

/** Processes that were found before are looked at first: a browser opens many connections. */
const MOST_REMEMBERED = 32;

/**
 * Linux tells in `/proc/net/tcp` which socket (inode) has which port, and in `/proc/PID/fd` which process has which socket.
 * Processes of other users cannot be looked into, and stay unknown.
 *
 * @param proc where the proc file system is mounted
 */
export function linuxPrograms(proc = '/proc'): FindPrograms {
  let remembered: readonly string[] = [];
  return async (ports) => {
    const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readText(`${proc}/net/${name}`)));
    const wanted = new Map(tables.flatMap((table) => [...socketsOf(table, ports)]));
    const found = new Map<number, ClientProgram>();
    if (wanted.size === 0) return found;
    const present = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
    // The newest next: what opened a connection just now was often started just now.
    const others = present.sort((one, other) => Number(other) - Number(one));
    for (const pid of new Set([...remembered.filter((known) => present.includes(known)), ...others])) {
      const inodes = (await socketInodes(`${proc}/${pid}/fd`)).filter((inode) => wanted.has(inode));
      if (inodes.length === 0) continue;
      const program = await programOf(proc, pid);
      for (const inode of inodes) {
        const port = wanted.get(inode);
        if (port !== undefined) found.set(port, program);
        wanted.delete(inode);
      }
      remembered = [pid, ...remembered.filter((known) => known !== pid)].slice(0, MOST_REMEMBERED);
      if (wanted.size === 0) break;
    }
    return found;
  };
}

/**
 * Inodes of sockets by their local ports, of one table of `/proc/net` (proc_pid_net(5)). Sockets without an owner any more
 * have inode 0.
 */
export function* socketsOf(
  table: string,
  ports: ReadonlySet<number>,
): Generator<readonly [inode: string, port: number]> {
  for (const line of table.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    const port = Number.parseInt(fields[1]?.split(':')[1] ?? '', 16);
    const inode = fields[9];
    if (ports.has(port) && inode !== undefined && inode !== '0') yield [inode, port];
  }
}

async function socketInodes(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

async function programOf(proc: string, pid: string): Promise<ClientProgram> {
  const path = (await readlink(`${proc}/${pid}/exe`).catch(() => '')).replace(/ \(deleted\)$/, '');
  const name = path === '' ? (await readText(`${proc}/${pid}/comm`)).trim() : basename(path);
  return { name, pid: Number(pid), path };
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
