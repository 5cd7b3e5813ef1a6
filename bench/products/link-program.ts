/**
 * A link with distance and loss, for profiles that are about those: copies bytes between each client and `127.0.0.1:PORT` (argument),
 * 5 ms later in each direction. One read in a hundred stalls its connection, both ways, for 200 ms: as long as Linux waits at the least before it
 * sends a lost segment again (RFC 6298 §2.4 would have it wait a second). Reads stall in the same order in each run. Prints its own port.
 */
import { connect, createServer, type Socket } from 'node:net';

const ONE_WAY_MS = 5;
const STALL_MS = 200;
const STALLED_SHARE = 0.01;
/** What is on its way in one direction of a connection; a sender past it waits. */
const MOST_BYTES = 1_048_576;

const port = Number(process.argv[2]);
let state = 0x2545f491;

/** Uniform, the same numbers in each process. */
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 0x1_0000_0000;
}

/** A connection's two directions wait for the same stalls. */
class Link {
  #freeAt = 0;

  carry(from: Socket, to: Socket): void {
    const waiting: { readonly bytes: Buffer; readonly dueAt: number }[] = [];
    let held = 0;
    let timer: NodeJS.Timeout | null = null;
    let isFull = false;
    const deliver = (): void => {
      timer = null;
      for (;;) {
        const next = waiting[0];
        if (next === undefined) return;
        const wait = Math.max(next.dueAt, this.#freeAt) - performance.now();
        if (wait > 0.5) {
          timer = setTimeout(deliver, wait);
          return;
        }
        waiting.shift();
        held -= next.bytes.length;
        if (held < MOST_BYTES) from.resume();
        if (!to.write(next.bytes)) {
          isFull = true;
          to.once('drain', () => {
            isFull = false;
            deliver();
          });
          return;
        }
      }
    };
    from.on('data', (bytes) => {
      const now = performance.now();
      if (random() < STALLED_SHARE) this.#freeAt = Math.max(this.#freeAt, now) + STALL_MS;
      waiting.push({ bytes, dueAt: now + ONE_WAY_MS });
      held += bytes.length;
      if (held >= MOST_BYTES) from.pause();
      if (!isFull) timer ??= setTimeout(deliver, ONE_WAY_MS);
    });
    from.on('close', () => {
      if (timer !== null) clearTimeout(timer);
      to.destroy();
    });
    // A connection that breaks is the generator's to count.
    from.on('error', () => undefined);
  }
}

const server = createServer({ noDelay: true }, (client) => {
  const far = connect({ host: '127.0.0.1', port, noDelay: true });
  const link = new Link();
  link.carry(client, far);
  link.carry(far, client);
});
server.listen(0, '127.0.0.1', 1_024, () => {
  const address = server.address();
  process.stdout.write(`${String(typeof address === 'object' && address !== null ? address.port : 0)}\n`);
});
