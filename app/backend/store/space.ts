import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { StoreSpace } from '#contract';
import type { StoreFolder } from './store-folder.ts';

/** What the data folder's capture takes on the disk. */
export function readSpace(database: Database, folder: StoreFolder): StoreSpace {
  const pages = (name: 'page_size' | 'page_count' | 'freelist_count'): number =>
    database.pragma(name, { simple: true }) as number;
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const number = (sql: string): number => database.prepare(sql).pluck().get() as number;
  return {
    rowBytes: (pages('page_count') - pages('freelist_count')) * pages('page_size'),
    freeBytes: pages('freelist_count') * pages('page_size') + sizeOf(`${folder.database}-wal`),
    bodyBytes: number('SELECT coalesce(sum(bytes), 0) FROM segment'),
    searchBytes: sizeOf(folder.search) + sizeOf(`${folder.search}-wal`),
    exchanges: number('SELECT coalesce(sum(exchanges), 0) FROM session'),
    deleted: number('SELECT count(*) FROM exchange WHERE session_id < 0'),
  };
}
