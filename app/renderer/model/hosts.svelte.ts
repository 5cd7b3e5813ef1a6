import type { SessionId } from '#contract';
import type { Backend } from './connection.svelte.ts';
import { hostTree } from './host-tree.ts';
import type { HostCount, HostNode } from './host-tree.ts';

/** The sidebar's tree is counted again at most this often, milliseconds. */
const REFRESH_MILLISECONDS = 1_000;

/** The hosts of the shown session. */
export class Hosts {
  readonly #backend: Backend;
  #hosts = $state.raw<readonly HostCount[]>([]);
  readonly #tree = $derived(hostTree(this.#hosts));
  #session: SessionId | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get tree(): readonly HostNode[] {
    return this.#tree;
  }

  /** Names of all hosts, for completion. */
  get names(): readonly string[] {
    return this.#hosts.map((host) => host.host);
  }

  show(session: SessionId): void {
    if (session !== this.#session) this.#hosts = [];
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
      const { hosts } = await this.#backend.call('hosts.list', { session });
      if (session === this.#session) this.#hosts = hosts;
    } catch {
      // The next change asks again.
    }
  }
}
