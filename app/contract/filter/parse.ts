import type { FilterError, FilterNode, ParsedFilter } from './ast.ts';
import { lexFilter, type FilterToken } from './lexer.ts';
import { readTerm } from './terms.ts';

/*
 *   any     = all *( "or" all )
 *   all     = single *( [ "and" ] single )
 *   single  = [ "not" / "-" ] ( "(" any ")" / word )
 *
 * Words beside each other must all match. Operators are words of their own in any case and are plain words in quotes.
 */

/** Deeper nesting is refused, so that hostile text cannot exhaust the stack. */
const DEEPEST = 50;

/** Reads a filter of the query language (docs/cli.md); never throws. */
export function parseFilter(text: string): ParsedFilter {
  const { tokens, error } = lexFilter(text);
  if (error !== null) return { ok: false, error };
  if (tokens.length === 0) return { ok: true, node: null };
  const parser = new Parser(tokens, text.length);
  const node = parser.any(0);
  if (node !== null && parser.peek() !== undefined) parser.fail('This parenthesis was never opened.');
  return node === null || parser.error !== null
    ? { ok: false, error: parser.error ?? { message: 'The filter cannot be read.', position: 0, end: text.length } }
    : { ok: true, node };
}

type Operator = 'and' | 'or' | 'not';

function operatorOf(token: FilterToken | undefined): Operator | null {
  if (token?.kind !== 'word' || token.quoted || token.negated || token.key !== null) return null;
  const word = token.value.toLowerCase();
  return word === 'and' || word === 'or' || word === 'not' ? word : null;
}

class Parser {
  error: FilterError | null = null;
  readonly #tokens: readonly FilterToken[];
  readonly #length: number;
  #at = 0;

  constructor(tokens: readonly FilterToken[], length: number) {
    this.#tokens = tokens;
    this.#length = length;
  }

  peek(): FilterToken | undefined {
    return this.#tokens[this.#at];
  }

  /** Notes the first error, at the next token or at the end of the text. */
  fail(message: string, position?: number, end?: number): null {
    const token = this.peek();
    this.error ??= {
      message,
      position: position ?? token?.start ?? this.#length,
      end: end ?? token?.end ?? this.#length,
    };
    return null;
  }

  any(depth: number): FilterNode | null {
    const nodes: FilterNode[] = [];
    for (;;) {
      const node = this.#all(depth);
      if (node === null) return null;
      nodes.push(node);
      if (operatorOf(this.peek()) !== 'or') return joined('or', nodes);
      this.#at += 1;
    }
  }

  #all(depth: number): FilterNode | null {
    const nodes: FilterNode[] = [];
    for (;;) {
      const node = this.#single(depth);
      if (node === null) return null;
      nodes.push(node);
      const next = this.peek();
      const operator = operatorOf(next);
      if (next === undefined || next.kind === 'close' || operator === 'or') return joined('and', nodes);
      if (operator === 'and') this.#at += 1;
    }
  }

  #single(depth: number): FilterNode | null {
    const token = this.peek();
    if (depth > DEEPEST) return this.fail(`Parentheses and nots may be nested ${String(DEEPEST)} deep.`);
    if (token === undefined) return this.fail('Something to look for must follow here.');
    if (token.kind !== 'word') {
      if (token.kind === 'open') return this.#group(token, depth);
      return this.fail('Something to look for must stand before this parenthesis.');
    }
    const operator = operatorOf(token);
    if (operator === 'not') {
      this.#at += 1;
      const node = this.#single(depth + 1);
      return node === null ? null : { kind: 'not', node };
    }
    if (operator !== null) {
      return this.fail(`Something to look for must stand before “${operator}”. To search for the word, quote it.`);
    }
    // `-(` is a minus sign of its own before a group.
    if (!token.quoted && token.key === null && token.value === '-' && this.#tokens[this.#at + 1]?.kind === 'open') {
      this.#at += 1;
      const node = this.#single(depth + 1);
      return node === null ? null : { kind: 'not', node };
    }
    const result = readTerm(token);
    if (!result.ok) return this.fail(result.message, result.position, result.end);
    this.#at += 1;
    const node: FilterNode = { kind: 'term', term: result.term };
    return token.negated ? { kind: 'not', node } : node;
  }

  #group(open: FilterToken, depth: number): FilterNode | null {
    this.#at += 1;
    const node = this.any(depth + 1);
    if (node === null) return null;
    if (this.peek()?.kind !== 'close') return this.fail('This parenthesis is never closed.', open.start, open.end);
    this.#at += 1;
    return node;
  }
}

function joined(kind: 'and' | 'or', nodes: readonly FilterNode[]): FilterNode {
  const [first] = nodes;
  return nodes.length === 1 && first !== undefined ? first : { kind, nodes };
}
