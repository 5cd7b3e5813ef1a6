import { LF } from './characters.ts';
import type { FieldTable } from './message.ts';
import { IRREGULAR, SPAN } from './section-scanner.ts';

/** Value of field `index` as latin1, without outer white space; the lines of an obs-fold are joined by one space. */
export function fieldValue(bytes: Buffer, table: FieldTable, index: number): string {
  const at = index * SPAN.size;
  const value = bytes.toString('latin1', table.spans[at + SPAN.valueStart], table.spans[at + SPAN.valueEnd]);
  return (table.irregular & IRREGULAR.folded) === 0 ? value : unfold(value);
}

/** Joins the lines of a folded value (RFC 9112 §5.2); a value on one line is returned as it is. */
function unfold(value: string): string {
  if (!value.includes('\n')) return value;
  return value
    .split('\n')
    .map((line) => line.replace(/^[ \t]+|[ \t\r]+$/g, ''))
    .filter((line) => line !== '')
    .join(' ');
}

/** Whether field `index` is folded over several lines. */
export function isFolded(bytes: Buffer, table: FieldTable, index: number): boolean {
  const at = index * SPAN.size;
  const lineFeed = bytes.indexOf(LF, table.spans[at + SPAN.valueStart]);
  return lineFeed >= 0 && lineFeed < (table.spans[at + SPAN.valueEnd] ?? 0);
}

/** All values of the fields of that kind, in order. */
export function fieldValues(bytes: Buffer, table: FieldTable, kind: number): string[] {
  const values: string[] = [];
  for (let index = 0; index < table.count; index++) {
    if (table.spans[index * SPAN.size + SPAN.kind] === kind) values.push(fieldValue(bytes, table, index));
  }
  return values;
}

/** Members of a comma-separated list over all those values, trimmed; empty members are kept as empty strings. */
export function listMembers(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',').map((member) => member.replace(/^[ \t]+|[ \t]+$/g, '')));
}
