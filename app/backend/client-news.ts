import type { NewClient } from './client-programs.ts';

/** Clients that are told of in one period at most. A load of new connections must not become a load of messages. */
const MOST_A_PERIOD = 64;
const PERIOD_MS = 250;

/** `127.0.0.1:5000`, `[::1]:5000`, `[::ffff:127.0.0.1]:5000` */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:127\.\d+\.\d+\.\d+\]|::1|::ffff:127\.\d+\.\d+\.\d+):(\d+)$/;

/** Tells the backend from the engine's thread which programs of this computer connect: few words, at once. */
export class ClientNews {
  readonly #tell: (clients: readonly NewClient[]) => void;
  #periodEnds = 0;
  #told = 0;

  constructor(tell: (clients: readonly NewClient[]) => void) {
    this.#tell = tell;
  }

  add(connection: number, address: string): void {
    const now = performance.now();
    if (now > this.#periodEnds) {
      this.#periodEnds = now + PERIOD_MS;
      this.#told = 0;
    }
    if (this.#told >= MOST_A_PERIOD) return;
    const port = Number(LOOPBACK.exec(address)?.[1]);
    if (Number.isNaN(port)) return;
    this.#told += 1;
    this.#tell([{ connection, port }]);
  }
}
