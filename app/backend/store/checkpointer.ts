import { statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import type { CheckpointCommand, CheckpointOutcome } from './checkpoint-worker.ts';
import type { StoreFolder } from './store-folder.ts';
import { startCheckpointThread } from './store-threads.ts';

/** The log is brought home after about this many bytes of commits. */
const LOG_BYTES = 8_388_608;
/** Rows and index pages take about so many bytes of log for each byte of records. */
const LOG_BYTES_A_RECORD_BYTE = 3;
/** What came while the thread worked is fetched at once, so often; the log begins anew when nothing is left in it. */
const MOST_REPEATS = 4;
/** Traffic that never pauses can outrun the thread; then the writer waits for the disk once. */
const MOST_LOG_BYTES = 536_870_912;

/** Keeps the write-ahead log short without making the writer wait for the disk. */
export class Checkpointer {
  readonly #database: Database;
  readonly #log: string;
  readonly #worker: Worker;
  #running = false;
  #repeats = 0;
  /** Bytes of log since the last checkpoint began, as estimated. */
  #pendingBytes = 0;

  constructor(database: Database, folder: StoreFolder) {
    this.#database = database;
    this.#log = `${folder.database}-wal`;
    this.#worker = startCheckpointThread(folder.root);
    this.#worker.unref();
    // Without the thread the log grows up to its limit, which is slow and not wrong.
    this.#worker.on('error', () => (this.#running = true));
    this.#worker.on('message', (outcome: CheckpointOutcome) => {
      this.#running = false;
      if (outcome === 'some' && this.#repeats < MOST_REPEATS) this.#ask(this.#repeats + 1);
    });
  }

  /** A commit wrote records of so many bytes. */
  committed(recordBytes: number): void {
    this.#pendingBytes += recordBytes * LOG_BYTES_A_RECORD_BYTE;
    if (this.#running || this.#pendingBytes < LOG_BYTES) return;
    this.#ask(0);
    const bytes = statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes >= MOST_LOG_BYTES) this.#database.pragma('wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#worker.postMessage('close' satisfies CheckpointCommand);
  }

  #ask(repeats: number): void {
    this.#running = true;
    this.#repeats = repeats;
    this.#pendingBytes = 0;
    this.#worker.postMessage('checkpoint' satisfies CheckpointCommand);
  }
}
