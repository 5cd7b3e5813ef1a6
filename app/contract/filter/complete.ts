import { ANOMALY_CODES } from '../../../proxy-engine/model/anomaly-code.ts';
import { ERROR_CODES } from '../../../proxy-engine/model/error-code.ts';
import { HAS_FLAGS, IS_FLAGS, LABELS } from './ast.ts';
import { lexFilter, type WordToken } from './lexer.ts';
import { FILTER_KEYS, isFilterKey, type FilterKey } from './terms.ts';

/** One thing that can be put in place of `from` to `to`. */
export interface FilterCandidate {
  /** Text to insert; keys end in a colon so that typing goes on, values in nothing. */
  readonly insert: string;
  /** What it means, for a second column; may be empty. */
  readonly detail: string;
}

export interface FilterCompletion {
  /** UTF-16 units of the filter text that a candidate replaces; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly candidates: readonly FilterCandidate[];
}

/** Values of this session that completion may offer. */
export interface KnownValues {
  readonly hosts?: readonly string[];
  readonly programs?: readonly string[];
}

const MOST_CANDIDATES = 50;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE'];
const VALUES: Partial<Record<FilterKey, readonly string[]>> = {
  method: METHODS,
  status: ['2xx', '3xx', '4xx', '5xx', '>=400', '200', '204', '301', '304', '401', '403', '404', '500', '502'],
  type: ['json', 'html', 'javascript', 'css', 'image', 'font', 'xml', 'text', 'video', 'audio', 'form', 'event-stream'],
  is: IS_FLAGS,
  has: HAS_FLAGS,
  label: LABELS,
  header: ['accept', 'authorization', 'cache-control', 'content-type', 'cookie', 'origin', 'set-cookie', 'user-agent'],
  size: ['>10kb', '>100kb', '>1mb', '>10mb', '<1kb', '0'],
  dur: ['>100ms', '>1s', '>10s', '<50ms'],
  tokens: ['>1000', '>10k', '>100k'],
  ttft: ['>1s', '>2s', '<500ms'],
  finish: ['stop', 'length', 'tool_calls', 'content_filter', 'completed', 'cancelled'],
  port: ['80', '443', '8080'],
  scheme: ['http', 'https', 'tcp', 'tls', 'udp'],
  protocol: ['http/1.0', 'http/1.1', 'h2', 'h2c', 'tcp', 'tls', 'udp'],
  error: Object.keys(ERROR_CODES),
  anomaly: Object.keys(ANOMALY_CODES),
};

/**
 * What could stand at the cursor: keys while a word is begun, values once its key is there.
 * @param cursor UTF-16 units from the beginning of the text
 */
export function completeFilter(text: string, cursor: number, known: KnownValues = {}): FilterCompletion {
  const word = wordAt(text, cursor);
  if (word === null) return { from: cursor, to: cursor, candidates: keysFor('') };
  if (word.key === null) {
    const typed = text.slice(word.textStart, cursor);
    return { from: word.textStart, to: word.end, candidates: word.quoted ? [] : keysFor(typed) };
  }
  if (cursor < word.valueStart) {
    return { from: word.textStart, to: word.valueStart, candidates: keysFor(text.slice(word.textStart, cursor)) };
  }
  const typed = text.slice(word.valueStart, cursor).replaceAll('"', '');
  return { from: word.valueStart, to: word.end, candidates: valuesFor(word.key, typed, known) };
}

function wordAt(text: string, cursor: number): WordToken | null {
  for (const token of lexFilter(text).tokens) {
    if (token.kind === 'word' && token.textStart <= cursor && cursor <= token.end) return token;
  }
  return null;
}

function keysFor(typed: string): FilterCandidate[] {
  const begin = typed.toLowerCase();
  return Object.entries(FILTER_KEYS)
    .filter(([key]) => key.startsWith(begin))
    .map(([key, detail]) => ({ insert: `${key}:`, detail }));
}

function valuesFor(key: string, typed: string, known: KnownValues): FilterCandidate[] {
  if (!isFilterKey(key)) return [];
  const values = (key === 'host' ? known.hosts : key === 'app' ? known.programs : VALUES[key]) ?? [];
  const wanted = typed.toLowerCase();
  // Those that begin with what was typed stand before those that only contain it.
  const beginning = values.filter((value) => value.toLowerCase().startsWith(wanted));
  const containing = values.filter((value) => value.toLowerCase().indexOf(wanted) > 0);
  return [...beginning, ...containing].slice(0, MOST_CANDIDATES).map((value) => ({
    insert: /[\s()"]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value,
    detail: '',
  }));
}
