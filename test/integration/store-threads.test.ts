import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ExchangeSummary } from '#contract';
import { createTap, type CaptureTap } from '../../proxy-engine/capture/create-tap.ts';
import type {
  CaptureCredit,
  ReaderCalls,
  ReaderEvent,
  StoreOpened,
  WriterCalls,
  WriterEvent,
} from '../../app/backend/store/protocol.ts';
import { startReaderThread, startWriterThread } from '../../app/backend/store/store-threads.ts';
import { ThreadCalls } from '../../app/backend/thread-calls.ts';
import { recordExchange } from '../support/store-kit.ts';

const CREDIT_BYTES = 8_388_608;

let folder: string;
let writer: Worker;
let reader: Worker;
let write: ThreadCalls<WriterCalls>;
let read: ThreadCalls<ReaderCalls>;
let opened: StoreOpened;
let events: WriterEvent[];
let ports: MessagePort[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-threads-'));
  events = [];
  ports = [];
  writer = startWriterThread(folder);
  write = new ThreadCalls<WriterCalls>(writer, 'writer');
  writer.on('message', (event: WriterEvent) => {
    events.push(event);
    if (event.type === 'result') write.settle(event.id, { output: event.output });
    if (event.type === 'failure') write.settle(event.id, { failure: event.failure });
  });
  opened = await new Promise((resolve) => {
    writer.on('message', (event: WriterEvent) => {
      if (event.type === 'opened') resolve(event.opened);
    });
  });
  reader = startReaderThread(folder);
  read = new ThreadCalls<ReaderCalls>(reader, 'reader');
  reader.on('message', (event: ReaderEvent) => {
    read.settle(event.id, event.type === 'result' ? { output: event.output } : { failure: event.failure });
  });
});

afterEach(async () => {
  reader.postMessage({ type: 'close' });
  await write.call('close', {});
  await Promise.all([writer, reader].map(async (worker) => worker.terminate()));
  rmSync(folder, { recursive: true, force: true });
});

test('what a tap hands over is read by the other thread within a second, without being asked for', async () => {
  const tap = attachTap();
  // The reader's thread is up with its first answer.
  expect(await count('')).toBe(0);
  const handedOverAt = performance.now();
  recordExchange(tap, opened.nextExchangeId, { path: '/soon' });
  tap.flush();
  await vi.waitFor(
    async () => {
      expect(await count('path:/soon')).toBe(1);
    },
    { timeout: 10_000, interval: 5 },
  );

  expect(performance.now() - handedOverAt).toBeLessThan(1_000);
});

test('flush answers when everything handed over before can be read, from every engine', async () => {
  const taps = [attachTap(), attachTap(), attachTap()];
  for (let id = opened.nextExchangeId; id < opened.nextExchangeId + 300; id += 1) {
    const tap = taps[id % 3];
    if (tap !== undefined) recordExchange(tap, id, { responseBody: Buffer.alloc(id * 10) });
  }
  for (const tap of taps) tap.flush();
  await write.call('flush', {});

  expect(await count('')).toBe(300);
});

test('credit and buffers come back after the commit, so that a tap can go on for ever', async () => {
  const tap = attachTap();
  const body = Buffer.alloc(100_000, 'b');
  for (let id = opened.nextExchangeId; id < opened.nextExchangeId + 400; id += 1) {
    recordExchange(tap, id, { responseBody: body });
    if (id % 20 !== 0) continue;
    tap.flush();
    await write.call('flush', {});
    // The credit of this commit is on its way in the other port.
    await new Promise((resolve) => setImmediate(resolve));
  }
  tap.flush();
  await write.call('flush', {});

  expect(tap.losses).toEqual({ truncatedBodies: 0, droppedBodies: 0, droppedExchanges: 0 });
  expect(await count('is:complete -is:truncated')).toBe(400);
});

test('rows are told while they are watched, and not otherwise', async () => {
  const tap = attachTap();
  recordExchange(tap, opened.nextExchangeId, {});
  tap.flush();
  await write.call('flush', {});
  writer.postMessage({ type: 'watch', on: true });
  recordExchange(tap, opened.nextExchangeId + 1, { ended: false });
  tap.flush();
  await write.call('flush', {});

  const changed = events.flatMap((event): readonly ExchangeSummary[] =>
    event.type === 'changed' ? event.exchanges : [],
  );
  expect(changed.map(({ id, state }) => [id, state])).toEqual([[opened.nextExchangeId + 1, 'active']]);
});

test('sessions begin, stand beside each other and are removed', async () => {
  const { session: sample } = await write.call('addSession', { name: 'Sample traffic', sample: true });
  const tap = attachTap(sample.id);
  recordExchange(tap, 5_000, { path: '/sample' });
  tap.flush();
  const { session: next } = await write.call('beginSession', { name: 'Second' });
  const { sessions } = await read.call('sessions', {});

  // The first one held nothing and went.
  expect(sessions.map(({ id, name, exchanges, sample: isSample }) => [id, name, exchanges, isSample])).toEqual([
    [next.id, 'Second', 0, false],
    [sample.id, 'Sample traffic', 1, true],
  ]);
  await expect(write.call('removeSession', { id: next.id })).rejects.toMatchObject({ code: 'conflict' });
  await write.call('removeSession', { id: sample.id });
  expect((await read.call('sessions', {})).sessions).toHaveLength(1);
  await expect(read.call('get', { id: 5_000 })).rejects.toMatchObject({ code: 'not-found' });
});

test('a slow search gives way to short questions and can be cancelled', async () => {
  const tap = attachTap();
  for (let id = opened.nextExchangeId; id < opened.nextExchangeId + 3_000; id += 1) {
    recordExchange(tap, id, { responseBody: Buffer.alloc(2_000, 'hay ') });
  }
  tap.flush();
  await write.call('flush', {});
  const cancel = new AbortController();
  const order: string[] = [];
  const search = read
    .call('count', { session: opened.session.id, filter: 'body:needle' }, { signal: cancel.signal })
    .finally(() => order.push('search'));
  const short = read.call('get', { id: opened.nextExchangeId }).finally(() => order.push('short'));
  await short;
  cancel.abort();

  await expect(search).rejects.toMatchObject({ code: 'cancelled' });
  expect(order).toEqual(['short', 'search']);
});

test('wrong filters and missing exchanges fail with the codes of the contract', async () => {
  await expect(count('a (')).rejects.toMatchObject({ code: 'bad-filter', position: 3 });
  await expect(read.call('get', { id: 1 })).rejects.toMatchObject({ code: 'not-found' });
  await expect(read.call('exportCurl', { id: 1 })).rejects.toMatchObject({ code: 'not-found' });
});

test('the writer ends when it is closed', async () => {
  const exit = once(writer, 'exit');
  await write.call('close', {});
  for (const port of ports) port.close();
  await exit;

  writer = startWriterThread(folder);
  write = new ThreadCalls<WriterCalls>(writer, 'writer');
  writer.on('message', (event: WriterEvent) => {
    if (event.type === 'result') write.settle(event.id, { output: event.output });
  });
});

function attachTap(session: number | null = null): CaptureTap {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1);
  writer.postMessage({ type: 'attach', port: port2, session }, [port2]);
  const tap = createTap(
    { post: (batch) => port1.postMessage(batch, [batch]) },
    { creditBytes: CREDIT_BYTES, recordedBodyBytes: Number.MAX_SAFE_INTEGER, now: () => Date.now() * 1_000 },
  );
  port1.on('message', ({ bytes, slabs }: CaptureCredit) => {
    tap.returnCredit(bytes, slabs);
  });
  port1.unref();
  return tap;
}

async function count(filter: string): Promise<number> {
  return (await read.call('count', { session: opened.session.id, filter })).count;
}
