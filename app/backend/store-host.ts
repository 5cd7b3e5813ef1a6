import type { MessagePort, Worker } from 'node:worker_threads';
import type { ExchangeSummary, SessionId, SessionInfo, StoreTrouble } from '#contract';
import type {
  ReaderCallName,
  ReaderCalls,
  ReaderEvent,
  StoreOpened,
  WriterCallName,
  WriterCalls,
  WriterCommand,
  WriterEvent,
} from './store/protocol.ts';
import { startReaderThread, startWriterThread } from './store/store-threads.ts';
import { ThreadCalls } from './thread-calls.ts';

/** What the store tells the backend about. */
export interface StoreListener {
  /** Rows as committed; only while watched. */
  changed(exchanges: readonly ExchangeSummary[]): void;
  session(session: SessionInfo): void;
  trouble(trouble: StoreTrouble | null): void;
  /** A thread of the store ended although nobody asked it to. */
  failed(error: Error): void;
}

/** The store's two threads as the backend uses them. The reader's begins with the first question. */
export interface StoreHost {
  readonly opened: StoreOpened;
  /** Gives the writer the far end of an engine's capture port; into the current session unless one is named. */
  attach(port: MessagePort, session: SessionId | null): void;
  /** Switches `changed` on or off. */
  watch(on: boolean): void;
  write<Name extends WriterCallName>(
    name: Name,
    input: WriterCalls[Name]['input'],
  ): Promise<WriterCalls[Name]['output']>;
  read<Name extends ReaderCallName>(
    name: Name,
    input: ReaderCalls[Name]['input'],
    signal?: AbortSignal,
  ): Promise<ReaderCalls[Name]['output']>;
  /** Writes what is held and ends both threads. */
  close(): Promise<void>;
}

/**
 * Opens the store of a data folder: creates, migrates or recovers it.
 *
 * @throws when it cannot be opened at all; trouble after that is data (`StoreListener.trouble`)
 */
export function openStore(folder: string, listener: StoreListener): Promise<StoreHost> {
  const writer = startWriterThread(folder);
  const writerCalls = new ThreadCalls<WriterCalls>(writer, "store's writer");
  let reader: { readonly worker: Worker; readonly calls: ThreadCalls<ReaderCalls> } | null = null;
  let closing = false;

  function watchThread(worker: Worker): void {
    let cause: unknown = null;
    worker.on('error', (error) => (cause = error));
    worker.once('exit', () => {
      if (closing) return;
      listener.failed(new Error('A thread of the store ended unexpectedly.', { cause }));
    });
  }

  function requireReader(): ThreadCalls<ReaderCalls> {
    if (reader !== null) return reader.calls;
    const worker = startReaderThread(folder);
    const calls = new ThreadCalls<ReaderCalls>(worker, "store's reader");
    worker.on('message', (event: ReaderEvent) => {
      settle(calls, event);
    });
    worker.once('exit', () => (reader = null));
    watchThread(worker);
    reader = { worker, calls };
    return calls;
  }

  function command(message: WriterCommand, transfer: readonly MessagePort[] = []): void {
    writer.postMessage(message, transfer);
  }

  function createHost(opened: StoreOpened): StoreHost {
    return {
      opened,
      attach(port, session) {
        command({ type: 'attach', port, session }, [port]);
      },
      watch(on) {
        command({ type: 'watch', on });
      },
      write: (name, input) => writerCalls.call(name, input),
      read: (name, input, signal) => requireReader().call(name, input, signal === undefined ? {} : { signal }),
      async close() {
        closing = true;
        const { worker } = reader ?? {};
        worker?.postMessage({ type: 'close' });
        await writerCalls.call('close', {}).catch(() => undefined);
        await Promise.all([writer.terminate(), worker?.terminate()]);
      },
    };
  }

  return new Promise((resolve, reject) => {
    writer.on('message', (event: WriterEvent) => {
      switch (event.type) {
        case 'opened':
          writer.off('error', reject);
          watchThread(writer);
          resolve(createHost(event.opened));
          break;
        case 'changed':
          listener.changed(event.exchanges);
          break;
        case 'session':
          listener.session(event.session);
          break;
        case 'trouble':
          listener.trouble(event.trouble);
          break;
        default:
          settle(writerCalls, event);
      }
    });
    writer.once('error', reject);
  });
}

function settle(
  calls: ThreadCalls<WriterCalls> | ThreadCalls<ReaderCalls>,
  event: Extract<ReaderEvent, { type: 'result' | 'failure' }>,
): void {
  calls.settle(event.id, event.type === 'result' ? { output: event.output } : { failure: event.failure });
}
