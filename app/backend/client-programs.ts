import type { FindPrograms } from './platform/client-program.ts';
import type { NamedClient } from './store/exchange-edits.ts';

/** A connection of this computer whose program is asked for. */
export interface NewClient {
  readonly connection: number;
  /** TCP port of the client's end. */
  readonly port: number;
}

/** Connections that wait at once; what comes beyond stays unnamed, and traffic never waits. */
const MOST_WAITING = 512;
/** After a search this many times its own duration passes before the next, so that searching takes a small share of a core. */
const REST_SHARE = 3;
const LEAST_REST_MS = 5;

/** Finds the programs behind new connections, off the traffic's way: one search for all that came since the last. */
export class ClientPrograms {
  readonly #find: FindPrograms;
  readonly #found: (clients: readonly NamedClient[]) => void;
  readonly #waiting = new Map<number, number>();
  #timer: NodeJS.Timeout | null = null;
  #searching = false;
  #closed = false;

  /** @param found hears of each connection at most once */
  constructor(find: FindPrograms, found: (clients: readonly NamedClient[]) => void) {
    this.#find = find;
    this.#found = found;
  }

  /** A client connected from this computer. */
  add({ connection, port }: NewClient): void {
    if (this.#closed || this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.set(port, connection);
    if (!this.#searching && this.#timer === null) void this.#search();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  async #search(): Promise<void> {
    this.#searching = true;
    const startedAt = performance.now();
    const asked = new Map(this.#waiting);
    this.#waiting.clear();
    try {
      const programs = await this.#find(new Set(asked.keys()));
      const named = [...programs].flatMap(([port, program]) => {
        const connection = asked.get(port);
        return connection === undefined ? [] : [{ connection, ...program }];
      });
      if (named.length > 0 && !this.#closed) this.#found(named);
    } catch {
      // A program of the system is missing or denied: the connections stay unnamed, which is no reason for a word.
    }
    this.#searching = false;
    if (this.#closed) return;
    const rest = Math.max(LEAST_REST_MS, (performance.now() - startedAt) * REST_SHARE);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#waiting.size > 0) void this.#search();
    }, rest);
    this.#timer.unref();
  }
}
