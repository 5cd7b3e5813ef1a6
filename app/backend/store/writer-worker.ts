import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { failureOf } from './call-failure.ts';
import type {
  CaptureCredit,
  StoreWorkerData,
  WriterCallName,
  WriterCalls,
  WriterCommand,
  WriterEvent,
} from './protocol.ts';
import { StoreWriter, type CaptureSource } from './store-writer.ts';

/*
 * Entry of the store's writer thread. Batches come from engine threads directly; the backend only says which, and asks.
 */

const host = requireHost();
const { folder } = workerData as StoreWorkerData;
const sources = new Map<MessagePort, CaptureSource>();

const writer = new StoreWriter(folder, {
  now: () => Math.round((performance.timeOrigin + performance.now()) * 1_000),
  changed(exchanges) {
    send({ type: 'changed', exchanges });
  },
  messages(messages) {
    send({ type: 'messages', messages });
  },
  session(session) {
    send({ type: 'session', session });
  },
  trouble(trouble) {
    send({ type: 'trouble', trouble });
  },
});

send({ type: 'opened', opened: writer.open() });

host.on('message', (command: WriterCommand) => {
  switch (command.type) {
    case 'attach':
      attach(command.port, command.session);
      break;
    case 'watch':
      writer.watched = command.on;
      break;
    case 'watchMessages':
      writer.watchedMessages = new Set(command.exchanges);
      break;
    case 'call':
      answer(command).then(
        (output) => {
          send({ type: 'result', id: command.id, output });
          if (command.name === 'close') host.close();
        },
        (error: unknown) => {
          send({ type: 'failure', id: command.id, failure: failureOf(error) });
        },
      );
      break;
  }
});

function attach(port: MessagePort, session: number | null): void {
  const source: CaptureSource = {
    session,
    giveBack(slabs) {
      const bytes = slabs.reduce((sum, slab) => sum + slab.byteLength, 0);
      port.postMessage({ bytes, slabs } satisfies CaptureCredit, slabs);
    },
  };
  sources.set(port, source);
  port.on('message', (batch: ArrayBuffer) => {
    writer.take(batch, source);
  });
  port.once('close', () => sources.delete(port));
}

async function answer(
  command: Extract<WriterCommand, { type: 'call' }>,
): Promise<WriterCalls[WriterCallName]['output']> {
  // What engines have posted stands before what the backend asks.
  takeWaiting();
  switch (command.name) {
    case 'flush':
      await writer.flush();
      return {};
    case 'beginSession':
      return { session: writer.beginSession(command.input.name) };
    case 'addSession':
      return { session: writer.addSession(command.input.name, command.input.sample) };
    case 'endSession':
      return { session: writer.endSession(command.input.id) };
    case 'removeSession':
      await writer.removeSession(command.input.id);
      return {};
    case 'renameSession':
      return { session: writer.renameSession(command.input.id, command.input.name) };
    case 'mergeSessions':
      return { session: await writer.mergeSessions(command.input.from, command.input.into) };
    case 'mark': {
      const { ids, ...change } = command.input;
      writer.mark(ids, change);
      return {};
    }
    case 'comment':
      writer.comment(command.input.id, command.input.text);
      return {};
    case 'remove':
      return { ids: writer.remove(command.input.ids) };
    case 'restore':
      return { ids: writer.restore(command.input.ids) };
    case 'expectReplay':
      writer.expectReplay(command.input.clientAddress, command.input.original);
      return {};
    case 'namePrograms':
      writer.namePrograms(command.input.clients);
      return {};
    case 'retain':
      writer.retain(command.input);
      return {};
    case 'compact':
      await writer.compact();
      return {};
    case 'close':
      writer.close();
      for (const port of sources.keys()) port.close();
      return {};
  }
}

/** Messages on different ports have no order: this takes those that are waiting in every capture port. */
function takeWaiting(): void {
  for (const [port, source] of sources) {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      writer.take(next.message as ArrayBuffer, source);
    }
  }
}

function send(event: WriterEvent): void {
  host.postMessage(event);
}

function requireHost(): MessagePort {
  if (parentPort === null) throw new Error('This file runs in a worker thread of the backend.');
  return parentPort;
}
