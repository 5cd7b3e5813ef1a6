import type { SessionId } from '#contract';
import type { Backend } from './connection.svelte.ts';
import { hostTree } from './host-tree.ts';
import type { HostCount, HostNode } from './host-tree.ts';

/** The sidebar's tree is counted again at most this often, milliseconds. */
const REFRESH_MILLISECONDS = 1_000;

/** A client program and what it asked for. */
export interface ProgramCount {
  readonly name: string;
  readonly exchanges: number;
  readonly errors: number;
}

/** The hosts and the client programs of the shown session. */
export class Hosts {
  readonly #backend: Backend;
  #hosts = $state.raw<readonly HostCount[]>([]);
  #programs = $state.raw<readonly ProgramCount[]>([]);
  readonly #tree = $derived(hostTree(this.#hosts));
  #session: SessionId | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get tree(): readonly HostNode[] {
    return this.#tree;
  }

  /** The busiest first. */
  get programs(): readonly ProgramCount[] {
    return this.#programs;
  }

  /** Names of all hosts, for completion. */
  get names(): readonly string[] {
    return this.#hosts.map((host) => host.host);
  }

  show(session: SessionId): void {
    if (session !== this.#session) {
      this.#hosts = [];
      this.#programs = [];
    }
    this.#session = session;
    void this.#read();
  }

  /** Something changed; counts again within a second. */
  refreshSoon(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#read();
    }, REFRESH_MILLISECONDS);
  }

  async #read(): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    try {
      const [{ hosts }, { programs }] = await Promise.all([
        this.#backend.call('hosts.list', { session }),
        this.#backend.call('programs.list', { session }),
      ]);
      if (session !== this.#session) return;
      this.#hosts = hosts;
      this.#programs = programs;
    } catch {
      // The next change asks again.
    }
  }
}
