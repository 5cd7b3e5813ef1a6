import type { JsonTable } from './json-index.ts';
import { valueAt } from './json-path.ts';

/** Matches that are kept at most; past it the count says "1,000+". */
export const MOST_MATCHES = 1_000;

/**
 * Values whose name, text or digits contain a text, in order, each once; containers count where their own line has it.
 * Escapes are compared as they were sent.
 */
export function searchJson(text: string, table: JsonTable, wanted: string): readonly number[] {
  if (wanted === '') return [];
  const pattern = new RegExp(wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'gi');
  const found: number[] = [];
  for (const match of text.matchAll(pattern)) {
    const value = valueAt(table, match.index);
    if (value >= 0 && found.at(-1) !== value) found.push(value);
    if (found.length >= MOST_MATCHES) break;
  }
  return found;
}
