import type { ExchangeId } from '#contract';

/** Connections that are awaited at once; past it the oldest is forgotten, and its exchanges carry no mark. */
const MOST_CONNECTIONS = 10_000;

/**
 * Which client connections carry replays. The engine knows nothing of it: a replay comes in at a listener like any other
 * request, and the address that it comes from tells it apart.
 */
export class ExpectedReplays {
  readonly #byAddress = new Map<string, ExchangeId>();

  /** @param clientAddress as the engine records it, `address:port` */
  expect(clientAddress: string, original: ExchangeId): void {
    this.#byAddress.delete(clientAddress);
    this.#byAddress.set(clientAddress, original);
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > MOST_CONNECTIONS && oldest !== undefined) this.#byAddress.delete(oldest);
  }

  forget(clientAddress: string): void {
    this.#byAddress.delete(clientAddress);
  }

  /** The exchange that what comes from this address repeats; null for ordinary traffic. */
  originalOf(clientAddress: string): ExchangeId | null {
    return this.#byAddress.size === 0 ? null : (this.#byAddress.get(clientAddress) ?? null);
  }
}
