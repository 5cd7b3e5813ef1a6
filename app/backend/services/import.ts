import { MessageChannel, Worker } from 'node:worker_threads';
import { ContractError, type SessionInfo } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import { endThread } from '../end-thread.ts';
import { ThreadCalls } from '../thread-calls.ts';
import type { CallHandlers } from '../transport/server.ts';
import type { ImportCalls, ImportCommand, ImportEvent, ImportStart } from './import/import-messages.ts';

/** Ids of imports keep this far from those that the engine gives away while it runs. */
const ID_DISTANCE = 1_000_000_000;
/** Imports that are open at once. */
const MOST_IMPORTS = 4;
/** An import that nobody feeds for this long is given up, ms. */
const PATIENCE_MS = 120_000;
/** A piece of a file that takes longer than this to read is not waited for, ms. */
const CLOSE_GRACE_MS = 1_000;

interface OpenImport {
  readonly session: SessionInfo;
  readonly worker: Worker;
  readonly calls: ThreadCalls<ImportCalls>;
  giveUp: NodeJS.Timeout;
}

type ImportCall = 'import.begin' | 'import.write' | 'import.end' | 'import.cancel';

/** Files of exchanges, read into sessions of their own. */
export function createImportCalls(core: BackendCore): Pick<CallHandlers, ImportCall> {
  const { store } = core;
  const open = new Map<number, OpenImport>();
  let nextImport = 1;
  let nextExchange = store.opened.nextExchangeId + ID_DISTANCE;
  let nextConnection = store.opened.nextConnectionId + ID_DISTANCE;
  // One file at a time: only at its end it is known which ids it took.
  let before: Promise<unknown> = Promise.resolve();
  const ends = new Map<number, () => void>();

  async function begin(fileName: string): Promise<number> {
    if (open.size >= MOST_IMPORTS) {
      throw new ContractError('conflict', 'Several files are being imported already. Wait until one is through.');
    }
    const { session } = await store.write('addSession', { name: fileName, sample: false });
    const { port1, port2 } = new MessageChannel();
    store.attach(port2, session.id);
    const extension = import.meta.url.endsWith('.ts') ? './import/import-worker.ts' : './import-worker.js';
    const start: ImportStart = { port: port1, firstExchange: nextExchange, firstConnection: nextConnection };
    const worker = new Worker(new URL(extension, import.meta.url), {
      name: 'import',
      workerData: start,
      transferList: [port1],
    });
    const calls = new ThreadCalls<ImportCalls>(worker, 'import');
    worker.on('message', (event: ImportEvent) => {
      calls.settle(event.id, event.type === 'result' ? { output: event.output } : { failure: event.failure });
    });
    worker.on('error', (error) => {
      core.report(`An import failed: ${error.message}`);
    });
    const id = nextImport++;
    open.set(id, {
      session,
      worker,
      calls,
      giveUp: setTimeout(() => void cancel(id).catch(() => undefined), PATIENCE_MS),
    });
    return id;
  }

  function find(id: number): OpenImport {
    const found = open.get(id);
    if (found === undefined) throw new ContractError('not-found', 'This import has ended. Begin it again.');
    found.giveUp.refresh();
    return found;
  }

  async function close(id: number): Promise<void> {
    const found = open.get(id);
    open.delete(id);
    clearTimeout(found?.giveUp);
    ends.get(id)?.();
    ends.delete(id);
    if (found === undefined) return;
    found.worker.postMessage({ type: 'close' } satisfies ImportCommand);
    await endThread(found.worker, CLOSE_GRACE_MS);
  }

  async function cancel(id: number): Promise<void> {
    const { session } = find(id);
    await close(id);
    await store.write('removeSession', { id: session.id });
  }

  return {
    async 'import.begin'({ fileName }) {
      const turn = before;
      let done = (): void => undefined;
      before = new Promise<void>((resolve) => (done = resolve));
      await turn;
      try {
        const id = await begin(fileName);
        ends.set(id, done);
        return { import: id };
      } catch (error: unknown) {
        done();
        throw error;
      }
    },
    'import.write': ({ import: id, bytes }) => find(id).calls.call('write', { bytes }),
    async 'import.end'({ import: id }) {
      const { session, calls } = find(id);
      try {
        const result = await calls.call('end', null);
        ({ nextExchange, nextConnection } = result);
        await store.write('flush', {});
        for (const { id: row, label, pinned, comment } of result.marks) {
          if (label > 0 || pinned) await store.write('mark', { ids: [row], label, pinned });
          if (comment !== '') await store.write('comment', { id: row, text: comment });
        }
        const { session: ended } = await store.write('endSession', { id: session.id });
        return { ...result.report, session: ended };
      } finally {
        await close(id);
      }
    },
    async 'import.cancel'({ import: id }) {
      await cancel(id);
      return {};
    },
  };
}
