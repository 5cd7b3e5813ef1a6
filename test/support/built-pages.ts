import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('./build-pages.ts', import.meta.url));

/** The inspector as it ships, or the page on a backend that the test plays. */
export type PageKind = 'real' | 'fake';

/** Where a run's pages stand, for the processes of its tests. */
const variableOf = (kind: PageKind): string => `WEIR_TEST_PAGES_${kind.toUpperCase()}`;

/** Built pages and the way to be rid of them. */
export interface BuiltPages {
  readonly folder: string;
  remove(): Promise<void>;
}

/** The pages that the run has built for all its tests, else pages built for the caller alone. */
export async function builtPages(kind: PageKind): Promise<BuiltPages> {
  const shared = process.env[variableOf(kind)];
  if (shared !== undefined) return { folder: shared, remove: () => Promise.resolve() };
  return buildPages(kind);
}

async function buildPages(kind: PageKind): Promise<BuiltPages> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-pages-'));
  await run(process.execPath, [PROGRAM, folder, kind]);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Vitest's set-up of a whole run: both pages are built once. */
export async function setup(): Promise<() => Promise<void>> {
  const pages: BuiltPages[] = [];
  for (const kind of ['real', 'fake'] as const) {
    const built = await buildPages(kind);
    process.env[variableOf(kind)] = built.folder;
    pages.push(built);
  }
  return async () => {
    await Promise.all(pages.map((built) => built.remove()));
  };
}
