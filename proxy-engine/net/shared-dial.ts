import type { ConnectionRecord } from '../capture/tap.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { OriginWaiter } from '../pipeline/origins.ts';
import type { OriginDialObserver } from './origin-dial.ts';
import type { SecureOrigin } from './origin-tls.ts';

/** A dial whose end concerns more than one: exchanges, and doors that want to know what the origin speaks. */
export class SharedDial implements OriginDialObserver {
  readonly waiters = new Set<OriginWaiter>();
  readonly askers = new Set<() => void>();
  cancel: () => void = () => undefined;
  readonly #onEnd: (dial: SharedDial, origin: SecureOrigin) => void;
  readonly #onFailed: (dial: SharedDial, error: ExchangeError, connection: ConnectionRecord | null) => void;
  #resolved = false;
  #connected = false;

  constructor(
    onEnd: (dial: SharedDial, origin: SecureOrigin) => void,
    onFailed: (dial: SharedDial, error: ExchangeError, connection: ConnectionRecord | null) => void,
  ) {
    this.#onEnd = onEnd;
    this.#onFailed = onFailed;
  }

  /** Lets one more wait for it. Returns a way to give up. */
  join(waiter: OriginWaiter): () => void {
    this.waiters.add(waiter);
    if (this.#resolved) waiter.onResolved();
    if (this.#connected) waiter.onTcpConnected();
    return () => {
      this.waiters.delete(waiter);
    };
  }

  onResolved(): void {
    this.#resolved = true;
    for (const waiter of this.waiters) waiter.onResolved();
  }

  onTcpConnected(): void {
    this.#connected = true;
    for (const waiter of this.waiters) waiter.onTcpConnected();
  }

  onConnected(origin: SecureOrigin): void {
    this.#onEnd(this, origin);
  }

  onFailed(error: ExchangeError, connection: ConnectionRecord | null): void {
    this.#onFailed(this, error, connection);
  }
}
