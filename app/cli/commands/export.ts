import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ExchangeSummary } from '#contract';
import { readVersion } from '../../backend/place.ts';
import { exportCurl } from '../../backend/store/export-curl.ts';
import { exportHar } from '../../backend/store/export-har.ts';
import { exportWeir } from '../../backend/store/export-weir.ts';
import type { StoreReader } from '../../backend/store/store-reader.ts';
import { parseArguments, parseChoice } from '../arguments.ts';
import { print } from '../output.ts';
import { readExchanges } from '../read-exchanges.ts';
import { chooseSessions, withStore } from '../store-access.ts';
import { CommandError, UsageError } from '../usage.ts';

/** `weir export` */
export async function exportExchanges(args: readonly string[]): Promise<number> {
  const { values } = parseArguments(args, {
    data: { type: 'string' },
    session: { type: 'string' },
    filter: { type: 'string', default: '' },
    format: { type: 'string' },
    output: { type: 'string', short: 'o' },
  });
  if (values.format === undefined) throw new UsageError('--format is missing: har, weir or curl.');
  const format = parseChoice('--format', values.format, ['har', 'weir', 'curl']);
  const done = await withStore(values.data, async (store) => {
    const pages = readExchanges(store, chooseSessions(store, values.session), values.filter, null);
    // The first page is read before anything is written: a filter that is wrong leaves no file.
    const exchanges = flatten(await startedEarly(pages));
    const pieces = piecesOf(format, store, exchanges);
    if (values.output === undefined) for await (const piece of pieces) await print(piece);
    else await writePieces(values.output, pieces);
    return true;
  });
  return done === null ? 1 : 0;
}

function piecesOf(
  format: 'har' | 'weir' | 'curl',
  store: StoreReader,
  exchanges: AsyncIterable<ExchangeSummary>,
): AsyncIterable<string | Buffer> {
  switch (format) {
    case 'har':
      return exportHar(store, exchanges, readVersion());
    case 'weir':
      return packed(exportWeir(store, exchanges, readVersion()));
    case 'curl':
      return curlCommands(store, exchanges);
  }
}

async function* packed(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const gzip = createGzip();
  const written = pipeline(pieces, gzip);
  // A failure also ends the loop below, which tells it.
  written.catch(() => undefined);
  for await (const bytes of gzip) yield bytes as Buffer;
  await written;
}

async function* curlCommands(store: StoreReader, exchanges: AsyncIterable<ExchangeSummary>): AsyncGenerator<string> {
  for await (const { id, kind } of exchanges) {
    if (kind === 'http') yield `${await exportCurl(store, id)}\n`;
  }
}

/** Runs a generator up to its first item. */
async function startedEarly<Item>(items: AsyncGenerator<Item>): Promise<AsyncGenerator<Item>> {
  const first = await items.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* items;
  })();
}

async function* flatten<Item>(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<Item> {
  for await (const page of pages) yield* page;
}

/** Writes a file that only the user can read. */
async function writePieces(path: string, pieces: AsyncIterable<string | Buffer>): Promise<void> {
  try {
    await pipeline(pieces, createWriteStream(path, { mode: 0o600 }));
  } catch (error: unknown) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CommandError(`${path} cannot be written: ${error.message}`, { cause: error });
  }
}
