import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStoreReader } from '../support/store-reader.ts';
import { WeirProcess } from '../support/weir-process.ts';

/** `WEIR_FULL=1` runs all twenty rounds. */
const ROUNDS = process.env['WEIR_FULL'] === '1' ? 20 : 3;
const REQUESTS_A_SECOND = 1_000;
const ROUND_MS = 1_500;
const LEAST_ENDED = 500;
/**
 * An exchange that ended this long before the kill must be there. On a machine where this very process waits for a
 * processor, the store's thread does so too: the longest such wait is added.
 */
const DURABLE_MS = 300;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A body that belongs to one request alone; some are large enough for a file of their own. */
function bodyOf(path: string): Buffer {
  const seed = createHash('sha256').update(path).digest();
  const bytes = seed.readUInt16BE(0) % 50 === 0 ? 40_000 : 200 + (seed.readUInt16BE(2) % 3_000);
  return Buffer.alloc(bytes, seed);
}

let origin: Server;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-crash-'));
  origin = createServer((incoming, response) => response.end(bodyOf(incoming.url ?? '')));
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  origin.closeAllConnections();
  origin.close();
  await rm(folder, { recursive: true });
});

/** Asks at a steady rate until told to stop, and notes when each answer was whole. */
class Load {
  readonly endedAt = new Map<string, number>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #proxyPort: number;
  readonly #prefix: string;
  readonly #timer: NodeJS.Timeout;
  readonly #begun = performance.now();
  #sent = 0;

  constructor(proxyPort: number, prefix: string) {
    this.#proxyPort = proxyPort;
    this.#prefix = prefix;
    this.#timer = setInterval(() => {
      const due = ((performance.now() - this.#begun) / 1_000) * REQUESTS_A_SECOND;
      while (this.#sent < due) this.#ask((this.#sent += 1));
    }, 5);
  }

  /** Resolves when at least `exchanges` have ended and `milliseconds` have passed. */
  async until(exchanges: number, milliseconds: number): Promise<void> {
    while (this.endedAt.size < exchanges || performance.now() - this.#begun < milliseconds) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#agent.destroy();
  }

  #ask(number: number): void {
    const path = `/${this.#prefix}/${String(number)}`;
    const host = `127.0.0.1:${String((origin.address() as AddressInfo).port)}`;
    const options = {
      agent: this.#agent,
      host: '127.0.0.1',
      port: this.#proxyPort,
      path: `http://${host}${path}`,
      headers: { host },
    };
    request(options, (response) => {
      response.resume().on('end', () => this.endedAt.set(path, performance.now()));
      response.on('error', () => undefined);
    })
      .on('error', () => undefined)
      .end();
  }
}

test(
  `after kill -9 under load, ${String(ROUNDS)} times, everything that ended ${String(DURABLE_MS)} ms before is there, whole`,
  { timeout: 60_000 + ROUNDS * 20_000 },
  async () => {
    const expected = new Map<string, string>();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const weir = await WeirProcess.start([], folder);
      const load = new Load(weir.port, `round-${String(round)}`);
      const delays = monitorEventLoopDelay({ resolution: 5 });
      delays.enable();
      await load.until(LEAST_ENDED, ROUND_MS + 37 * (round % 7));
      const killedAt = performance.now();
      const durable = DURABLE_MS + delays.max / 1_000_000;
      await weir.kill();
      load.stop();
      for (const [path, endedAt] of load.endedAt) {
        if (endedAt < killedAt - durable) expected.set(path, sha256(bodyOf(path)));
      }
    }

    expect(expected.size).toBeGreaterThan(0);
    const database = await findDatabase(join(folder, 'store'));
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    database.close();
    expect(await readBodies()).toEqual(expect.objectContaining(Object.fromEntries(expected)));
  },
);

/** Hashes of all recorded response bodies by path. */
async function readBodies(): Promise<Record<string, string>> {
  const reader = openStoreReader(folder);
  const hashes: Record<string, string> = {};
  const { sessions } = await reader.read('sessions', {});
  for (const session of sessions) {
    let after: string | null = null;
    do {
      const query = { session: session.id, filter: '', sort: 'time', descending: false, after, limit: 500 } as const;
      const page: { rows: readonly { id: number; path: string; state: string }[]; next: string | null } =
        await reader.read('query', query);
      for (const { id, path, state } of page.rows) {
        if (state !== 'complete') continue;
        const side = { side: 'response', form: 'decoded', offset: 0, length: 262_144 } as const;
        hashes[path] = sha256((await reader.read('readBody', { id, ...side })).bytes);
      }
      after = page.next;
    } while (after !== null);
  }
  await reader.close();
  return hashes;
}

async function findDatabase(store: string): Promise<Database.Database> {
  const name = (await readdir(store)).find((entry) => entry.endsWith('.db'));
  return new Database(join(store, name ?? ''), { readonly: true });
}
