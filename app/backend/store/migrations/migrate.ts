import type { Database } from 'better-sqlite3';
import { StoreError } from '../store-error.ts';
import { FIRST_SCHEMA } from './0001-first.ts';
import { MARKS_AND_PROGRAMS } from './0002-marks-and-programs.ts';
import { MESSAGES } from './0003-messages.ts';
import { REPLAYS } from './0004-replays.ts';
import { AGE_OF_IMPORTS } from './0005-age-of-imports.ts';
import { HTTP2_FRAMES } from './0006-http2-frames.ts';
import { LANGUAGE_MODELS } from './0007-language-models.ts';

/** Step n brings a database from version n to n + 1. Steps are only ever added. */
const STEPS: readonly string[] = [
  FIRST_SCHEMA,
  MARKS_AND_PROGRAMS,
  MESSAGES,
  REPLAYS,
  AGE_OF_IMPORTS,
  HTTP2_FRAMES,
  LANGUAGE_MODELS,
];

/** The version that this build reads and writes (`PRAGMA user_version`). */
const SCHEMA_VERSION = STEPS.length;

/**
 * Brings a database to this build's version, each step in a transaction of its own.
 * @throws StoreError `newer` when a later Weir wrote it
 */
export function migrate(database: Database): void {
  let version = schemaVersion(database);
  refuseNewer(version);
  while (version < SCHEMA_VERSION) {
    const step = STEPS[version];
    if (step === undefined) throw new StoreError('failed', `There is no migration from version ${String(version)}.`);
    const next = version + 1;
    database
      .transaction(() => {
        database.exec(step);
        database.pragma(`user_version = ${String(next)}`);
      })
      .immediate();
    version = next;
  }
}

/**
 * A reader cannot migrate; it needs this build's version.
 * @throws StoreError `newer` or `older`
 */
export function requireCurrentVersion(database: Database): void {
  const version = schemaVersion(database);
  refuseNewer(version);
  if (version < SCHEMA_VERSION) {
    throw new StoreError('older', 'An earlier Weir wrote this capture. Start Weir once with it, then try again.');
  }
}

function schemaVersion(database: Database): number {
  const version = database.pragma('user_version', { simple: true });
  return typeof version === 'number' ? version : 0;
}

function refuseNewer(version: number): void {
  if (version > SCHEMA_VERSION) {
    throw new StoreError('newer', 'A newer Weir wrote this capture. Update Weir, or choose another data folder.');
  }
}
