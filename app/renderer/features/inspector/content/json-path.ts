import { kindAt, stringEnd } from './json-index.ts';
import type { JsonTable } from './json-index.ts';
import { prettyJson } from './pretty-json.ts';

/** Members of this form need no brackets in a path (RFC 9535 §2.5.1.1, less what is not ASCII). */
const SHORTHAND = /^[A-Za-z_]\w*$/;

/**
 * The path of a value as JSONPath (RFC 9535): `$.items[0]['unit price']`. Lines of NDJSON count as the items of a list.
 * @param value a position in the table
 */
export function jsonPath(text: string, table: JsonTable, value: number): string {
  const steps: string[] = [];
  for (let at = value; at >= 0; at = table.parents[at] ?? -1) {
    const isTop = (table.parents[at] ?? -1) < 0;
    if (isTop && table.roots < 2) break;
    steps.push(stepOf(text, table, at));
  }
  return `$${steps.reverse().join('')}`;
}

function stepOf(text: string, table: JsonTable, value: number): string {
  const name = keyOf(text, table, value);
  if (name === null) return `[${String(table.places[value] ?? 0)}]`;
  if (SHORTHAND.test(name)) return `.${name}`;
  const quoted = JSON.stringify(name)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`);
  return `['${quoted}']`;
}

/** The name of a member; null for items of a list and for what stands at the top. */
export function keyOf(text: string, table: JsonTable, value: number): string | null {
  const start = table.keys[value] ?? -1;
  return start < 0 ? null : stringText(text.slice(start, stringEnd(text, start, text.length)));
}

/** What a quoted string says; one that is damaged or cut stands as it came. */
function stringText(quoted: string): string {
  try {
    const value: unknown = JSON.parse(quoted);
    if (typeof value === 'string') return value;
  } catch {
    // As it came, below.
  }
  return quoted.replace(/^"/, '').replace(/"$/, '');
}

/** A value for the clipboard: a string's content, a container laid out, others as they were sent. */
export function copiedValue(text: string, table: JsonTable, value: number): string {
  const source = text.slice(table.starts[value], table.ends[value]);
  switch (kindAt(table, value)) {
    case 'string':
      return stringText(source);
    case 'object':
    case 'array':
      return prettyJson(source);
    default:
      return source;
  }
}

/**
 * The innermost value at a place of the text, its name counted in.
 * @param offset UTF-16 units
 * @returns a position in the table; -1 outside of all values
 */
export function valueAt(table: JsonTable, offset: number): number {
  let low = 0;
  let high = table.count;
  // Values stand in the order of their beginnings.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (beginningOf(table, middle) <= offset) low = middle + 1;
    else high = middle;
  }
  let value = low - 1;
  while (value >= 0 && (table.ends[value] ?? 0) < offset) value = table.parents[value] ?? -1;
  return value;
}

function beginningOf(table: JsonTable, value: number): number {
  const key = table.keys[value] ?? -1;
  return key < 0 ? (table.starts[value] ?? 0) : key;
}
