import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { createTap } from '#engine';
import type { CaptureCredit } from '../../store/protocol.ts';
import { HarImport } from './har-import.ts';
import type { ImportCalls, ImportCommand, ImportEvent, ImportStart } from './import-messages.ts';
import { ExchangeRecorder } from './record-exchange.ts';

/*
 * Entry of a thread that reads one file into a session: parsing keeps nobody waiting. What it records goes to the store's
 * writer directly; it takes the next piece of the file once most of that has been taken.
 */

const CREDIT_BYTES = 2 ** 40;
const MOST_UNDER_WAY = 16_777_216;

const host = requireHost();
const { port, firstExchange, firstConnection } = workerData as ImportStart;
const waiting = new Set<() => void>();
let underWay = 0;
let recorder: ExchangeRecorder | null = null;

const tap = createTap(
  {
    post(batch) {
      underWay += batch.byteLength;
      port.postMessage(batch, [batch]);
    },
  },
  { creditBytes: CREDIT_BYTES, recordedBodyBytes: CREDIT_BYTES, now: () => recorder?.now ?? 0 },
);
recorder = new ExchangeRecorder(tap, firstExchange, firstConnection);
const file = new HarImport(recorder, () => Date.now() * 1_000);

port.on('message', ({ bytes, slabs }: CaptureCredit) => {
  underWay -= bytes;
  tap.returnCredit(bytes, slabs);
  if (underWay <= MOST_UNDER_WAY) for (const resolve of waiting) resolve();
});

host.on('message', (command: ImportCommand) => {
  answer(command).then(
    (output) => {
      send({ type: 'result', id: command.id, output });
    },
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      send({ type: 'failure', id: command.id, failure: { code: 'internal', message } });
    },
  );
});

async function answer(command: ImportCommand): Promise<ImportCalls[keyof ImportCalls]['output']> {
  if (command.name === 'write') {
    const { buffer, byteOffset, byteLength } = command.input.bytes;
    file.receive(Buffer.from(buffer, byteOffset, byteLength));
    tap.flush();
    await room();
    return file.counts;
  }
  tap.flush();
  const report = file.end();
  const { comments } = file;
  const next = { nextExchange: recorder?.nextExchange ?? 0, nextConnection: recorder?.nextConnection ?? 0 };
  return { report, comments, ...next };
}

/** Resolves once the store has taken most of what is under way. */
function room(): Promise<void> {
  if (underWay <= MOST_UNDER_WAY) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      waiting.delete(done);
      resolve();
    };
    waiting.add(done);
  });
}

function send(event: ImportEvent): void {
  host.postMessage(event);
}

function requireHost(): MessagePort {
  if (parentPort === null) throw new Error('This file runs in a worker thread of the backend.');
  return parentPort;
}
