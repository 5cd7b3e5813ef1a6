import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { StoreWorkerData } from './protocol.ts';
import { StoreFolder } from './store-folder.ts';

/*
 * Entry of the thread that brings the write-ahead log home. Syncing takes as long as the disk wants; the writer must not
 * wait for it, since what it has not committed yet is lost in a crash. Each message asks for one checkpoint.
 */

const { folder } = workerData as StoreWorkerData;
let database: Database.Database | null = null;

parentPort?.on('message', (message: CheckpointCommand) => {
  if (message === 'close') {
    database?.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(checkpoint());
});

/** What the writer asks for. */
export type CheckpointCommand = 'checkpoint' | 'close';

/** Whether frames are left that came meanwhile; `failed` when it could not be done at all. */
export type CheckpointOutcome = 'all' | 'some' | 'failed';

function checkpoint(): CheckpointOutcome {
  try {
    database ??= new Database(new StoreFolder(folder).database, { fileMustExist: true });
    const [result] = database.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
    return result !== undefined && result.log === result.checkpointed ? 'all' : 'some';
  } catch {
    // The writer meets the same disk and tells of it.
    return 'failed';
  }
}
