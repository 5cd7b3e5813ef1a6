/**
 * What the page costs on a large store: `node test/scale/page.ts STORE [--only TEXT]`, where STORE is a folder that
 * `bench/scale.ts --keep` filled. It serves the inspector on a data folder with that store, drives it in a headless Chromium
 * and prints Markdown. The store is used as it is: the traffic of the run stays in it.
 */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { chromium } from 'playwright-core';
import { browserForTests } from '../support/browser.ts';
import { startInspectorServer } from '../support/inspector-server.ts';
import { PageMeasurement } from './page-measurement.ts';

const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
const [store] = positionals;
if (store === undefined) throw new Error('Say which folder holds the store.');
continueSession(store);

const data = await mkdtemp(join(tmpdir(), 'weir-scale-page-'));
await symlink(resolve(store), join(data, 'store'));
const server = await startInspectorServer({}, data);
const { executablePath, args } = await browserForTests();
const browser = await chromium.launch({ executablePath, args: [...args] });
try {
  const measurement = new PageMeasurement(browser, server, values.only ?? null);
  await measurement.run();
  process.stdout.write(measurement.asMarkdown());
} finally {
  await browser.close();
  await server.stop();
  await rm(data, { recursive: true, force: true });
}

/** The corpus becomes the session that is being recorded, as after a crash: new traffic goes into it. */
function continueSession(folder: string): void {
  const database = new Database(join(folder, 'weir.db'));
  database.exec(
    'UPDATE session SET ended_at = NULL WHERE id = (SELECT id FROM session ORDER BY exchanges DESC, id LIMIT 1)',
  );
  database.close();
}
