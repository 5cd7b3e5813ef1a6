import type { ConnectionId, ExchangeId } from '#contract';

/** Connections that are remembered; the oldest go first. */
const MOST_CONNECTIONS = 4_096;
/** Exchanges of one connection that wait for its name. */
const MOST_WAITING = 1_000;

/** Names of the programs behind clients' connections, which are found a moment after the first exchange. */
export class ClientNames {
  readonly #names = new Map<ConnectionId, string>();
  readonly #waiting = new Map<ConnectionId, ExchangeId[]>();

  /** The name for an exchange that begins; null while it is not known, and then the exchange waits for it. */
  programOf(connection: ConnectionId, exchange: ExchangeId): string | null {
    const name = this.#names.get(connection);
    if (name !== undefined) return name;
    const waiting = this.#waiting.get(connection);
    if (waiting === undefined) this.#remember(this.#waiting, connection, [exchange]);
    else if (waiting.length < MOST_WAITING) waiting.push(exchange);
    return null;
  }

  /** @returns the exchanges that waited for the name */
  name(connection: ConnectionId, program: string): readonly ExchangeId[] {
    const waiting = this.#waiting.get(connection) ?? [];
    this.#waiting.delete(connection);
    this.#remember(this.#names, connection, program);
    return waiting;
  }

  #remember<Value>(map: Map<ConnectionId, Value>, connection: ConnectionId, value: Value): void {
    map.set(connection, value);
    const [oldest] = map.keys();
    if (map.size > MOST_CONNECTIONS && oldest !== undefined) map.delete(oldest);
  }
}
