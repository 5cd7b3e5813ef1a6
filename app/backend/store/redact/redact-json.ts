import { beginPaths, enterChild, isMeant, type JsonPath, type PathState } from './json-path.ts';

/** What stands in the place of a value. */
export const BLANK = 'redacted';

const BLANK_JSON = `"${BLANK}"`;
/** Values inside of one another. */
const MOST_DEPTH = 1_000;
/** What some servers put in front of JSON, so that no page can run it as a script. */
const GUARD = /^(?:\xef\xbb\xbf)?(?:\)\]\}',?\s*\n|while\s*\(1\);|for\s*\(;;\);)?/;
const NUMERIC: ReadonlySet<number> = new Set(Buffer.from('0123456789.eE+-'));
const WORDS = ['true', 'false', 'null'] as const;

export interface RedactedText {
  readonly text: string;
  readonly values: number;
  /** The last member that was blanked. */
  readonly name: string;
}

/** The text is no JSON. */
class NotJson extends Error {
  override readonly name = 'NotJson';
}

/**
 * Blanks values of JSON, or of several JSON values one after the other, and leaves every other byte as it is: numbers keep
 * their digits, objects their order and their repeated keys.
 *
 * @param text bytes as latin1
 * @returns null when it is no JSON from end to end
 */
export function redactJson(text: string, paths: readonly JsonPath[]): RedactedText | null {
  const walk = new JsonWalk(text, GUARD.exec(text)?.[0].length ?? 0);
  try {
    return walk.all(beginPaths(paths));
  } catch (error: unknown) {
    if (error instanceof NotJson) return null;
    throw error;
  }
}

class JsonWalk {
  readonly #text: string;
  #at: number;
  #pieces: string[] = [];
  /** Up to where the text is in the pieces. */
  #taken = 0;
  #values = 0;
  #name = '';

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  all(states: readonly PathState[]): RedactedText {
    this.#space();
    if (this.#at === this.#text.length) throw new NotJson();
    while (this.#at < this.#text.length) {
      // A separator of JSON text sequences (RFC 7464) may stand in front of each.
      if (this.#text[this.#at] === '\x1e') this.#at += 1;
      this.#value(states, '$', 0);
      this.#space();
    }
    this.#pieces.push(this.#text.slice(this.#taken));
    return { text: this.#pieces.join(''), values: this.#values, name: this.#name };
  }

  #value(states: readonly PathState[], name: string, depth: number): void {
    if (depth > MOST_DEPTH) throw new NotJson();
    this.#space();
    const start = this.#at;
    const meant = isMeant(states);
    // Inside of what is blanked, and where no path leads to, nothing is looked for.
    const within = meant ? [] : states;
    const first = this.#text[this.#at];
    if (first === '{') this.#object(within, depth);
    else if (first === '[') this.#array(within, depth);
    else if (first === '"') this.#string();
    else this.#scalar();
    if (!meant) return;
    this.#pieces.push(this.#text.slice(this.#taken, start), BLANK_JSON);
    this.#taken = this.#at;
    this.#values += 1;
    this.#name = name;
  }

  #object(states: readonly PathState[], depth: number): void {
    this.#at += 1;
    this.#space();
    if (this.#skip('}')) return;
    do {
      this.#space();
      const literal = this.#string();
      this.#space();
      if (!this.#skip(':')) throw new NotJson();
      const key = states.length === 0 ? '' : keyOf(literal);
      this.#value(states.length === 0 ? states : enterChild(states, key), key, depth + 1);
      this.#space();
    } while (this.#skip(','));
    if (!this.#skip('}')) throw new NotJson();
  }

  #array(states: readonly PathState[], depth: number): void {
    this.#at += 1;
    this.#space();
    if (this.#skip(']')) return;
    let index = 0;
    do {
      this.#value(states.length === 0 ? states : enterChild(states, index), `[${String(index)}]`, depth + 1);
      index += 1;
      this.#space();
    } while (this.#skip(','));
    if (!this.#skip(']')) throw new NotJson();
  }

  /** By hand: a pattern would go down one level of the stack for each character. */
  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw new NotJson();
    for (let at = start + 1; ; at += 1) {
      const end = this.#text.indexOf('"', at);
      if (end < 0) throw new NotJson();
      let escapes = 0;
      while (this.#text[end - 1 - escapes] === '\\') escapes += 1;
      at = end;
      if (escapes % 2 === 1) continue;
      this.#at = end + 1;
      return this.#text.slice(start, this.#at);
    }
  }

  /** A number is not looked at more closely than its characters. */
  #scalar(): void {
    const start = this.#at;
    while (NUMERIC.has(this.#text.charCodeAt(this.#at))) this.#at += 1;
    if (this.#at > start) return;
    const word = WORDS.find((candidate) => this.#text.startsWith(candidate, start));
    if (word === undefined) throw new NotJson();
    this.#at += word.length;
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }
}

/** A key as it is meant: escapes undone, UTF-8 decoded. */
function keyOf(literal: string): string {
  if (/^[\x20-\x5b\x5d-\x7e]*$/.test(literal)) return literal.slice(1, -1);
  const utf8 = Buffer.from(literal, 'latin1').toString('utf8');
  if (!utf8.includes('\\')) return utf8.slice(1, -1);
  try {
    return JSON.parse(utf8) as string;
  } catch {
    throw new NotJson();
  }
}
