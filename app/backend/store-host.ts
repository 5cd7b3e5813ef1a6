import type { MessagePort, Worker } from 'node:worker_threads';
import { endThread } from './end-thread.ts';
import type { ExchangeId, ExchangeSummary, MessageSummary, SessionId, SessionInfo, StoreTrouble } from '#contract';
import { ContractError } from '#contract';
import type {
  ReaderCallName,
  ReaderCalls,
  ReaderEvent,
  SearchEvent,
  StoreOpened,
  WriterCallName,
  WriterCalls,
  WriterCommand,
  WriterEvent,
} from './store/protocol.ts';
import { startReaderThread, startSearchThread, startWriterThread } from './store/store-threads.ts';
import { ThreadCalls } from './thread-calls.ts';

/** What the store tells the backend about. */
export interface StoreListener {
  /** Rows as committed; only while watched. */
  changed(exchanges: readonly ExchangeSummary[]): void;
  /** Messages as committed of the exchanges that are watched. */
  messages(messages: readonly MessageSummary[]): void;
  session(session: SessionInfo): void;
  trouble(trouble: StoreTrouble | null): void;
  /** So many exchanges are not in the full-text index yet. */
  searchLag(exchanges: number): void;
  /** A thread of the store ended unexpectedly; it is being started again. */
  crashed(error: Error): void;
  /** A new writer took over after a crash: capture ports have to be attached to it. */
  reopened(opened: StoreOpened): void;
}

/** The store's two threads as the backend uses them. The reader's begins with the first question. */
export interface StoreHost {
  /** What the first writer found. */
  readonly opened: StoreOpened;
  /** Gives the writer the far end of an engine's capture port; into the current session unless one is named. */
  attach(port: MessagePort, session: SessionId | null): void;
  /** Switches `changed` on or off. */
  watch(on: boolean): void;
  /** Names the exchanges of which `messages` tells. */
  watchMessages(exchanges: readonly ExchangeId[]): void;
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

interface Thread<Calls extends Record<keyof Calls, { input: unknown; output: unknown }>> {
  readonly worker: Worker;
  readonly calls: ThreadCalls<Calls>;
}

/** A question that takes longer to end than this is not waited for. */
const CLOSE_GRACE_MS = 2_000;
const RESTART_DELAYS_MS = [0, 250, 1_000, 5_000] as const;

/**
 * Opens the store of a data folder: creates, migrates or recovers it.
 *
 * @throws when it cannot be opened at all; trouble after that is data (`StoreListener.trouble`)
 */
export async function openStore(folder: string, listener: StoreListener): Promise<StoreHost> {
  const store = new StoreThreads(folder, listener);
  const opened = await store.startWriter();
  return Object.assign(store, { opened });
}

class StoreThreads {
  readonly #folder: string;
  readonly #listener: StoreListener;
  #writer: Thread<WriterCalls> | null = null;
  #reader: Thread<ReaderCalls> | null = null;
  #search: Worker | null = null;
  #watching = false;
  #watchedMessages: readonly ExchangeId[] = [];
  #closing = false;
  #crashes = 0;

  constructor(folder: string, listener: StoreListener) {
    this.#folder = folder;
    this.#listener = listener;
  }

  attach(port: MessagePort, session: SessionId | null): void {
    this.#command({ type: 'attach', port, session }, [port]);
  }

  watch(on: boolean): void {
    this.#watching = on;
    this.#command({ type: 'watch', on });
  }

  watchMessages(exchanges: readonly ExchangeId[]): void {
    this.#watchedMessages = exchanges;
    this.#command({ type: 'watchMessages', exchanges });
  }

  async write<Name extends WriterCallName>(
    name: Name,
    input: WriterCalls[Name]['input'],
  ): Promise<WriterCalls[Name]['output']> {
    return this.#requireWriter().calls.call(name, input);
  }

  read<Name extends ReaderCallName>(
    name: Name,
    input: ReaderCalls[Name]['input'],
    signal?: AbortSignal,
  ): Promise<ReaderCalls[Name]['output']> {
    return this.#requireReader().calls.call(name, input, signal === undefined ? {} : { signal });
  }

  async close(): Promise<void> {
    this.#closing = true;
    const reader = this.#reader?.worker;
    const writer = this.#writer;
    const search = this.#search;
    reader?.postMessage({ type: 'close' });
    search?.postMessage('close');
    await writer?.calls.call('close', {}).catch(() => undefined);
    const threads = [writer?.worker, reader, search].filter((thread) => thread !== null && thread !== undefined);
    await Promise.all(threads.map((thread) => endThread(thread, CLOSE_GRACE_MS)));
  }

  /** Resolves when the thread has opened the store; rejects when it ends before that. */
  startWriter(): Promise<StoreOpened> {
    const worker = startWriterThread(this.#folder);
    const calls = new ThreadCalls<WriterCalls>(worker, "store's writer");
    const thread = { worker, calls };
    this.#writer = thread;
    return new Promise((resolve, reject) => {
      let isOpen = false;
      let cause: unknown = null;
      worker.on('message', (event: WriterEvent) => {
        if (event.type === 'opened') {
          isOpen = true;
          resolve(event.opened);
        } else this.#hear(event, calls);
      });
      worker.on('error', (error: Error) => {
        cause = error;
        reject(error);
      });
      worker.once('exit', () => {
        if (this.#writer === thread) this.#writer = null;
        reject(new Error('The store did not open.', { cause }));
        if (isOpen && !this.#closing) this.#restartWriter(cause);
      });
    });
  }

  #restartWriter(cause: unknown): void {
    this.#listener.crashed(new Error("The store's writer ended unexpectedly.", { cause }));
    const delay = RESTART_DELAYS_MS[Math.min(this.#crashes, RESTART_DELAYS_MS.length - 1)];
    this.#crashes += 1;
    setTimeout(() => {
      if (this.#closing) return;
      this.startWriter().then(
        (opened) => {
          if (this.#watching) this.#command({ type: 'watch', on: true });
          if (this.#watchedMessages.length > 0) this.watchMessages(this.#watchedMessages);
          this.#listener.reopened(opened);
        },
        (error: unknown) => {
          if (!this.#closing) this.#restartWriter(error);
        },
      );
    }, delay);
  }

  #hear(event: Exclude<WriterEvent, { type: 'opened' }>, calls: ThreadCalls<WriterCalls>): void {
    switch (event.type) {
      case 'changed':
        this.#listener.changed(event.exchanges);
        break;
      case 'messages':
        this.#listener.messages(event.messages);
        break;
      case 'session':
        this.#listener.session(event.session);
        break;
      case 'trouble':
        this.#listener.trouble(event.trouble);
        break;
      default:
        calls.settle(event.id, event.type === 'result' ? { output: event.output } : { failure: event.failure });
    }
  }

  #requireWriter(): Thread<WriterCalls> {
    if (this.#writer === null)
      throw new ContractError('unavailable', 'The store is being opened again. Try in a moment.');
    return this.#writer;
  }

  /** Nobody searches before somebody reads, so the index is kept from then on. */
  #startSearch(): void {
    if (this.#search !== null) return;
    const worker = startSearchThread(this.#folder);
    this.#search = worker;
    worker.on('message', (event: SearchEvent) => {
      this.#listener.searchLag(event.exchanges);
    });
    // Searches look into every row without it. The next reader tries again.
    worker.on('error', () => undefined);
    worker.once('exit', () => (this.#search = null));
  }

  #requireReader(): Thread<ReaderCalls> {
    if (this.#reader !== null) return this.#reader;
    this.#startSearch();
    const worker = startReaderThread(this.#folder);
    const calls = new ThreadCalls<ReaderCalls>(worker, "store's reader");
    let cause: unknown = null;
    worker.on('message', (event: ReaderEvent) => {
      calls.settle(event.id, event.type === 'result' ? { output: event.output } : { failure: event.failure });
    });
    worker.on('error', (error) => (cause = error));
    worker.once('exit', () => {
      // The next question starts another one.
      this.#reader = null;
      if (!this.#closing) this.#listener.crashed(new Error("The store's reader ended unexpectedly.", { cause }));
    });
    this.#reader = { worker, calls };
    return this.#reader;
  }

  /** Lost while there is no writer: `reopened` has everything attached again. */
  #command(message: WriterCommand, transfer: readonly MessagePort[] = []): void {
    this.#writer?.worker.postMessage(message, transfer);
  }
}
