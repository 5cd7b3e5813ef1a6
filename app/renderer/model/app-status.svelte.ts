import type { AppInfo, AppStatus } from '#contract';
import type { Backend } from './connection.svelte.ts';

/** The backend's state as the toolbar, the banners and the status bar show it. */
export class Status {
  readonly #backend: Backend;
  #now = $state.raw<AppStatus | null>(null);
  #info = $state.raw<AppInfo | null>(null);

  constructor(backend: Backend) {
    this.#backend = backend;
    backend.stream(
      'app.status',
      {},
      {
        items: (items) => {
          const newest = items.at(-1);
          if (newest !== undefined) this.#now = newest;
        },
        // Each item is the whole state, so a lost one costs nothing; a new backend has new facts.
        gap: () => {
          this.#readInfo();
        },
      },
    );
    this.#readInfo();
  }

  /** Null until the first word of the backend. */
  get now(): AppStatus | null {
    return this.#now;
  }

  get info(): AppInfo | null {
    return this.#info;
  }

  #readInfo(): void {
    this.#backend.call('app.info', {}).then(
      (info) => {
        this.#info = info;
      },
      () => {
        // The connection says so, and a reconnection asks again.
      },
    );
  }
}
