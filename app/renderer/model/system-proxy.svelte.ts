import type { SystemProxyRestored, SystemProxyStatus } from '#contract';
import type { Backend } from './connection.svelte.ts';

/** The system's proxy settings, as the Setup page and the toolbar show and change them. */
export class SystemProxy {
  readonly #backend: Backend;
  #status = $state.raw<SystemProxyStatus | null>(null);
  #asked = 0;
  #busy = $state(false);
  #asking = $state(false);

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Null until it was read. */
  get status(): SystemProxyStatus | null {
    return this.#status;
  }

  /** A change is under way. */
  get busy(): boolean {
    return this.#busy;
  }

  /** The dialog that lists what will change is open. */
  get asking(): boolean {
    return this.#asking;
  }

  set asking(open: boolean) {
    this.#asking = open;
  }

  /** Reads the settings. @param bypass hosts without a proxy to plan with @throws ContractError */
  async refresh(bypass?: readonly string[]): Promise<SystemProxyStatus> {
    this.#asked += 1;
    const asked = this.#asked;
    const status = await this.#backend.call('systemProxy.status', bypass === undefined ? {} : { bypass });
    // An answer that was overtaken by a later question is old.
    if (asked === this.#asked) this.#status = status;
    return status;
  }

  /** @param chain another program's proxy becomes our upstream proxy @throws ContractError */
  async turnOn(bypass: readonly string[], chain: boolean): Promise<void> {
    await this.#change(async () => {
      this.#status = await this.#backend.call('systemProxy.on', { bypass, chain });
      this.#asking = false;
    });
  }

  /** @throws ContractError */
  async turnOff(): Promise<SystemProxyRestored> {
    return this.#change(async () => {
      const restored = await this.#backend.call('systemProxy.off', {});
      await this.refresh();
      return restored;
    });
  }

  async #change<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#busy = true;
    this.#asked += 1;
    try {
      return await work();
    } finally {
      this.#busy = false;
    }
  }
}
