/** One place at which two JSON values differ. */
export interface JsonChange {
  /** As code would reach it: `items[2].price`. */
  readonly path: string;
  /** JSON texts; null where there is nothing. */
  readonly left: string | null;
  readonly right: string | null;
}

const MOST_CHANGES = 500;
const MOST_VALUE = 200;
const MOST_DEPTH = 200;

/**
 * Where two JSON values differ; the order of keys does not count, that of list items does.
 * @returns at most 500 changes, in order
 */
export function diffJson(left: unknown, right: unknown): readonly JsonChange[] {
  const changes: JsonChange[] = [];
  compare(left, right, '', 0, changes);
  return changes;
}

function compare(left: unknown, right: unknown, path: string, depth: number, changes: JsonChange[]): void {
  if (changes.length >= MOST_CHANGES || Object.is(left, right)) return;
  if (depth < MOST_DEPTH && Array.isArray(left) && Array.isArray(right)) {
    for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
      compare(left[at], right[at], `${path}[${String(at)}]`, depth + 1, changes);
    }
    return;
  }
  if (depth < MOST_DEPTH && isObject(left) && isObject(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      compare(own(left, key), own(right, key), path + stepTo(key, path === ''), depth + 1, changes);
    }
    return;
  }
  changes.push({ path: path === '' ? '(all)' : path, left: short(left), right: short(right) });
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stepTo(key: string, first: boolean): string {
  if (/^[A-Za-z_$][\w$]*$/.test(key)) return first ? key : `.${key}`;
  return `[${JSON.stringify(key)}]`;
}

function short(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length > MOST_VALUE ? `${text.slice(0, MOST_VALUE)}…` : text;
}
