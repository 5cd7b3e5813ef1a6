import type { Database } from 'better-sqlite3';
import { decodeWhole } from './decode/decode-whole.ts';
import { contentCodingsOf, parseHead } from './head-fields.ts';
import { fileBytes } from './stored-run.ts';
import type { StoreFolder } from './store-folder.ts';

/** Of each body this many stored, and as many decoded bytes are searched; what comes behind them is not found. */
const SEARCHED_BODY_BYTES = 1_048_576;

/**
 * Adds what filters need to look into heads and bodies: `weir_heads_contain`, `weir_header_contains`, `weir_body_contains`,
 * and `weir_has_words` for texts. Each row that is asked about is read. Letters compare without regard to case.
 */
export function registerSearchFunctions(database: Database, folder: StoreFolder): void {
  const options = { deterministic: true };
  database.function('weir_has_words', options, (text: string, searched: string) =>
    hasWords(bytesAsText(Buffer.from(searched, 'utf8')), bytesAsText(Buffer.from(text, 'utf8'))) ? 1 : 0,
  );
  database.function(
    'weir_heads_contain',
    options,
    (text: string, whole: number, request: Buffer, response: Buffer | null) => {
      const wanted = bytesAsText(Buffer.from(text, 'utf8'));
      const found = (bytes: Buffer): boolean => contains(bytes, wanted, whole !== 0);
      return found(request) || (response !== null && found(response)) ? 1 : 0;
    },
  );
  database.function(
    'weir_header_contains',
    options,
    (name: string, value: string, request: Buffer, response: Buffer | null) =>
      hasField(request, name, value) || (response !== null && hasField(response, name, value)) ? 1 : 0,
  );
  database.function(
    'weir_body_contains',
    options,
    (text: string, whole: number, head: Buffer | null, inline: Buffer | null, hash: Buffer | null) => {
      const stored = inline ?? (hash === null ? null : readSegment(folder, hash));
      if (stored === null || stored.length === 0) return 0;
      const codings =
        head === null || !hasField(head, 'content-encoding', '') ? [] : contentCodingsOf(parseHead(head).headers);
      const { bytes } = decodeWhole(stored, codings, SEARCHED_BODY_BYTES);
      return contains(bytes, bytesAsText(Buffer.from(text, 'utf8')), whole !== 0) ? 1 : 0;
    },
  );
}

/** Looks for the field's lines in the text of the head; taking it apart would cost ten times as much. */
function hasField(head: Buffer, lowerName: string, value: string): boolean {
  const text = bytesAsText(head);
  const wanted = bytesAsText(Buffer.from(value, 'utf8'));
  for (let at = text.indexOf(`\n${lowerName}`); at >= 0; at = text.indexOf(`\n${lowerName}`, at + 1)) {
    const colon = text.indexOf(':', at);
    // White space before the colon was tolerated on the way; a longer name is another field.
    if (colon < 0 || text.slice(at + 1, colon).trimEnd() !== lowerName) continue;
    if (text.slice(colon + 1, endOfField(text, colon)).includes(wanted)) return true;
  }
  return false;
}

/** A line that begins with white space goes on with the field before it (RFC 9112 §5.2). */
function endOfField(text: string, start: number): number {
  let end = text.indexOf('\n', start);
  while (end >= 0 && (text[end + 1] === ' ' || text[end + 1] === '\t')) end = text.indexOf('\n', end + 1);
  return end < 0 ? text.length : end;
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

function contains(bytes: Buffer, wanted: string, whole: boolean): boolean {
  return whole ? hasWords(bytesAsText(bytes), wanted) : bytesAsText(bytes).includes(wanted);
}

/** Whether the words stand there with no letter, digit or part of one right before or behind them. */
function hasWords(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!isWordCharacter(text.charCodeAt(at - 1)) && !isWordCharacter(text.charCodeAt(at + wanted.length))) return true;
  }
  return false;
}

/** Letters, digits, the underscore, and every byte of a character beyond ASCII. */
function isWordCharacter(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || code >= 0x80;
}

/** One character a byte, so that UTF-8, latin1 and binary all compare; only the case of letters is levelled. */
function bytesAsText(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}
