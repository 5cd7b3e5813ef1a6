import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { blanksAnything, NO_REDACTION, USUAL_REDACTION, type ExchangeSummary, type Redaction } from '#contract';
import { readVersion } from '../../backend/place.ts';
import { exportCurl } from '../../backend/store/export-curl.ts';
import { exportPieces } from '../../backend/store/export-pieces.ts';
import type { ExportSource } from '../../backend/store/export-source.ts';
import { previewExport } from '../../backend/store/redact/preview-export.ts';
import { readJsonPaths } from '../../backend/store/redact/redact-body.ts';
import { RedactedSource } from '../../backend/store/redact/redacted-source.ts';
import { RedactionTally } from '../../backend/store/redact/redaction-tally.ts';
import { parseArguments, parseChoice } from '../arguments.ts';
import { print, tell } from '../output.ts';
import { readExchanges } from '../read-exchanges.ts';
import { redactionLines, reportLines } from '../redaction-report.ts';
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
    redact: { type: 'boolean', default: false },
    'redact-header': { type: 'string', multiple: true, default: [] },
    'redact-cookie': { type: 'string', multiple: true, default: [] },
    'redact-param': { type: 'string', multiple: true, default: [] },
    'redact-json': { type: 'string', multiple: true, default: [] },
    preview: { type: 'boolean', default: false },
  });
  if (values.format === undefined) throw new UsageError('--format is missing: har, weir or curl.');
  const format = parseChoice('--format', values.format, ['har', 'weir', 'curl']);
  const redaction = readRedaction(values);
  const done = await withStore(values.data, async (store) => {
    const tally = new RedactionTally();
    const source = new RedactedSource(store, redaction, tally);
    const pages = readExchanges(store, chooseSessions(store, values.session), values.filter, null);
    // The first page is read before anything is written: a filter that is wrong leaves no file.
    const exchanges = flatten(await startedEarly(pages));
    if (values.preview) {
      await previewExport(source, exchanges, redaction.jsonPaths.length > 0);
      await print(`${reportLines(tally.report()).join('\n')}\n`);
      return true;
    }
    const pieces =
      format === 'curl'
        ? curlCommands(blanksAnything(redaction) ? source : store, exchanges)
        : exportPieces(store, exchanges, { format, redaction, version: readVersion() }, tally);
    if (values.output === undefined) for await (const piece of pieces) await print(piece);
    else await writePieces(values.output, pieces);
    if (blanksAnything(redaction)) for (const line of redactionLines(tally.report())) tell(line);
    return true;
  });
  return done === null ? 1 : 0;
}

interface RedactionOptions {
  readonly redact: boolean;
  readonly 'redact-header': readonly string[];
  readonly 'redact-cookie': readonly string[];
  readonly 'redact-param': readonly string[];
  readonly 'redact-json': readonly string[];
}

/** @throws UsageError for a JSON path that cannot be read */
function readRedaction(options: RedactionOptions): Redaction {
  const usual = options.redact ? USUAL_REDACTION : NO_REDACTION;
  const jsonPaths = options['redact-json'];
  const read = readJsonPaths(jsonPaths);
  if ('wrong' in read) {
    const examples = '$.user.token, $..password or items[*].id';
    throw new UsageError(`--redact-json ${JSON.stringify(read.wrong)} is no path. Write one like ${examples}.`);
  }
  return {
    headers: [...usual.headers, ...options['redact-header']],
    cookies: [...usual.cookies, ...options['redact-cookie']],
    parameters: [...usual.parameters, ...options['redact-param']],
    jsonPaths: [...usual.jsonPaths, ...jsonPaths],
  };
}

async function* curlCommands(source: ExportSource, exchanges: AsyncIterable<ExchangeSummary>): AsyncGenerator<string> {
  for await (const { id, kind } of exchanges) {
    if (kind === 'http') yield `${await exportCurl(source, id)}\n`;
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
