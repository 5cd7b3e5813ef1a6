import { ContractError, MAX_WINDOW_BYTES } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import { readVersion } from '../place.ts';
import { exportHar } from '../store/export-har.ts';
import type { CallHandlers } from '../transport/server.ts';

/** Exports that are open at once; the one that was read longest ago ends first. */
const MOST_EXPORTS = 4;

/** Files that a page fetches in pieces, since one piece must never be as large as a body can be. */
export function createExportCalls({
  store,
}: BackendCore): Pick<CallHandlers, 'exchanges.exportHar' | 'exchanges.readExport'> {
  const open = new Map<number, AsyncGenerator<string>>();
  let nextId = 1;
  const source = {
    get: (id: number) => store.read('get', { id }),
    readBody: (input: Parameters<typeof store.read<'readBody'>>[1]) => store.read('readBody', input),
    messagePage: (input: Parameters<typeof store.read<'messagePage'>>[1]) => store.read('messagePage', input),
    messageRead: (input: Parameters<typeof store.read<'messageRead'>>[1]) => store.read('messageRead', input),
  };
  return {
    'exchanges.exportHar'({ ids }) {
      const id = nextId++;
      open.set(id, exportHar(source, rowsOf(ids), readVersion()));
      const [oldest] = open.keys();
      if (open.size > MOST_EXPORTS && oldest !== undefined) open.delete(oldest);
      return { export: id };
    },
    async 'exchanges.readExport'({ export: id }) {
      const pieces = open.get(id);
      if (pieces === undefined) throw new ContractError('not-found', 'This export has ended. Begin it again.');
      // Read last, so ended last.
      open.delete(id);
      open.set(id, pieces);
      let text = '';
      while (text.length < MAX_WINDOW_BYTES) {
        const next = await pieces.next();
        if (next.done === true) {
          open.delete(id);
          return { text, done: true };
        }
        text += next.value;
      }
      return { text, done: false };
    },
  };
}

async function* rowsOf(ids: readonly number[]): AsyncGenerator<{ readonly id: number }> {
  yield* ids.map((id) => ({ id }));
}
