import type { ExchangeId, MessageSummary } from '#contract';

type Listener = (message: MessageSummary) => void;

/** Tells who watches an exchange about its messages as they are committed. Costs nothing while nobody watches. */
export class MessageFeed {
  readonly #watchStore: (exchanges: readonly ExchangeId[]) => void;
  readonly #listeners = new Map<ExchangeId, Set<Listener>>();

  /** @param watchStore names the exchanges of which the store tells the messages from now on */
  constructor(watchStore: (exchanges: readonly ExchangeId[]) => void) {
    this.#watchStore = watchStore;
  }

  /** @returns how to stop */
  watch(exchange: ExchangeId, listener: Listener): () => void {
    const listeners = this.#listeners.get(exchange) ?? new Set();
    listeners.add(listener);
    if (!this.#listeners.has(exchange)) {
      this.#listeners.set(exchange, listeners);
      this.#tellStore();
    }
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#listeners.delete(exchange);
      this.#tellStore();
    };
  }

  publish(messages: readonly MessageSummary[]): void {
    for (const message of messages) {
      for (const listener of this.#listeners.get(message.exchange) ?? []) listener(message);
    }
  }

  #tellStore(): void {
    this.#watchStore([...this.#listeners.keys()]);
  }
}
