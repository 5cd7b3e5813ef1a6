import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitForPort } from '../../bench/child.ts';
import { which } from '../../bench/products/which.ts';

/** A real haproxy that passes HTTP, CONNECT included, on to one server. */
export class HaproxyServer {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, port: number, folder: string) {
    this.#child = child;
    this.port = port;
    this.#folder = folder;
  }

  /** @throws when haproxy is not installed; the message says how to install it */
  static async start(serverPort: number): Promise<HaproxyServer> {
    const program = which('haproxy');
    if (program === null) throw new Error('This test needs haproxy. On Debian: apt-get install haproxy');
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'weir-haproxy-'));
    const file = join(folder, 'haproxy.cfg');
    await writeFile(
      file,
      `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  timeout tunnel 30s
frontend in
  bind 127.0.0.1:${String(port)}
  default_backend out
backend out
  server next 127.0.0.1:${String(serverPort)}
`,
    );
    const child = spawn(program, ['-db', '-f', file], { stdio: 'ignore' });
    await waitForPort(port);
    return new HaproxyServer(child, port, folder);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
