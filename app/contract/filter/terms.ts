import { HAS_FLAGS, IS_FLAGS, LABELS, type FilterTerm, type NumberKey } from './ast.ts';
import type { WordToken } from './lexer.ts';

/** What each key means, in the order in which completion offers them. */
export const FILTER_KEYS = {
  host: 'host name contains',
  method: 'request method',
  status: 'status: 404, 4xx, >=400, 200..299',
  type: 'media type contains: json, image, html',
  is: 'state or kind',
  has: 'has an error, a body, a query',
  header: 'header field: name or name=value',
  text: 'whole words anywhere: text:"out of stock"',
  body: 'decoded body contains',
  path: 'path and query contain',
  url: 'URL contains',
  size: 'response body size: >1mb',
  dur: 'duration: >1s',
  client: 'client address contains',
  port: 'origin port',
  scheme: 'http, https, tcp, tls, udp',
  protocol: 'protocol of either leg: h2, http/1.1',
  error: 'error code contains',
  anomaly: 'anomaly code contains',
  app: 'client program contains',
  operation: 'GraphQL operation contains',
  model: 'language model contains',
  tokens: 'tokens in and out of a model: >1000',
  ttft: 'time to the first token: >2s',
  finish: 'why a model ended contains: stop, length, cancelled',
  label: 'label: red, orange, yellow, green, blue, violet',
  comment: 'comment contains',
} as const;

export type FilterKey = keyof typeof FILTER_KEYS;

/** Keys of the language that nothing is recorded for yet; naming one is an error that says so. */
const LATER_KEYS: Readonly<Record<string, string>> = {
  rule: 'Rules do not exist in this version, so no exchange can be found by one.',
};

const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  kib: 1024,
  m: 1e6,
  mb: 1e6,
  mib: 1_048_576,
  g: 1e9,
  gb: 1e9,
  gib: 1_073_741_824,
};
const DURATION_UNITS: Readonly<Record<string, number>> = { us: 1, µs: 1, '': 1e3, ms: 1e3, s: 1e6, m: 6e7, h: 3.6e9 };
const COUNT_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6 };
const PLAIN_UNITS: Readonly<Record<string, number>> = { '': 1 };

const NUMBER_NAMES: Readonly<Record<NumberKey, string>> = {
  status: 'status',
  port: 'port',
  size: 'size',
  dur: 'dur',
  tokens: 'number of tokens',
  ttft: 'time',
};

const EXAMPLES: Readonly<Record<NumberKey, string>> = {
  status: 'status:404, status:4xx, status:>=400 or status:200..299',
  port: 'port:443 or port:8000..8999',
  size: 'size:>1mb or size:10kb..20kb',
  dur: 'dur:>1s or dur:<250ms',
  tokens: 'tokens:>1000 or tokens:1k..8k',
  ttft: 'ttft:>2s or ttft:<500ms',
};

/** A term, or a sentence for a person and the range that it is about. */
export type TermResult =
  | { readonly ok: true; readonly term: FilterTerm }
  | { readonly ok: false; readonly message: string; readonly position: number; readonly end: number };

/** Reads the meaning of one word. */
export function readTerm(word: WordToken): TermResult {
  const { key, value } = word;
  if (key === null) {
    if (value === '') return failAtValue(word, 'Empty quotation marks look for nothing.');
    return accept({ key: 'any', text: value });
  }
  const later = LATER_KEYS[key];
  if (later !== undefined) return failAtKey(word, later);
  if (!isFilterKey(key)) {
    // `localhost:8080` is what people paste; nobody means a key by it.
    if (/^\d+(\/|$)/.test(value) && nearKey(key) === undefined) return accept({ key: 'any', text: `${key}:${value}` });
    return failAtKey(word, unknownKey(key));
  }
  if (value === '') return failAtKey(word, `Something must follow ${key}: (${FILTER_KEYS[key]}).`);
  switch (key) {
    case 'status':
      return readStatus(word);
    case 'port':
      return readNumber(word, 'port', PLAIN_UNITS);
    case 'size':
      return readNumber(word, 'size', SIZE_UNITS);
    case 'dur':
      return readNumber(word, 'dur', DURATION_UNITS);
    case 'tokens':
      return readNumber(word, 'tokens', COUNT_UNITS);
    case 'ttft':
      return readNumber(word, 'ttft', DURATION_UNITS);
    case 'is':
      return readFlag(word, IS_FLAGS, (flag) => ({ key: 'is', flag }));
    case 'has':
      return readFlag(word, HAS_FLAGS, (flag) => ({ key: 'has', flag }));
    case 'header': {
      const equals = value.indexOf('=');
      const name = (equals < 0 ? value : value.slice(0, equals)).toLowerCase();
      if (name === '') return failAtValue(word, 'A header name must stand before the equals sign.');
      return accept({ key: 'header', name, value: equals < 0 ? null : value.slice(equals + 1) });
    }
    case 'label': {
      const label = LABELS.indexOf(value.toLowerCase()) + 1 || Number(value);
      if (Number.isInteger(label) && label >= 1 && label <= LABELS.length) return accept({ key: 'label', label });
      return failAtValue(word, `label: knows ${LABELS.join(', ')} and 1 to ${String(LABELS.length)}.`);
    }
    case 'method':
    case 'scheme':
    case 'protocol':
      return accept({ key, text: value.toLowerCase() });
    default:
      return accept({ key, text: value });
  }
}

export function isFilterKey(key: string): key is FilterKey {
  return Object.hasOwn(FILTER_KEYS, key);
}

function readFlag<Flag extends string>(
  word: WordToken,
  flags: readonly Flag[],
  make: (flag: Flag) => FilterTerm,
): TermResult {
  const wanted = word.value.toLowerCase();
  const flag = flags.find((candidate) => candidate === wanted);
  if (flag !== undefined) return accept(make(flag));
  return failAtValue(word, `${word.key ?? ''}: knows ${flags.join(', ')}.`);
}

function readStatus(word: WordToken): TermResult {
  const family = /^([1-9])xx$/i.exec(word.value);
  if (family === null) return readNumber(word, 'status', PLAIN_UNITS);
  const least = Number(family[1]) * 100;
  return accept({ key: 'status', least, most: least + 99 });
}

/** `5`, `=5`, `>5`, `>=5`, `<5`, `<=5`, `5..9` or `5-9`, each number with a unit. */
function readNumber(word: WordToken, key: NumberKey, units: Readonly<Record<string, number>>): TermResult {
  const failure = failAtValue(word, `This is no ${NUMBER_NAMES[key]}. Write ${EXAMPLES[key]}.`);
  const range = /^([\d.]+[a-zµ]*)(?:\.\.|-)([\d.]+[a-zµ]*)$/i.exec(word.value.replaceAll(' ', ''));
  if (range !== null) {
    const least = readQuantity(range[1] ?? '', units);
    const most = readQuantity(range[2] ?? '', units);
    if (least === null || most === null) return failure;
    if (least > most) return failAtValue(word, 'The range ends before it begins.');
    return accept({ key, least: Math.ceil(least), most: Math.floor(most) });
  }
  const single = /^(>=|<=|>|<|=)?(.+)$/.exec(word.value.replaceAll(' ', ''));
  const quantity = single === null ? null : readQuantity(single[2] ?? '', units);
  if (single === null || quantity === null) return failure;
  switch (single[1]) {
    case '>':
      return accept({ key, least: Math.floor(quantity) + 1, most: Infinity });
    case '>=':
      return accept({ key, least: Math.ceil(quantity), most: Infinity });
    case '<':
      return accept({ key, least: 0, most: Math.ceil(quantity) - 1 });
    case '<=':
      return accept({ key, least: 0, most: Math.floor(quantity) });
    default:
      return accept({ key, least: quantity, most: quantity });
  }
}

function readQuantity(text: string, units: Readonly<Record<string, number>>): number | null {
  const match = /^(\d+(?:\.\d+)?|\.\d+)([a-zµ]*)$/i.exec(text);
  const unit = units[match?.[2]?.toLowerCase() ?? 'none'];
  if (match === null || unit === undefined) return null;
  const quantity = Number(match[1]) * unit;
  return Number.isSafeInteger(Math.round(quantity)) ? quantity : null;
}

function unknownKey(key: string): string {
  const near = nearKey(key);
  const hint =
    near === undefined ? 'To search for the text itself, put it in quotation marks.' : `Did you mean ${near}:?`;
  return `There is no key ${key}:. ${hint}`;
}

/** A key that was probably meant. */
function nearKey(typed: string): string | undefined {
  return Object.keys(FILTER_KEYS).find((known) => isNear(typed, known));
}

/** One letter more, less, other or swapped; or a common beginning of three. */
function isNear(typed: string, known: string): boolean {
  if (typed.length >= 3 && (known.startsWith(typed) || typed.startsWith(known))) return true;
  if (Math.abs(typed.length - known.length) > 1) return false;
  let same = 0;
  while (same < typed.length && typed.charAt(same) === known.charAt(same)) same += 1;
  const typedRest = typed.slice(same);
  const knownRest = known.slice(same);
  return (
    typedRest.slice(1) === knownRest ||
    typedRest === knownRest.slice(1) ||
    typedRest.slice(1) === knownRest.slice(1) ||
    (typedRest.charAt(0) === knownRest.charAt(1) &&
      typedRest.charAt(1) === knownRest.charAt(0) &&
      typedRest.slice(2) === knownRest.slice(2))
  );
}

function accept(term: FilterTerm): TermResult {
  return { ok: true, term };
}

function failAtKey(word: WordToken, message: string): TermResult {
  return { ok: false, message, position: word.textStart, end: Math.max(word.valueStart, word.textStart + 1) };
}

function failAtValue(word: WordToken, message: string): TermResult {
  return { ok: false, message, position: word.valueStart, end: Math.max(word.end, word.valueStart + 1) };
}
