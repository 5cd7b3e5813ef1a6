import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a later start tells the first. */
interface SecondStart {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly data: unknown;
}

/**
 * One program a user data folder: a file names the first, a local socket takes what later ones were started with.
 *
 * @returns null for the first; for a later one what resolves when the first has been told
 */
export function takeInstanceLock(
  userData: string,
  data: unknown,
  onSecond: (second: SecondStart) => void,
): Promise<void> | null {
  mkdirSync(userData, { recursive: true });
  const file = join(userData, 'stand-in.lock');
  const name = createHash('sha256').update(userData).digest('hex').slice(0, 16);
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\weir-${name}` : join(tmpdir(), `weir-${name}.sock`);
  if (isHeld(file)) {
    const socket = connect(path).end(
      JSON.stringify({ argv: process.argv, folder: process.cwd(), data } satisfies SecondStart),
    );
    return once(socket, 'close').then(() => undefined);
  }
  rmSync(path, { force: true });
  writeFileSync(file, String(process.pid));
  process.once('exit', () => {
    rmSync(file, { force: true });
    rmSync(path, { force: true });
  });
  const server = createServer((socket) => {
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    socket.on('end', () => {
      onSecond(JSON.parse(text) as SecondStart);
    });
  });
  server.listen(path).unref();
  return null;
}

function isHeld(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}
