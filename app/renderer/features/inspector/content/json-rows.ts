import { kindAt, stringEnd } from './json-index.ts';
import type { JsonKind, JsonTable } from './json-index.ts';

/** A text with fewer values opens unfolded. */
const FEW_VALUES = 200;
/** Beyond it only the way to the first container with several values opens. */
const MOST_OPENED_AT_FIRST = 64;
/** Longest value in a row, UTF-16 units. */
const MOST_IN_ROW = 300;
/** Longest glimpse into a folded container, UTF-16 units. */
const MOST_GLIMPSE = 80;

/** Which values of a table are folded; 1 for a folded one. */
export type Folds = Uint8Array<ArrayBuffer>;

/** Folds of a table that is shown for the first time: few values stand open, of many the top alone. */
export function firstFolds(table: JsonTable): Folds {
  const folds = new Uint8Array(table.count);
  if (table.count <= FEW_VALUES) return folds;
  folds.fill(1);
  // A wrapper with one member says little: what it holds opens with it.
  let value = 0;
  for (let opened = 0; opened < MOST_OPENED_AT_FIRST && value < table.count; opened += 1) {
    if (table.roots > 1 && (table.depths[value] ?? 0) === 0) break;
    folds[value] = 0;
    if (table.sizes[value] !== 1) break;
    value += 1;
  }
  return folds;
}

/** The folds of a longer reading of the same text: what was shown stays as it was, the rest is folded. */
export function carriedFolds(folds: Folds, table: JsonTable): Folds {
  const carried = new Uint8Array(table.count).fill(1);
  carried.set(folds.subarray(0, table.count));
  return carried;
}

/** Values that have a row, in order: all but those within folded ones. */
export function rowsOf(table: JsonTable, folds: Folds): Int32Array<ArrayBuffer> {
  const { count, afters } = table;
  const rows = new Int32Array(count);
  let length = 0;
  for (let value = 0; value < count;) {
    rows[length] = value;
    length += 1;
    value = folds[value] === 1 ? (afters[value] ?? value + 1) : value + 1;
  }
  return rows.subarray(0, length);
}

/** The row of a value, or of the folded value that it stands in. */
export function rowOf(rows: Int32Array, value: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** One piece of a row that is drawn in the colour of its kind. */
export interface RowPart {
  readonly text: string;
  readonly kind: JsonKind | 'key' | 'mark';
}

/** What stands behind the name in a row: the value, or a glimpse into a container. */
export function valueParts(text: string, table: JsonTable, value: number, folded: boolean): readonly RowPart[] {
  const kind = kindAt(table, value);
  const size = table.sizes[value] ?? 0;
  if (kind !== 'object' && kind !== 'array') return [scalarPart(text, table, value, MOST_IN_ROW)];
  const [open, close] = kind === 'object' ? ['{', '}'] : ['[', ']'];
  if (size === 0) return [{ text: open + close, kind: 'mark' }];
  if (!folded) return [{ text: open, kind: 'mark' }];
  const parts: RowPart[] = [{ text: `${open} `, kind: 'mark' }];
  let length = 0;
  const after = table.afters[value] ?? 0;
  for (let child = value + 1; child < after; child = table.afters[child] ?? after) {
    if (child > value + 1) parts.push({ text: ', ', kind: 'mark' });
    if (length > MOST_GLIMPSE) {
      parts.push({ text: '…', kind: 'mark' });
      break;
    }
    const name = keyText(text, table, child);
    if (name !== null) parts.push({ text: name, kind: 'key' }, { text: ': ', kind: 'mark' });
    const part = glimpse(text, table, child);
    parts.push(part);
    length += part.text.length + (name?.length ?? 0) + 2;
  }
  parts.push({ text: ` ${close}`, kind: 'mark' });
  return parts;
}

function glimpse(text: string, table: JsonTable, value: number): RowPart {
  const kind = kindAt(table, value);
  if (kind === 'object') return { text: table.sizes[value] === 0 ? '{}' : '{…}', kind: 'mark' };
  if (kind !== 'array') return scalarPart(text, table, value, 40);
  const size = table.sizes[value] ?? 0;
  return { text: size === 0 ? '[]' : `[${String(size)}]`, kind: 'mark' };
}

function scalarPart(text: string, table: JsonTable, value: number, most: number): RowPart {
  const start = table.starts[value] ?? 0;
  const end = table.ends[value] ?? 0;
  const shown = text.slice(start, Math.min(end, start + most));
  return { text: end - start > most ? `${shown}…` : shown, kind: kindAt(table, value) };
}

/** A name without its quotes, its escapes as they came; null for what has none. */
export function keyText(text: string, table: JsonTable, value: number): string | null {
  const start = table.keys[value] ?? -1;
  if (start < 0) return null;
  const end = stringEnd(text, start, Math.min(text.length, start + MOST_IN_ROW)) - 1;
  return text.slice(start + 1, end);
}
