import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { StandInPort } from './ports.ts';
import { refuseTheRest } from './refuse.ts';

/** What goes between this process and the forked one. */
export type UtilityMessage =
  | { readonly kind: 'message'; readonly data: unknown; readonly ports: readonly number[] }
  | { readonly kind: 'port'; readonly port: number; readonly data: unknown }
  | { readonly kind: 'close'; readonly port: number };

interface ForkOptions {
  readonly serviceName?: string;
  readonly stdio?: 'inherit' | 'ignore';
  readonly env?: NodeJS.ProcessEnv;
}

/** Electron's UtilityProcess over a Node child process. */
class StandInUtilityProcess extends EventEmitter<{ spawn: []; message: [data: unknown]; exit: [code: number] }> {
  readonly serviceName: string;
  readonly #child: ChildProcess;
  readonly #ports = new Map<number, StandInPort>();
  #nextPort = 1;

  constructor(entry: string, args: readonly string[], options: ForkOptions) {
    super();
    this.serviceName = options.serviceName ?? 'Node Utility Process';
    this.#child = fork(entry, args, {
      serialization: 'advanced',
      env: options.env ?? process.env,
      execArgv: ['--import', new URL('parent-port.ts', import.meta.url).href],
      stdio: [options.stdio ?? 'inherit', options.stdio ?? 'inherit', options.stdio ?? 'inherit', 'ipc'],
    });
    this.#child.on('spawn', () => this.emit('spawn'));
    this.#child.on('message', (message) => {
      this.#receive(message as UtilityMessage);
    });
    this.#child.once('exit', (code) => {
      running.delete(this);
      for (const port of this.#ports.values()) port.close();
      this.emit('exit', code ?? 1);
    });
    running.add(this);
  }

  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }

  postMessage(data: unknown, ports: readonly StandInPort[] = []): void {
    const ids = ports.map((port) => {
      const id = this.#nextPort;
      this.#nextPort += 1;
      this.#ports.set(id, port);
      return id;
    });
    this.#send({ kind: 'message', data, ports: ids });
    for (const [index, port] of ports.entries()) {
      const id = ids[index] ?? 0;
      port.sendAway(
        (frame) => {
          this.#send({ kind: 'port', port: id, data: frame });
        },
        () => {
          this.#send({ kind: 'close', port: id });
        },
      );
    }
  }

  kill(): boolean {
    return this.#child.kill('SIGTERM');
  }

  #send(message: UtilityMessage): void {
    if (this.#child.connected) this.#child.send(message);
  }

  #receive(message: UtilityMessage): void {
    if (message.kind === 'message') this.emit('message', message.data);
    else if (message.kind === 'port') this.#ports.get(message.port)?.peer?.deliver(message.data);
    else this.#ports.get(message.port)?.close();
  }
}

const running = new Set<StandInUtilityProcess>();

/** The processes that run now, for `app.getAppMetrics`. */
export function utilityMetrics(): { pid: number; type: string; name: string }[] {
  return [...running].flatMap(({ pid, serviceName }) =>
    pid === undefined ? [] : [{ pid, type: 'Utility', name: serviceName }],
  );
}

export const utilityProcess = refuseTheRest('utilityProcess', {
  fork: (entry: string, args: readonly string[] = [], options: ForkOptions = {}) =>
    refuseTheRest('UtilityProcess', new StandInUtilityProcess(entry, args, options)),
});
