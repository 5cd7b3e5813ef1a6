import { existsSync } from 'node:fs';
import { createContractClient } from '#contract';
import type { AppStatus, SessionInfo } from '#contract';
import { connectToBackend } from '../backend/connect-to-backend.ts';
import type { DataFolder } from '../backend/data-folder.ts';
import { defaultDataFolder, describeDataFolder } from '../backend/data-folder.ts';
import { findRunningBackend } from '../backend/ownership.ts';
import type { ReaderCallName, ReaderCalls, ReaderEvent } from '../backend/store/protocol.ts';
import { startReaderThread } from '../backend/store/store-threads.ts';
import { ThreadCalls } from '../backend/thread-calls.ts';
import { tell } from './output.ts';
import { CommandError } from './usage.ts';

/** The store of a data folder as commands read it, beside a backend that may be writing to it. */
export interface StoreAccess {
  readonly folder: DataFolder;
  read<Name extends ReaderCallName>(
    name: Name,
    input: ReaderCalls[Name]['input'],
  ): Promise<ReaderCalls[Name]['output']>;
}

const STATUS_TIMEOUT_MS = 1_500;

/**
 * Opens the store for one piece of work.
 *
 * @param data value of `--data`
 * @returns what `work` returns; null when nothing was ever recorded there
 */
export async function withStore<Result>(
  data: string | undefined,
  work: (store: StoreAccess) => Promise<Result>,
): Promise<Result | null> {
  const folder = describeDataFolder(data ?? defaultDataFolder());
  await tellLosses(folder);
  if (!existsSync(folder.store)) {
    tell(`Nothing was recorded in ${folder.path} yet.`);
    return null;
  }
  const worker = startReaderThread(folder.store);
  const calls = new ThreadCalls<ReaderCalls>(worker, "store's reader");
  worker.on('message', (event: ReaderEvent) => {
    calls.settle(event.id, event.type === 'result' ? { output: event.output } : { failure: event.failure });
  });
  const broken = new Promise<never>((_resolve, reject) => worker.once('error', reject));
  try {
    return await Promise.race([work({ folder, read: (name, input) => calls.call(name, input) }), broken]);
  } finally {
    await worker.terminate();
  }
}

/**
 * Chooses sessions, oldest first.
 *
 * @param wanted value of `--session`: a number, a name, `current`; undefined for all but sample traffic
 * @throws CommandError when there is no such session
 */
export async function chooseSessions(store: StoreAccess, wanted: string | undefined): Promise<readonly SessionInfo[]> {
  const { sessions } = await store.read('sessions', {});
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
