import type { Socket } from 'node:net';
import { lowestSocket } from './socket-layers.ts';

/** A connection that nobody uses is closed after this, ms. */
const KEPT_FOR_MS = 10_000;

interface Spare {
  readonly socket: Socket;
  /** Takes it off the shelf. */
  readonly remove: () => void;
}

/**
 * Connections that were opened before it was known what for: a client of SOCKS is told whether its origin can be reached
 * before it says what it speaks. Whoever dials the same place next gets the one that stands.
 */
export class SpareConnections {
  readonly #shelf = new Map<string, Set<Spare>>();

  /** @param socket paused and without listeners */
  keep(key: string, socket: Socket): void {
    if (socket.destroyed) return;
    const spares = this.#shelf.get(key) ?? new Set<Spare>();
    const drop = (): void => {
      remove();
      socket.on('error', ignore);
      socket.destroy();
      lowestSocket(socket).destroy();
    };
    const remove = (): void => {
      clearTimeout(timer);
      socket.off('error', drop);
      socket.off('close', drop);
      spares.delete(spare);
      if (spares.size === 0 && this.#shelf.get(key) === spares) this.#shelf.delete(key);
    };
    const spare: Spare = { socket, remove };
    const timer = setTimeout(drop, KEPT_FOR_MS);
    timer.unref();
    socket.on('error', drop);
    socket.on('close', drop);
    spares.add(spare);
    this.#shelf.set(key, spares);
  }

  /** @returns null when none stands */
  take(key: string): Socket | null {
    const [spare] = this.#shelf.get(key) ?? [];
    if (spare === undefined) return null;
    spare.remove();
    return spare.socket.destroyed ? this.take(key) : spare.socket;
  }

  /** Closes all of them. */
  clear(): void {
    for (const spares of [...this.#shelf.values()]) {
      for (const { socket, remove } of [...spares]) {
        remove();
        socket.on('error', ignore);
        socket.destroy();
        lowestSocket(socket).destroy();
      }
    }
  }
}

function ignore(): void {
  // It is of no use to anybody any more.
}
