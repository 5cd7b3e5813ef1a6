import type { FilterError } from './ast.ts';

/**
 * A piece of a filter's text. A word is everything up to white space or a parenthesis outside quotes:
 * `-host:"a b"` is one word, negated, with the key `host` and the value `a b`.
 */
export type FilterToken =
  | { readonly kind: 'open' | 'close'; readonly start: number; readonly end: number }
  | {
      readonly kind: 'word';
      readonly start: number;
      readonly end: number;
      readonly negated: boolean;
      /** Lower case; null for a bare word. */
      readonly key: string | null;
      /** Where key (or bare word) begins, after a minus sign. */
      readonly textStart: number;
      /** Value without quotes; the whole text of a bare word. */
      readonly value: string;
      readonly valueStart: number;
      /** A part of it stood in quotes: it is no operator and a bare word may hold anything. */
      readonly quoted: boolean;
    };

export type WordToken = Extract<FilterToken, { kind: 'word' }>;

export interface LexedFilter {
  readonly tokens: readonly FilterToken[];
  /** An unfinished quotation, at its opening quote. The word that it belongs to reaches to the end and is among the tokens. */
  readonly error: FilterError | null;
}

const KEY_CHARACTER = /[a-z0-9_-]/i;
const SPACE = /\s/;

/** Splits the text; never throws. */
export function lexFilter(text: string): LexedFilter {
  const tokens: FilterToken[] = [];
  let error: FilterError | null = null;
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (SPACE.test(character)) {
      at += 1;
    } else if (character === '(' || character === ')') {
      tokens.push({ kind: character === '(' ? 'open' : 'close', start: at, end: at + 1 });
      at += 1;
    } else {
      const word = lexWord(text, at);
      tokens.push(word.token);
      error ??= word.error;
      at = word.token.end;
    }
  }
  return { tokens, error };
}

function lexWord(text: string, start: number): { token: WordToken; error: FilterError | null } {
  let at = start;
  const negated = text.charAt(at) === '-' && at + 1 < text.length && !/[\s()]/.test(text.charAt(at + 1));
  if (negated) at += 1;
  const textStart = at;
  let keyEnd = at;
  while (keyEnd < text.length && KEY_CHARACTER.test(text.charAt(keyEnd))) keyEnd += 1;
  // `http://host` is a bare word, not a key with a value.
  const hasKey = keyEnd > at && text.charAt(keyEnd) === ':' && !text.startsWith('//', keyEnd + 1);
  const key = hasKey ? text.slice(at, keyEnd).toLowerCase() : null;
  if (hasKey) at = keyEnd + 1;
  const valueStart = at;
  let value = '';
  let quoted = false;
  let error: FilterError | null = null;
  while (at < text.length && !/[\s()]/.test(text.charAt(at))) {
    if (text.charAt(at) !== '"') {
      value += text.charAt(at);
      at += 1;
      continue;
    }
    quoted = true;
    const quotation = readQuotation(text, at);
    value += quotation.value;
    if (!quotation.closed) {
      error = { message: 'This quotation mark is never closed.', position: at, end: text.length };
    }
    at = quotation.end;
  }
  return { token: { kind: 'word', start, end: at, negated, key, textStart, value, valueStart, quoted }, error };
}

/** Inside quotes `\"` and `\\` stand for the character itself. */
function readQuotation(text: string, start: number): { value: string; end: number; closed: boolean } {
  let value = '';
  let at = start + 1;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') return { value, end: at + 1, closed: true };
    const next = text.charAt(at + 1);
    if (character === '\\' && (next === '"' || next === '\\')) {
      value += next;
      at += 2;
    } else {
      value += character;
      at += 1;
    }
  }
  return { value, end: at, closed: false };
}
