import type { Database } from 'better-sqlite3';
import { bodySearchText, searchText, wantedText } from './search-text.ts';
import type { StoreFolder } from './store-folder.ts';

/**
 * Adds what filters need to look into heads and bodies: `weir_heads_contain`, `weir_header_contains`, `weir_body_contains`,
 * and `weir_has_words` for texts. Each row that is asked about is read. Letters compare without regard to case.
 */
export function registerSearchFunctions(database: Database, folder: StoreFolder): void {
  const options = { deterministic: true };
  database.function('weir_has_words', options, (text: string, searched: string) =>
    hasWords(wantedText(searched), wantedText(text)) ? 1 : 0,
  );
  database.function(
    'weir_heads_contain',
    options,
    (text: string, whole: number, request: Buffer, response: Buffer | null) => {
      const wanted = wantedText(text);
      const found = (bytes: Buffer): boolean => contains(searchText(bytes), wanted, whole !== 0);
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
      return contains(bodySearchText(folder, head, inline, hash), wantedText(text), whole !== 0) ? 1 : 0;
    },
  );
}

/** Looks for the field's lines in the text of the head; taking it apart would cost ten times as much. */
function hasField(head: Buffer, lowerName: string, value: string): boolean {
  const text = searchText(head);
  const wanted = wantedText(value);
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

function contains(text: string, wanted: string, whole: boolean): boolean {
  return whole ? hasWords(text, wanted) : text.includes(wanted);
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
