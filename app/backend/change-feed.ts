import type { ExchangeSummary, SessionId } from '#contract';

type Listener = (exchange: ExchangeSummary) => void;

/** Tells who watches a session about its rows as they are committed. Costs nothing while nobody watches. */
export class ChangeFeed {
  readonly #watchStore: (on: boolean) => void;
  readonly #listeners = new Map<SessionId, Set<Listener>>();

  /** @param watchStore switches the store's `changed` events on or off */
  constructor(watchStore: (on: boolean) => void) {
    this.#watchStore = watchStore;
  }

  /** @returns how to stop */
  watch(session: SessionId, listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#watchStore(true);
    const listeners = this.#listeners.get(session) ?? new Set();
    this.#listeners.set(session, listeners);
    listeners.add(listener);
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#listeners.delete(session);
      if (this.#listeners.size === 0) this.#watchStore(false);
    };
  }

  publish(exchanges: readonly ExchangeSummary[]): void {
    for (const exchange of exchanges) {
      for (const listener of this.#listeners.get(exchange.session) ?? []) listener(exchange);
    }
  }
}
