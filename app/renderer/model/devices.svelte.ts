import type { StreamHandle } from '#contract';
import type { Backend } from './connection.svelte.ts';

/** A listener for phones and tablets that is open for as long as this window is. */
export class Devices {
  readonly #backend: Backend;
  #stream: StreamHandle | null = null;
  #opening = $state(false);
  #isOpen = $state(false);

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get opening(): boolean {
    return this.#opening;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Opens a proxy listener for every network of this computer, on a port of the system.
   * @throws ContractError when it cannot be opened
   */
  open(): Promise<void> {
    this.#opening = true;
    return new Promise((resolve, reject) => {
      this.#stream = this.#backend.stream(
        'listeners.hold',
        { listeners: [{ mode: { kind: 'proxy' }, host: '0.0.0.0', port: 0 }] },
        {
          items: () => {
            this.#opening = false;
            this.#isOpen = true;
            resolve();
          },
          gap: () => undefined,
          ended: (failure) => {
            this.#opening = false;
            this.#isOpen = false;
            this.#stream = null;
            if (failure === null) resolve();
            else reject(failure);
          },
        },
      );
    });
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
    this.#isOpen = false;
  }
}
