import { equalsIgnoreCase, FIELD } from './field-kind.ts';
import { fieldValues, listMembers } from './field-value.ts';
import type { FieldTable } from './message.ts';
import { SPAN } from './section-scanner.ts';

const NONE: readonly string[] = [];
const KEEP_ALIVE: readonly string[] = ['keep-alive'];
const CLOSE: readonly string[] = ['close'];
const KEEP_ALIVE_BYTES = Buffer.from('keep-alive');
const CLOSE_BYTES = Buffer.from('close');

/**
 * What the Connection fields name, in lower case.
 * @param index a Connection field, or -1 when there is none
 * @param count how many Connection fields there are
 * @see RFC 9110 §7.6.1
 */
export function connectionOptions(bytes: Buffer, table: FieldTable, index: number, count: number): readonly string[] {
  if (count === 0) return NONE;
  if (count === 1) {
    const at = index * SPAN.size;
    const start = table.spans[at + SPAN.valueStart] ?? 0;
    const length = (table.spans[at + SPAN.valueEnd] ?? 0) - start;
    if (length === KEEP_ALIVE_BYTES.length && equalsIgnoreCase(bytes, start, KEEP_ALIVE_BYTES)) return KEEP_ALIVE;
    if (length === CLOSE_BYTES.length && equalsIgnoreCase(bytes, start, CLOSE_BYTES)) return CLOSE;
  }
  return listMembers(fieldValues(bytes, table, FIELD.connection))
    .filter((option) => option !== '')
    .map((option) => option.toLowerCase());
}

/** Whether the sender keeps the connection open after this message (RFC 9112 §9.3). */
export function persists(options: readonly string[], minorVersion: 0 | 1): boolean {
  if (options.includes('close')) return false;
  return minorVersion === 1 || options.includes('keep-alive');
}
