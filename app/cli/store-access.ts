import { existsSync } from 'node:fs';
import { createContractClient } from '#contract';
import type { AppStatus, SessionInfo } from '#contract';
import { connectToBackend } from '../backend/connect-to-backend.ts';
import type { DataFolder } from '../backend/data-folder.ts';
import { defaultDataFolder, describeDataFolder } from '../backend/data-folder.ts';
import { findRunningBackend } from '../backend/ownership.ts';
import { StoreError } from '../backend/store/store-error.ts';
import { StoreReader } from '../backend/store/store-reader.ts';
import { tell } from './output.ts';
import { CommandError } from './usage.ts';

const STATUS_TIMEOUT_MS = 1_500;

/**
 * Opens the store of a data folder for one piece of work, beside a backend that may be writing to it.
 *
 * @param data value of `--data`
 * @returns what `work` returns; null when nothing was ever recorded there
 */
export async function withStore<Result>(
  data: string | undefined,
  work: (store: StoreReader) => Promise<Result>,
): Promise<Result | null> {
  const folder = describeDataFolder(data ?? defaultDataFolder());
  await tellLosses(folder);
  const store = openStore(folder);
  if (store === null) {
    tell(`Nothing was recorded in ${folder.path} yet.`);
    return null;
  }
  try {
    return await work(store);
  } finally {
    store.close();
  }
}

function openStore(folder: DataFolder): StoreReader | null {
  try {
    return new StoreReader(folder.store);
  } catch (error: unknown) {
    if (error instanceof StoreError && error.code === 'missing') return null;
    throw error;
  }
}

/**
 * Chooses sessions, oldest first.
 *
 * @param wanted value of `--session`: a number, a name, `current`; undefined for all but sample traffic
 * @throws CommandError when there is no such session
 */
export function chooseSessions(store: StoreReader, wanted: string | undefined): readonly SessionInfo[] {
  const { sessions } = store.sessions();
  const ordered = [...sessions].sort((a, b) => a.startedAt - b.startedAt || a.id - b.id);
  if (wanted === undefined) return ordered.filter(({ sample }) => !sample);
  const chosen =
    wanted === 'current'
      ? ordered.filter(({ sample }) => !sample).slice(-1)
      : ordered.filter(({ id, name }) => String(id) === wanted || name === wanted);
  if (chosen.length > 0) return chosen;
  const known = ordered.map(({ id, name }) => (name === '' ? String(id) : `${String(id)} (${name})`));
  throw new CommandError(`There is no session ${JSON.stringify(wanted)}. There are: ${known.join(', ')}.`);
}

/** Says what the Weir that runs on this folder does not record, and why. */
async function tellLosses(folder: DataFolder): Promise<void> {
  const status = await readStatus(folder).catch(() => null);
  if (status === null) return;
  const { storeTrouble, lostExchanges, lostBodies, recording } = status;
  if (storeTrouble !== null) {
    const since = new Date(storeTrouble.since / 1_000).toISOString();
    tell(`Nothing is recorded since ${since}: ${storeTrouble.message}`);
  }
  if (lostExchanges > 0) tell(`${String(lostExchanges)} exchanges passed and were not recorded.`);
  if (lostBodies > 0) tell(`${String(lostBodies)} bodies were not recorded whole, since the store could not keep up.`);
  if (!recording) tell('Recording is switched off.');
}

/** @returns null when no Weir runs on this folder */
async function readStatus(folder: DataFolder): Promise<AppStatus | null> {
  const running = existsSync(folder.lockFile) ? findRunningBackend(folder) : null;
  if (running === null) return null;
  const client = createContractClient(await connectToBackend(running));
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(null), STATUS_TIMEOUT_MS);
      client.stream(
        'app.status',
        {},
        {
          items(items) {
            clearTimeout(timer);
            resolve(items.at(-1) ?? null);
          },
          gap: () => undefined,
          ended: reject,
        },
      );
    });
  } finally {
    client.close();
  }
}
