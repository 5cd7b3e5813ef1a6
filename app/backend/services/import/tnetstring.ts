/*
 * Tagged netstrings, as mitmproxy writes its flows: LENGTH ':' PAYLOAD TYPE, where the payload of a list or a dictionary is
 * further elements. `,` bytes, `;` text, `#` integer, `^` number, `!` boolean, `~` nothing, `]` list, `}` dictionary.
 */

export type TnetValue = Buffer | string | number | boolean | null | readonly TnetValue[] | TnetObject;

export interface TnetObject {
  readonly [key: string]: TnetValue | undefined;
}

/** Something is not as the format has it; the position counts bytes from the beginning of what was read. */
export class TnetError extends Error {
  override readonly name = 'TnetError';
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

const COLON = 0x3a;
/** A length of more digits is longer than anything here. */
const MOST_DIGITS = 12;
/** Elements inside of one another; flows nest five or six deep. */
const MOST_DEPTH = 32;

interface Header {
  /** Of the payload. */
  readonly start: number;
  readonly length: number;
}

/**
 * Reads the length in front of an element.
 *
 * @param base position of the buffer in the file
 * @returns null when the buffer ends before the colon
 * @throws TnetError when there is none
 */
export function readTnetHeader(bytes: Buffer, at: number, base: number): Header | null {
  for (let end = at; end < bytes.length; end += 1) {
    const byte = bytes[end] ?? 0;
    if (byte === COLON && end > at) return { start: end + 1, length: Number(bytes.toString('latin1', at, end)) };
    if (byte < 0x30 || byte > 0x39 || end - at >= MOST_DIGITS) {
      throw new TnetError('a length was expected', base + end);
    }
  }
  return null;
}

/**
 * Reads the value of a payload.
 *
 * @param type the byte behind the payload
 * @param base position of the payload in the file
 * @throws TnetError
 */
export function readTnetPayload(payload: Buffer, type: number, base: number, depth = 0): TnetValue {
  if (depth > MOST_DEPTH) throw new TnetError('elements lie too deep in one another', base);
  switch (String.fromCharCode(type)) {
    case ',':
      return payload;
    case ';':
      return payload.toString('utf8');
    case '#':
    case '^':
      return numberIn(payload, base);
    case '!':
      return payload.toString('latin1') === 'true';
    case '~':
      return null;
    case ']':
      return [...elements(payload, base, depth)];
    case '}':
      return objectIn([...elements(payload, base, depth)], base);
    default:
      throw new TnetError(
        `a type was expected, and there is ${JSON.stringify(String.fromCharCode(type))}`,
        base + payload.length,
      );
  }
}

function* elements(payload: Buffer, base: number, depth: number): Generator<TnetValue> {
  for (let at = 0; at < payload.length;) {
    const header = readTnetHeader(payload, at, base);
    const end = header === null ? payload.length : header.start + header.length;
    const type = payload[end];
    if (header === null || type === undefined) throw new TnetError('an element ends in the middle', base + at);
    yield readTnetPayload(payload.subarray(header.start, end), type, base + header.start, depth + 1);
    at = end + 1;
  }
}

function objectIn(list: readonly TnetValue[], base: number): TnetObject {
  const pairs: [string, TnetValue][] = [];
  for (let at = 0; at < list.length; at += 2) {
    const [key, value] = [list[at], list[at + 1]];
    // Old versions wrote keys as bytes.
    const name = Buffer.isBuffer(key) ? key.toString('utf8') : key;
    if (typeof name !== 'string' || value === undefined) throw new TnetError('a dictionary has no pairs', base);
    pairs.push([name, value]);
  }
  return Object.fromEntries(pairs);
}

function numberIn(payload: Buffer, base: number): number {
  const number = Number(payload.toString('latin1'));
  if (payload.length === 0 || Number.isNaN(number)) throw new TnetError('a number was expected', base);
  return number;
}

/** A text of a flow; bytes of heads are latin1. Empty for anything else. */
export function textIn(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  return typeof value === 'string' ? value : '';
}
