import {
  ContractError,
  MAX_PAGE_ROWS,
  MAX_WINDOW_BYTES,
  type ExchangePage,
  type ExportChoice,
  type ExportOrder,
} from '#contract';
import type { BackendCore } from '../backend-core.ts';
import { readVersion } from '../place.ts';
import { exportPieces } from '../store/export-pieces.ts';
import type { ExportSource } from '../store/export-source.ts';
import type { RawReader } from '../store/export-weir.ts';
import { previewExport } from '../store/redact/preview-export.ts';
import { RedactedSource } from '../store/redact/redacted-source.ts';
import { RedactionTally } from '../store/redact/redaction-tally.ts';
import type { CallHandlers, StreamHandlers } from '../transport/server.ts';

/** Exports that are open at once; the one that was read longest ago ends first. */
const MOST_EXPORTS = 4;
/** A preview is told this often, ms. */
const TOLD_EVERY_MS = 200;

interface OpenExport {
  readonly pieces: AsyncGenerator<string | Buffer>;
  /** Exchanges that were handed to the file so far. */
  readonly begun: () => number;
}

function sourceOf({ store }: BackendCore): ExportSource & RawReader {
  return {
    get: (id) => store.read('get', { id }),
    readBody: (input) => store.read('readBody', input),
    readRaw: (input) => store.read('readRaw', input),
    messagePage: (input) => store.read('messagePage', input),
    messageRead: (input) => store.read('messageRead', input),
  };
}

/** Files that a page fetches in pieces, since one piece must never be as large as a body can be. */
export function createExportCalls(
  core: BackendCore,
): Pick<CallHandlers, 'export.begin' | 'export.read' | 'export.cancel'> {
  const open = new Map<number, OpenExport>();
  const source = sourceOf(core);
  let nextId = 1;
  return {
    async 'export.begin'({ choice, format, redaction }, { signal }) {
      const id = nextId++;
      let begun = 0;
      const total = await countOf(core, choice, signal);
      const rows = rowsOf(core, choice, total, () => (begun += 1));
      const plan = { format, redaction, version: readVersion() };
      open.set(id, { pieces: exportPieces(source, rows, plan, new RedactionTally()), begun: () => begun });
      const [oldest] = open.keys();
      if (open.size > MOST_EXPORTS && oldest !== undefined) open.delete(oldest);
      return { export: id, total };
    },
    async 'export.read'({ export: id }) {
      const found = open.get(id);
      if (found === undefined) throw new ContractError('not-found', 'This export has ended. Begin it again.');
      // Read last, so ended last.
      open.delete(id);
      open.set(id, found);
      const { bytes, done } = await nextBytes(found.pieces);
      if (done) open.delete(id);
      return { bytes, exchanges: found.begun(), done };
    },
    async 'export.cancel'({ export: id }) {
      const found = open.get(id);
      open.delete(id);
      await found?.pieces.return(undefined);
      return {};
    },
  };
}

/** Previews, each as long as its stream is open. */
export function createExportStreams(core: BackendCore): Pick<StreamHandlers, 'export.preview'> {
  return {
    'export.preview'(order, sink, { signal }) {
      const tally = new RedactionTally();
      const look = async (): Promise<void> => {
        const total = await countOf(core, order.choice, signal);
        const tell = (done: boolean): void => {
          sink.push({ report: tally.report(), total, done });
        };
        await preview(core, order, total, tally, tell, signal);
        tell(true);
      };
      look().then(
        () => {
          sink.end();
        },
        (error: unknown) => {
          const failure = error instanceof ContractError ? error : new ContractError('internal', String(error));
          sink.end(failure.toFailure());
        },
      );
    },
  };
}

async function preview(
  core: BackendCore,
  { choice, redaction }: ExportOrder,
  total: number,
  tally: RedactionTally,
  tell: (done: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  const source = new RedactedSource(sourceOf(core), redaction, tally);
  let told = performance.now();
  const step = (): void => {
    const now = performance.now();
    if (now - told < TOLD_EVERY_MS) return;
    told = now;
    tell(false);
  };
  await previewExport(source, rowsOf(core, choice, total), redaction.jsonPaths.length > 0, step, signal);
}

/** At least as many bytes as one window has, until the end. */
async function nextBytes(pieces: AsyncGenerator<string | Buffer>): Promise<{ bytes: Uint8Array; done: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length < MAX_WINDOW_BYTES) {
    const next = await pieces.next();
    if (next.done === true) return { bytes: joined(parts), done: true };
    const part = Buffer.from(next.value);
    parts.push(part);
    length += part.length;
  }
  return { bytes: joined(parts), done: false };
}

/** In memory of its own, which a frame may take along. */
function joined(parts: readonly Buffer[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** @throws ContractError `bad-filter`, `cancelled` */
async function countOf({ store }: BackendCore, choice: ExportChoice, signal: AbortSignal): Promise<number> {
  return 'ids' in choice ? choice.ids.length : (await store.read('count', choice, signal)).count;
}

/** At most `total` exchanges in the order of the file, so that traffic that goes on does not keep it from its end. */
async function* rowsOf(
  core: BackendCore,
  choice: ExportChoice,
  total: number,
  begin: () => void = () => undefined,
): AsyncGenerator<{ readonly id: number }> {
  let left = total;
  for await (const rows of 'ids' in choice ? [choice.ids.map((id) => ({ id }))] : pagesOf(core, choice)) {
    for (const { id } of rows.slice(0, left)) {
      begin();
      yield { id };
    }
    left -= rows.length;
    if (left <= 0) return;
  }
}

async function* pagesOf(
  { store }: BackendCore,
  { session, filter }: Exclude<ExportChoice, { ids: unknown }>,
): AsyncGenerator<readonly { readonly id: number }[]> {
  let after: string | null = null;
  do {
    const query = { session, filter, sort: 'time', descending: false, after, limit: MAX_PAGE_ROWS } as const;
    const page: ExchangePage = await store.read('query', query);
    yield page.rows;
    after = page.next;
  } while (after !== null);
}
