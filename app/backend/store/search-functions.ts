import type { Database } from 'better-sqlite3';
import { decodeWhole } from './decode/decode-whole.ts';
import { contentCodingsOf, parseHead } from './head-fields.ts';
import { fileBytes } from './stored-run.ts';
import type { StoreFolder } from './store-folder.ts';

/** Of each body this many stored, and as many decoded bytes are searched; what comes behind them is not found. */
export const SEARCHED_BODY_BYTES = 1_048_576;

/**
 * Adds what filters need to look into heads and bodies: `weir_heads_contain`, `weir_header_contains` and
 * `weir_body_contains`. There is no index: each row that is asked about is read. Letters compare without regard to case.
 */
export function registerSearchFunctions(database: Database, folder: StoreFolder): void {
  const options = { deterministic: true };
  database.function('weir_heads_contain', options, (text: string, request: Buffer, response: Buffer | null) => {
    const wanted = bytesAsText(Buffer.from(text, 'utf8'));
    return contains(request, wanted) || (response !== null && contains(response, wanted)) ? 1 : 0;
  });
  database.function(
    'weir_header_contains',
    options,
    (name: string, value: string, request: Buffer, response: Buffer | null) =>
      hasField(request, name, value) || (response !== null && hasField(response, name, value)) ? 1 : 0,
  );
  database.function(
    'weir_body_contains',
    options,
    (text: string, head: Buffer | null, inline: Buffer | null, hash: Buffer | null) => {
      const stored = inline ?? (hash === null ? null : readSegment(folder, hash));
      if (stored === null || stored.length === 0) return 0;
      const codings = head === null ? [] : contentCodingsOf(parseHead(head).headers);
      const { bytes } = decodeWhole(stored, codings, SEARCHED_BODY_BYTES);
      return contains(bytes, bytesAsText(Buffer.from(text, 'utf8'))) ? 1 : 0;
    },
  );
}

function hasField(head: Buffer, lowerName: string, value: string): boolean {
  const wanted = bytesAsText(Buffer.from(value, 'utf8'));
  return parseHead(head).headers.some(
    ([name, text]) => name.toLowerCase() === lowerName && text.toLowerCase().includes(wanted),
  );
}

function readSegment(folder: StoreFolder, hash: Buffer): Buffer | null {
  const file = fileBytes(folder.segment(hash));
  if (file === null) return null;
  try {
    return file.read(0, Math.min(file.length, SEARCHED_BODY_BYTES));
  } finally {
    file.close();
  }
}

function contains(bytes: Buffer, wanted: string): boolean {
  return bytesAsText(bytes).includes(wanted);
}

/** One character a byte, so that UTF-8, latin1 and binary all compare; only the case of letters is levelled. */
function bytesAsText(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}
