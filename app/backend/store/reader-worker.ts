import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { failureOf } from './call-failure.ts';
import { exportCurl } from './export-curl.ts';
import type { ReaderCallName, ReaderCalls, ReaderCommand, ReaderEvent, StoreWorkerData } from './protocol.ts';
import { StoreReader } from './store-reader.ts';

/*
 * Entry of the store's reader thread. Long calls give the loop a turn between their steps, so that short ones are answered
 * in between and `cancel` is heard.
 */

const host = requireHost();
const { folder } = workerData as StoreWorkerData;
const running = new Map<number, { cancelled: boolean }>();
let reader: StoreReader | null = null;

host.on('message', (command: ReaderCommand) => {
  switch (command.type) {
    case 'call':
      run(command);
      break;
    case 'cancel': {
      const cancellation = running.get(command.id);
      if (cancellation !== undefined) cancellation.cancelled = true;
      break;
    }
    case 'close':
      for (const cancellation of running.values()) cancellation.cancelled = true;
      reader?.close();
      host.close();
      break;
  }
});

type Call = Extract<ReaderCommand, { type: 'call' }>;

function run(call: Call): void {
  const cancellation = { cancelled: false };
  running.set(call.id, cancellation);
  answer(call, cancellation)
    .then(
      (output) => {
        send({ type: 'result', id: call.id, output });
      },
      (error: unknown) => {
        send({ type: 'failure', id: call.id, failure: failureOf(error) });
      },
    )
    .finally(() => running.delete(call.id));
}

async function answer(
  call: Call,
  cancellation: { readonly cancelled: boolean },
): Promise<ReaderCalls[ReaderCallName]['output']> {
  // Opened with the first question, and again with the next one if that failed.
  reader ??= new StoreReader(folder);
  switch (call.name) {
    case 'query':
      return reader.query(call.input, cancellation);
    case 'queryAt':
      return reader.queryAt(call.input, cancellation);
    case 'count':
      return reader.count(call.input, cancellation);
    case 'indexOf':
      return reader.indexOf(call.input, cancellation);
    case 'get':
      return reader.get(call.input.id);
    case 'readBody':
      return reader.readBody(call.input);
    case 'readRaw':
      return reader.readRaw(call.input);
    case 'hosts':
      return reader.hosts(call.input.session);
    case 'sessions':
      return reader.sessions();
    case 'space':
      return reader.space();
    case 'ids':
      return reader.ids(call.input, cancellation);
    case 'programs':
      return reader.programs(call.input.session);
    case 'messagePage':
      return reader.messagePage(call.input, cancellation);
    case 'messageFind':
      return reader.messageFind(call.input, cancellation);
    case 'messageRead':
      return reader.messageRead(call.input);
    case 'framePage':
      return reader.framePage(call.input);
    case 'llm':
      return reader.llm(call.input.id);
    case 'replays':
      return reader.replays(call.input.id);
    case 'exportCurl':
      return { text: await exportCurl(reader, call.input.id) };
  }
}

function send(event: ReaderEvent): void {
  host.postMessage(event);
}

function requireHost(): MessagePort {
  if (parentPort === null) throw new Error('This file runs in a worker thread of the backend.');
  return parentPort;
}
