import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { SearchIndexer } from '../../app/backend/store/search-indexer.ts';
import { StoreFolder } from '../../app/backend/store/store-folder.ts';
import { openStoreKit, recordExchange } from '../../test/support/store-kit.ts';
import { Corpus } from './corpus.ts';

const ROWS_A_COMMIT = 500;
const ROWS_A_TURN = 20_000;
const INDEX_MS = 500;

/** What filling a store took; CPU is that of the one thread that did it. */
export interface FillFigures {
  readonly recordSeconds: number;
  readonly recordCpuMicrosecondsEach: number;
  readonly indexSeconds: number;
  readonly indexCpuMicrosecondsEach: number;
}

/** Whether a folder holds a store already, which is then measured as it is. */
export function isFilled(folder: string): boolean {
  return existsSync(join(folder, 'weir.db'));
}

/**
 * Records the corpus as the engine would: by a tap, through the store's writer, with the full text indexed afterwards.
 * @param say tells of progress in words
 */
export async function fillStore(folder: string, rows: number, say: (line: string) => void): Promise<FillFigures> {
  const record = meter();
  const kit = openStoreKit(folder);
  kit.writer.watched = false;
  const corpus = new Corpus(rows, Date.now() * 1_000);
  const { nextExchangeId } = kit.opened;
  for (let row = 0; row < rows; row += 1) {
    recordExchange(kit.tap, nextExchangeId + row, corpus.next(row));
    if (row % ROWS_A_COMMIT === ROWS_A_COMMIT - 1) kit.commit();
    if (row % ROWS_A_TURN === ROWS_A_TURN - 1) await turn();
    if (row % 100_000 === 99_999) say(`${String(row + 1)} exchanges recorded`);
  }
  kit.commit();
  kit[Symbol.dispose]();
  const recorded = record();

  const index = meter();
  const indexer = new SearchIndexer(new StoreFolder(folder), () => Date.now() * 1_000);
  let indexed = 0;
  for (let some = indexer.work(INDEX_MS); some > 0; some = indexer.work(INDEX_MS)) {
    const before = indexed;
    indexed += some;
    if (Math.floor(before / 100_000) < Math.floor(indexed / 100_000)) say(`${String(indexed)} exchanges indexed`);
    await turn();
  }
  indexer.close();
  const searched = index();
  return {
    recordSeconds: recorded.seconds,
    recordCpuMicrosecondsEach: recorded.cpuMicroseconds / rows,
    indexSeconds: searched.seconds,
    indexCpuMicrosecondsEach: searched.cpuMicroseconds / rows,
  };
}

function meter(): () => { seconds: number; cpuMicroseconds: number } {
  const startedAt = performance.now();
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return { seconds: (performance.now() - startedAt) / 1_000, cpuMicroseconds: user + system };
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
