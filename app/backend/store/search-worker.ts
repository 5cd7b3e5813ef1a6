import { parentPort, workerData } from 'node:worker_threads';
import type { SearchEvent, StoreWorkerData } from './protocol.ts';
import { SearchIndexer } from './search-indexer.ts';
import { StoreFolder } from './store-folder.ts';

/*
 * Entry of the thread that keeps the full-text index. It works in short pieces; while traffic is being stored it rests four
 * times as long as it works, and catches up in the pauses.
 */

const WORK_MS = 15;
const REST_SHARE = 4;
/** How often it looks whether something came. */
const IDLE_MS = 500;
const TELL_MS = 500;

const host = parentPort;
if (host === null) throw new Error('This file runs in a worker thread of the backend.');
const { folder } = workerData as StoreWorkerData;
const indexer = new SearchIndexer(new StoreFolder(folder), () =>
  Math.round((performance.timeOrigin + performance.now()) * 1_000),
);
let version = 0;
let toldAt = -TELL_MS;
let toldLag = -1;
let timer: NodeJS.Timeout | null = null;

host.on('message', () => {
  if (timer !== null) clearTimeout(timer);
  indexer.close();
  host.close();
});

turn();

function turn(): void {
  const startedAt = performance.now();
  const busy = indexer.storeVersion !== version;
  version = indexer.storeVersion;
  const indexed = indexer.work(WORK_MS);
  const took = performance.now() - startedAt;
  if (indexed === 0 || startedAt - toldAt >= TELL_MS) tell(startedAt);
  timer = setTimeout(turn, indexed === 0 ? IDLE_MS : busy ? took * REST_SHARE : 0);
}

function tell(now: number): void {
  const lag = indexer.lag();
  toldAt = now;
  if (lag === toldLag) return;
  toldLag = lag;
  host?.postMessage({ type: 'lag', exchanges: lag } satisfies SearchEvent);
}
