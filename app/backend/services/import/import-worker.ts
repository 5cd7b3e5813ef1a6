import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { createTap } from '#engine';
import type { CaptureCredit } from '../../store/protocol.ts';
import { HarImport } from './har-import.ts';
import type { ImportCalls, ImportCommand, ImportEvent, ImportStart } from './import-messages.ts';
import { isMitmFile, MitmImport } from './mitm-import.ts';
import { ExchangeRecorder } from './record-exchange.ts';
import { Unpacking } from './unpacking.ts';
import { WeirImport } from './weir-import.ts';

/** A file of any format. */
type ImportedFile = HarImport | WeirImport | MitmImport;

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
let file: ImportedFile | null = null;
let unpacked: Unpacking | null = null;

const tap = createTap(
  {
    post(batch) {
      underWay += batch.byteLength;
      port.postMessage(batch, [batch]);
    },
  },
  { creditBytes: CREDIT_BYTES, recordedBodyBytes: CREDIT_BYTES, now: () => file?.now ?? 0 },
);

port.on('message', ({ bytes, slabs }: CaptureCredit) => {
  underWay -= bytes;
  tap.returnCredit(bytes, slabs);
  if (underWay <= MOST_UNDER_WAY) for (const resolve of waiting) resolve();
});

host.on('message', (command: ImportCommand) => {
  if (command.type === 'close') {
    port.close();
    host.close();
    return;
  }
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

async function answer(
  command: Extract<ImportCommand, { type: 'call' }>,
): Promise<ImportCalls[keyof ImportCalls]['output']> {
  if (command.name === 'write') {
    const { buffer, byteOffset, byteLength } = command.input.bytes;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    unpacked ??= new Unpacking(bytes, take);
    await unpacked.write(bytes);
    return file?.counts ?? { imported: 0, skipped: 0 };
  }
  const damage = (await unpacked?.end()) ?? null;
  const read = file ?? openFile(Buffer.alloc(0));
  const report = read.end();
  tap.flush();
  return {
    report: { ...report, problem: damage ?? report.problem },
    marks: read.marks,
    nextExchange: read.nextExchange,
    nextConnection: read.nextConnection,
  };
}

async function take(bytes: Buffer): Promise<void> {
  file ??= openFile(bytes);
  file.receive(bytes);
  tap.flush();
  await room();
}

/** The first bytes tell what the file is. */
function openFile(begin: Buffer): ImportedFile {
  if (begin.subarray(0, 9).toString('latin1').startsWith('{"weir":')) {
    return new WeirImport(tap, firstExchange, firstConnection);
  }
  const now = (): number => Date.now() * 1_000;
  if (isMitmFile(begin)) return new MitmImport(new ExchangeRecorder(tap, firstExchange, firstConnection), now);
  return new HarImport(new ExchangeRecorder(tap, firstExchange, firstConnection), now);
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
