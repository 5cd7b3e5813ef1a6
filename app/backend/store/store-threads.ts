import { Worker } from 'node:worker_threads';
import type { StoreWorkerData } from './protocol.ts';

/** Starts the thread that writes the store of a data folder; its messages are `WriterCommand` and `WriterEvent`. */
export function startWriterThread(folder: string): Worker {
  return start('writer-worker', 'store writer', { folder });
}

/** Starts a thread that answers questions about the store; its messages are `ReaderCommand` and `ReaderEvent`. */
export function startReaderThread(folder: string): Worker {
  return start('reader-worker', 'store reader', { folder });
}

/** Starts the thread that keeps the full-text index; it tells `SearchEvent`, and any message ends it. */
export function startSearchThread(folder: string): Worker {
  return start('search-worker', 'store search', { folder });
}

/** Starts the thread that brings the write-ahead log home; see `checkpoint-worker.ts`. */
export function startCheckpointThread(folder: string): Worker {
  return start('checkpoint-worker', 'store checkpoint', { folder });
}

/** In the build every thread's file stands beside the chunk that starts it. */
function start(file: string, name: string, workerData: StoreWorkerData): Worker {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  return new Worker(new URL(`./${file}${extension}`, import.meta.url), {
    name,
    workerData,
    // Short-lived objects are few here; room for many would only make the process look hungry under load.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
}
