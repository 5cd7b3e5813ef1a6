import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import { createTap } from '../../proxy-engine/capture/create-tap.ts';
import type { CaptureCredit, WriterCommand, WriterEvent } from '../../app/backend/store/protocol.ts';
import { startWriterThread } from '../../app/backend/store/store-threads.ts';
import { recordExchange } from './store-kit.ts';

/*
 * A process that records as the engine does, until it is killed: about 1,000 exchanges a second with bodies of all sizes.
 * Usage: node store-writer-child.ts FOLDER [delete]. With `delete` it also deletes half of what it recorded, without end, and
 * compacts each time. Each line of its output is one exchange that ended: id, end time in
 * milliseconds since the Unix epoch, SHA-256 of the body.
 */

const EXCHANGES_A_TURN = 10;
const TURN_MS = 10;
const FLUSH_MS = 50;
const SIZES = [0, 10, 1_000, 16_384, 20_000, 1_000, 100, 0, 70_000, 500];

const folder = process.argv[2] ?? '';
const deleting = process.argv[3] === 'delete';
const writer = startWriterThread(folder);
const { port1, port2 } = new MessageChannel();

writer.on('message', (event: WriterEvent) => {
  if (event.type === 'opened') begin(event.opened.nextExchangeId);
  // One deletion follows the other.
  if (event.type === 'result' && deleting) deleteSome();
});
writer.postMessage({ type: 'attach', port: port2, session: null }, [port2]);

let deletions = 0;
let deletedUpTo = 0;

/** Hides every second exchange that was recorded meanwhile, then has them purged. */
function deleteSome(): void {
  deletions += 1;
  if (deletions % 2 === 0) {
    call({ name: 'compact', input: {} });
    return;
  }
  const ids = Array.from({ length: 400 }, (_, index) => deletedUpTo + 2 * index);
  deletedUpTo += 800;
  call({ name: 'remove', input: { ids } });
}

function call(
  command: { name: 'compact'; input: Record<string, never> } | { name: 'remove'; input: { ids: number[] } },
): void {
  writer.postMessage({ type: 'call', id: deletions, ...command } satisfies WriterCommand);
}

function begin(firstId: number): void {
  const tap = createTap(
    { post: (batch) => port1.postMessage(batch, [batch]) },
    { creditBytes: 33_554_432, recordedBodyBytes: Number.MAX_SAFE_INTEGER, now: () => Date.now() * 1_000 },
  );
  port1.on('message', ({ bytes, slabs }: CaptureCredit) => {
    tap.returnCredit(bytes, slabs);
  });
  let id = firstId;
  setInterval(() => {
    for (let count = 0; count < EXCHANGES_A_TURN; count += 1) {
      const body = Buffer.alloc(SIZES[id % SIZES.length] ?? 0, `${String(id)} `);
      recordExchange(tap, id, { path: `/${String(id)}`, responseBody: body });
      const hash = createHash('sha256').update(body).digest('hex');
      writeSync(1, `${String(id)} ${String(Date.now())} ${hash}\n`);
      id += 1;
    }
    // One that never ends, so that each crash has some to recover.
    if (id % 500 < EXCHANGES_A_TURN) {
      recordExchange(tap, id, { path: '/endless', responseBody: Buffer.alloc(40_000, 'e'), ended: false });
      id += 1;
    }
  }, TURN_MS);
  if (deleting) setTimeout(deleteSome, 5 * FLUSH_MS);
  setInterval(() => {
    tap.flush();
  }, FLUSH_MS);
}
