import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { blanksAnything, type ExchangeSummary, type ExportFormat, type Redaction } from '#contract';
import { exportHar } from './export-har.ts';
import type { ExportSource } from './export-source.ts';
import { exactSource, exportWeir, type RawReader } from './export-weir.ts';
import { RedactedSource } from './redact/redacted-source.ts';
import type { RedactionTally } from './redact/redaction-tally.ts';

/** A file of exchanges that is about to be written. */
export interface ExportPlan {
  readonly format: ExportFormat;
  readonly redaction: Redaction;
  /** Of Weir. */
  readonly version: string;
}

/**
 * Writes a file piece by piece; no body is ever in memory as a whole, but for those that are searched for values to blank.
 *
 * @param exchanges in the order of the file
 * @param tally learns what leaves when something is blanked
 * @throws ContractError `bad-input` for a JSON path that cannot be read
 */
export function exportPieces(
  source: ExportSource & RawReader,
  exchanges: AsyncIterable<Pick<ExchangeSummary, 'id'>>,
  { format, redaction, version }: ExportPlan,
  tally: RedactionTally,
): AsyncGenerator<string | Buffer> {
  const redacted = blanksAnything(redaction) ? new RedactedSource(source, redaction, tally) : null;
  return format === 'har'
    ? exportHar(redacted ?? source, exchanges, version)
    : packed(exportWeir(redacted ?? exactSource(source), exchanges, version));
}

async function* packed(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const gzip = createGzip();
  const written = pipeline(pieces, gzip);
  // A failure also ends the loop below, which tells it.
  written.catch(() => undefined);
  for await (const bytes of gzip) yield bytes as Buffer;
  await written;
}
