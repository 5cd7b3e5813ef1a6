import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createContractClient } from '#contract';
import { connectToBackend, requestPageUrl } from '../../app/backend/connect-to-backend.ts';
import { describeDataFolder } from '../../app/backend/data-folder.ts';
import { findRunningBackend } from '../../app/backend/ownership.ts';
import type { RunningBackend } from '../../app/backend/ownership.ts';

const CLI = join(import.meta.dirname, '../../app/cli/index.ts');

/** `weir serve` from the sources, in a process that can be started again. */
export class BackendProgram {
  readonly #folder: string;
  #child: ChildProcess | null = null;
  #running: RunningBackend | null = null;

  readonly #controlPort: number;

  constructor(dataFolder: string, controlPort: number) {
    this.#folder = dataFolder;
    this.#controlPort = controlPort;
  }

  /** Starts it, or starts it again. @returns whether it serves; its own messages say why not */
  async restart(): Promise<boolean> {
    await this.stop();
    const ui = `127.0.0.1:${String(this.#controlPort)}`;
    const child = spawn(process.execPath, [CLI, 'serve', '--json', '--data', this.#folder, '--ui', ui], {
      // The channel carries nothing; the backend ends when it closes, however this process went.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    this.#child = child;
    if (child.stdout === null) throw new Error('The backend has no standard output.');
    const ready = once(child.stdout, 'data').then(() => true);
    const ended = once(child, 'exit').then(() => false);
    const serves = await Promise.race([ready, ended]);
    this.#running = serves ? findRunningBackend(describeDataFolder(this.#folder)) : null;
    return this.#running !== null;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    this.#running = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  /** A fragment with a fresh one-time code, for a page that is being loaded. */
  async pageFragment(): Promise<string> {
    const url = this.#running === null ? null : await requestPageUrl(this.#running);
    return url === null ? '' : new URL(url).hash;
  }

  /** Shows the invented shop's traffic. */
  async showSample(): Promise<void> {
    if (this.#running === null) return;
    const client = createContractClient(await connectToBackend(this.#running));
    try {
      await client.call('sample.show', {});
    } finally {
      client.close();
    }
  }
}
