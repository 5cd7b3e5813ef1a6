/** What a value of an index is; `broken` is a line of NDJSON that is no JSON. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'broken';

const KINDS: readonly JsonKind[] = ['object', 'array', 'string', 'number', 'boolean', 'null', 'broken'];

/** What was wrong where the reading of a text stopped. */
export type JsonFault = 'value' | 'key' | 'colon' | 'comma' | 'close' | 'ended' | 'after';

/** Whether a text is one value, or one a line. */
export type JsonForm = 'json' | 'ndjson';

/**
 * Where each value of a JSON text stands, in the order of the text: a table of numbers, since objects for a million values
 * would need hundreds of megabytes. Offsets are UTF-16 units of the text.
 */
export interface JsonTable {
  readonly count: number;
  /** Positions in the list of kinds. */
  readonly kinds: Uint8Array;
  /** Where the name of a member begins, at its quote; -1 without a name. */
  readonly keys: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The container that a value stands in; -1 at the top. */
  readonly parents: Int32Array;
  /** The value after the last one within a container; the next value for others. */
  readonly afters: Int32Array;
  /** Place among the values of its container, from 0. */
  readonly places: Int32Array;
  /** Values in a container. */
  readonly sizes: Int32Array;
  readonly depths: Int32Array;
  /** Values at the top. */
  readonly roots: number;
  /** Where the text stopped being JSON; null when all of it is. */
  readonly fault: { readonly at: number; readonly what: JsonFault } | null;
  /** There are more values than the table takes. */
  readonly full: boolean;
}

/** Values that are taken at most: some 35 MB of numbers. */
const MOST_VALUES = 1_000_000;

const OBJECT = 0;
const ARRAY = 1;
const STRING = 2;
const NUMBER = 3;
const BOOLEAN = 4;
const NULL = 5;
const BROKEN = 6;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const NUMBER_TEXT = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: readonly (readonly [word: string, kind: number])[] = [
  ['true', BOOLEAN],
  ['false', BOOLEAN],
  ['null', NULL],
];

/** The kind of a value of the table. */
export function kindAt(table: JsonTable, value: number): JsonKind {
  return KINDS[table.kinds[value] ?? 0] ?? 'broken';
}

/**
 * Finds the values of a JSON text (RFC 8259), however deep it is nested, without recursion. A text that is damaged or cut is
 * taken as far as it goes; of NDJSON a damaged line alone is lost.
 *
 * @param most values to take
 */
export function indexJson(text: string, form: JsonForm, most = MOST_VALUES): JsonTable {
  const builder = new TableBuilder(most);
  if (form === 'ndjson') return builder.table(indexLines(builder, text));
  const from = text.startsWith('\ufeff') ? 1 : 0;
  const { at, what } = indexValue(builder, text, from, text.length);
  if (what !== null) return builder.table({ at, what });
  const rest = skipSpace(text, at, text.length);
  return builder.table(rest < text.length && !builder.full ? { at: rest, what: 'after' } : null);
}

/** Each line is a value; a record separator may stand before it (RFC 7464 §2.2). */
function indexLines(builder: TableBuilder, text: string): JsonTable['fault'] {
  let fault: JsonTable['fault'] = null;
  for (let from = 0; from < text.length && !builder.full;) {
    const feed = text.indexOf('\n', from);
    const end = feed < 0 ? text.length : feed;
    const start = skipSpace(
      text,
      text.charCodeAt(from) === 0x1e || text.charCodeAt(from) === 0xfeff ? from + 1 : from,
      end,
    );
    if (start < end) {
      const before = builder.count;
      const { at, what } = indexValue(builder, text, start, end);
      const isBroken = what !== null || (!builder.full && skipSpace(text, at, end) < end);
      if (isBroken) {
        builder.takeBack(before);
        builder.close(builder.add(BROKEN, -1, start, -1), end);
        fault ??= { at, what: what ?? 'after' };
      }
    }
    from = end + 1;
  }
  return fault;
}

interface Reached {
  readonly at: number;
  /** Null when the value is whole, or when the table is full. */
  readonly what: JsonFault | null;
}

type Expected = 'value' | 'first' | 'key' | 'next';

/** Takes one value and all within it; what is open where the text fails ends there. */
function indexValue(builder: TableBuilder, text: string, from: number, end: number): Reached {
  let open = -1;
  let key = -1;
  let expected: Expected = 'value';
  let at = from;

  const fail = (what: JsonFault): Reached => {
    for (; open >= 0; open = builder.parentOf(open)) builder.close(open, at);
    return { at, what: builder.full ? null : what };
  };

  for (;;) {
    at = skipSpace(text, at, end);
    if (at >= end) return fail('ended');
    const code = text.charCodeAt(at);
    if (expected === 'next' && code === COMMA) {
      expected = builder.isObject(open) ? 'key' : 'value';
      at += 1;
      continue;
    }
    if ((expected === 'next' || expected === 'first') && code === (builder.isObject(open) ? 0x7d : 0x5d)) {
      at += 1;
      builder.close(open, at);
      open = builder.parentOf(open);
      if (open < 0) return { at, what: null };
      expected = 'next';
      continue;
    }
    if (expected === 'next') return fail(code === 0x7d || code === 0x5d ? 'close' : 'comma');
    if (expected === 'first') expected = builder.isObject(open) ? 'key' : 'value';
    if (expected === 'key') {
      if (code !== QUOTE) return fail('key');
      key = at;
      at = skipSpace(text, stringEnd(text, at, end), end);
      if (at >= end) return fail('ended');
      if (text.charCodeAt(at) !== COLON) return fail('colon');
      at += 1;
      expected = 'value';
      continue;
    }
    if (builder.full) return fail('ended');
    if (code === 0x7b || code === 0x5b) {
      open = builder.add(code === 0x7b ? OBJECT : ARRAY, key, at, open);
      at += 1;
      expected = 'first';
    } else {
      const scalar = scalarAt(text, at, end);
      if (scalar === null) return fail('value');
      builder.close(builder.add(scalar.kind, key, at, open), scalar.end);
      at = scalar.end;
      if (scalar.cut) return fail('ended');
      if (open < 0) return { at, what: null };
      expected = 'next';
    }
    key = -1;
  }
}

function scalarAt(
  text: string,
  at: number,
  end: number,
): { readonly kind: number; readonly end: number; readonly cut: boolean } | null {
  if (text.charCodeAt(at) === QUOTE) {
    const stop = stringEnd(text, at, end);
    return { kind: STRING, end: stop, cut: stop >= end && (stop - at < 2 || !isClosed(text, at, stop)) };
  }
  for (const [word, kind] of WORDS) {
    if (text.startsWith(word, at)) return { kind, end: at + word.length, cut: false };
  }
  NUMBER_TEXT.lastIndex = at;
  const match = NUMBER_TEXT.exec(text);
  return match === null ? null : { kind: NUMBER, end: at + match[0].length, cut: false };
}

/** Where a string ends that begins with the quote at `at`: behind its closing quote, or at `end`. */
export function stringEnd(text: string, at: number, end: number): number {
  let stop = at + 1;
  while (stop < end) {
    const code = text.charCodeAt(stop);
    if (code === QUOTE) return stop + 1;
    stop += code === 0x5c ? 2 : 1;
  }
  return end;
}

/** Whether the string ends with a quote that is not escaped. */
function isClosed(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(end - 1) !== QUOTE) return false;
  let slashes = 0;
  while (end - 2 - slashes > start && text.charCodeAt(end - 2 - slashes) === 0x5c) slashes += 1;
  return slashes % 2 === 0;
}

function skipSpace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    at += 1;
  }
  return at;
}

/** Grows the columns of a table. */
class TableBuilder {
  readonly #most: number;
  #room = 1_024;
  #kinds = new Uint8Array(this.#room);
  #columns = Array.from({ length: 8 }, () => new Int32Array(this.#room));
  #roots = 0;
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get full(): boolean {
    return this.count >= this.#most;
  }

  /** Begins a value within `parent`. */
  add(kind: number, key: number, start: number, parent: number): number {
    if (this.count === this.#room) this.#grow();
    const [keys, starts, ends, parents, afters, places, sizes, depths] = this.#all();
    const value = this.count;
    this.count += 1;
    this.#kinds[value] = kind;
    keys[value] = key;
    starts[value] = start;
    ends[value] = start;
    parents[value] = parent;
    afters[value] = value + 1;
    sizes[value] = 0;
    if (parent < 0) {
      places[value] = this.#roots;
      depths[value] = 0;
      this.#roots += 1;
    } else {
      const place = sizes[parent] ?? 0;
      places[value] = place;
      sizes[parent] = place + 1;
      depths[value] = (depths[parent] ?? 0) + 1;
    }
    return value;
  }

  /** Ends a value: all that was added since stands within it. */
  close(value: number, end: number): void {
    const [, , ends, , afters] = this.#all();
    ends[value] = end;
    afters[value] = this.count;
  }

  /** Forgets all values from `count` on, the first of which stood at the top. */
  takeBack(count: number): void {
    if (count < this.count) this.#roots -= 1;
    this.count = count;
  }

  isObject(value: number): boolean {
    return this.#kinds[value] === OBJECT;
  }

  parentOf(value: number): number {
    return this.#all()[3][value] ?? -1;
  }

  table(fault: JsonTable['fault']): JsonTable {
    const { count } = this;
    const [keys, starts, ends, parents, afters, places, sizes, depths] = this.#all().map((column) =>
      column.slice(0, count),
    ) as unknown as Columns;
    const kinds = this.#kinds.slice(0, count);
    const roots = this.#roots;
    return { count, kinds, keys, starts, ends, parents, afters, places, sizes, depths, roots, fault, full: this.full };
  }

  #all(): Columns {
    return this.#columns as unknown as Columns;
  }

  #grow(): void {
    this.#room *= 2;
    const kinds = new Uint8Array(this.#room);
    kinds.set(this.#kinds);
    this.#kinds = kinds;
    this.#columns = this.#columns.map((column) => {
      const grown = new Int32Array(this.#room);
      grown.set(column);
      return grown;
    });
  }
}

type Column = Int32Array<ArrayBuffer>;
type Columns = [Column, Column, Column, Column, Column, Column, Column, Column];
