import { join } from 'node:path';
import type { ReaderCallName, ReaderCalls, ReaderEvent } from '../../app/backend/store/protocol.ts';
import { startReaderThread } from '../../app/backend/store/store-threads.ts';
import { ThreadCalls } from '../../app/backend/thread-calls.ts';

/** The store of a data folder, read as the product reads it. */
export interface StoreReader {
  read<Name extends ReaderCallName>(
    name: Name,
    input: ReaderCalls[Name]['input'],
  ): Promise<ReaderCalls[Name]['output']>;
  close(): Promise<void>;
}

export function openStoreReader(dataFolder: string): StoreReader {
  const worker = startReaderThread(join(dataFolder, 'store'));
  const calls = new ThreadCalls<ReaderCalls>(worker, "store's reader");
  worker.on('message', (event: ReaderEvent) => {
    calls.settle(event.id, event.type === 'result' ? { output: event.output } : { failure: event.failure });
  });
  return {
    read: (name, input) => calls.call(name, input),
    async close() {
      await worker.terminate();
    },
  };
}
