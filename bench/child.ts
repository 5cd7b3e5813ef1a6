import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** A measured program: started on chosen cores, awaited, and gone when closed. */
export interface Child {
  readonly pid: number;
  /** Resolves with the next line of standard output; rejects when the program ends before it. */
  nextLine(): Promise<string>;
  close(): Promise<void>;
  /** What it said when it ended by itself; null while it runs. */
  readonly lastWords: string | null;
}

const KILL_AFTER_MS = 5_000;

const running = new Set<Child>();
let closed = false;

/** Ends everything that was started and still runs; what waits for one of them fails, and nothing can be started any more. */
export async function closeChildren(): Promise<void> {
  closed = true;
  await Promise.all([...running].map((child) => child.close()));
}

/**
 * Starts a program pinned to a list of cores (`taskset` syntax), where the system can pin.
 *
 * @param cores for example `0` or `0,1`; null leaves the choice to the system
 * @throws after `closeChildren`
 */
export function startChild(
  command: string,
  args: readonly string[],
  cores: string | null,
  env: NodeJS.ProcessEnv = {},
): Child {
  if (closed) throw new Error('The run has ended.');
  const pinned = cores !== null && process.platform === 'linux';
  const child = pinned
    ? spawn('taskset', ['-c', cores, command, ...args], childOptions(env))
    : spawn(command, args, childOptions(env));
  let errors = '';
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors = (errors + chunk).slice(-4_000)));
  const ended = once(child, 'exit');
  let startError: Error | null = null;
  child.once('error', (error) => (startError = error));
  const started: Child = {
    pid: child.pid ?? 0,
    nextLine: async () => {
      const line = await lines.next();
      if (line.done !== true) return line.value;
      throw new Error(`${command} ended too early: ${startError === null ? errors : String(startError)}`);
    },
    get lastWords() {
      if (child.exitCode === null && child.signalCode === null && startError === null) return null;
      return startError === null ? errors.trim() : String(startError);
    },
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
      await ended;
      clearTimeout(timer);
    },
  };
  running.add(started);
  child.once('close', () => running.delete(started));
  return started;
}

function childOptions(env: NodeJS.ProcessEnv): { env: NodeJS.ProcessEnv; stdio: ['ignore', 'pipe', 'pipe'] } {
  return { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] };
}

/**
 * Waits until something accepts on a loopback port.
 *
 * @param child the program that will, when it is ours
 * @throws when it ends before, and after `limitMs`
 */
export async function waitForPort(port: number, child: Child | null = null, limitMs = 20_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline) {
    if (await accepts(port)) return;
    const lastWords = child === null ? null : child.lastWords;
    if (lastWords !== null) throw new Error(`The program ended: ${lastWords}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Nothing accepts on 127.0.0.1:${port} after ${limitMs} ms.`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

/** Asks the system for a free loopback port. Another program may take it before it is used; callers then fail loudly. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}
