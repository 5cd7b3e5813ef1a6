import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTap } from '#engine';
import { CaptureLink } from '../../app/backend/capture-link.ts';
import { playSample } from '../../app/backend/services/sample/play-sample.ts';
import type { StoreHost } from '../../app/backend/store-host.ts';
import { openStore } from '../../app/backend/store-host.ts';

let folder: string;
let store: StoreHost;
let crashes: Error[];
let reopened: PromiseWithResolvers<void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-store-host-'));
  crashes = [];
  reopened = Promise.withResolvers();
  store = await openStore(join(folder, 'store'), {
    changed: () => undefined,
    messages: () => undefined,
    session: () => undefined,
    trouble: () => undefined,
    searchLag: () => undefined,
    crashed: (error) => crashes.push(error),
    reopened: () => {
      reopened.resolve();
    },
  });
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Attaches a fresh port, and returns the engine's end. */
function attach(): MessageChannel['port1'] {
  const { port1, port2 } = new MessageChannel();
  store.attach(port2, null);
  return port1;
}

test('a writer that crashed is replaced, and records from engines arrive at the new one with their credit whole', async () => {
  let credit = 0;
  const link = new CaptureLink((bytes) => (credit += bytes));
  const tap = createTap(link, { creditBytes: 2 ** 30, recordedBodyBytes: 2 ** 30, now: () => 1_764_000_000_000_000 });
  link.use(attach());

  // What no engine sends: the thread fails on it as on a fault of its own.
  attach().postMessage(null);
  await reopened.promise;
  expect(crashes).toHaveLength(1);

  link.post(new ArrayBuffer(1_000));
  link.use(attach());
  expect(credit).toBe(1_000);
  const played = playSample(tap, 1, 1);
  tap.flush();
  await store.write('flush', {});
  const { sessions } = await store.read('sessions', {});
  expect(sessions.reduce((sum, { exchanges }) => sum + exchanges, 0)).toBe(played);
});

test('a question that fails leaves the reader working', async () => {
  await store.read('sessions', {});
  await expect(store.read('get', { id: 1 })).rejects.toMatchObject({ code: 'not-found' });
  await expect(store.read('sessions', {})).resolves.toMatchObject({ sessions: expect.any(Array) as unknown[] });
});
