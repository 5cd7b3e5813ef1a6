/** A text that is no command line that can be read. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError';
}

/** Words as bytes: `$'\xff'` names a byte that no text holds. Text between is UTF-8. */
class WordCollector {
  readonly words: Uint8Array[] = [];
  #bytes: number[] = [];
  #open = false;

  /** The word has begun, though it may stay empty: `''` is one. */
  begin(): void {
    this.#open = true;
  }

  text(text: string): void {
    this.#open = true;
    for (const byte of new TextEncoder().encode(text)) this.#bytes.push(byte);
  }

  byte(value: number): void {
    this.#open = true;
    this.#bytes.push(value & 0xff);
  }

  end(): void {
    if (this.#open) this.words.push(Uint8Array.from(this.#bytes));
    this.#bytes = [];
    this.#open = false;
  }
}

/**
 * Parts one command into words as a POSIX shell does (XCU §2.2), with `$'…'` of bash and with the line ends of cmd.exe (`^`)
 * and PowerShell (`` ` ``). Nothing is expanded; what stands behind `;`, `|`, `&` or a line end is another command and is left
 * out.
 *
 * @throws ShellSyntaxError
 */
export function shellWords(command: string): readonly Uint8Array[] {
  const text = isFromCmd(command) ? withoutCarets(command) : command.replaceAll(/`\r?\n/g, '\\\n');
  const words = new WordCollector();
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === "'") at = singleQuoted(text, at + 1, words);
    else if (character === '"') at = doubleQuoted(text, at + 1, words);
    else if (character === '$' && text[at + 1] === "'") at = ansiQuoted(text, at + 2, words);
    else if (character === '$' && text[at + 1] === '"') at = doubleQuoted(text, at + 2, words);
    else if (character === '\\') at = escaped(text, at + 1, words);
    else if (character === ' ' || character === '\t' || character === '\r') {
      words.end();
      at += 1;
    } else if (';|&\n'.includes(character)) {
      words.end();
      if (words.words.length > 0) break;
      at += 1;
    } else {
      const end = at + (/^[^\s'"\\$;|&]+/.exec(text.slice(at))?.[0].length ?? 1);
      words.text(text.slice(at, end));
      at = end;
    }
  }
  words.end();
  return words.words;
}

/** Chromium's "Copy as cURL (cmd)" escapes with carets. */
function isFromCmd(command: string): boolean {
  return /\^\r?\n/.test(command) || /^\s*curl(?:\.exe)?\s+\^"/.test(command);
}

function withoutCarets(command: string): string {
  return command.replaceAll(/\^\r?\n/g, ' ').replaceAll(/\^(.)/gs, '$1');
}

function singleQuoted(text: string, start: number, words: WordCollector): number {
  const end = text.indexOf("'", start);
  if (end < 0) throw new ShellSyntaxError('A single quote is opened and never closed.');
  words.text(text.slice(start, end));
  return end + 1;
}

function doubleQuoted(text: string, start: number, words: WordCollector): number {
  words.begin();
  for (let at = start; at < text.length;) {
    const character = text[at] ?? '';
    if (character === '"') return at + 1;
    const next = text[at + 1] ?? '';
    if (character === '\\' && '$`"\\\n'.includes(next) && next !== '') {
      if (next !== '\n') words.text(next);
      at += 2;
    } else {
      const end = at + Math.max(1, /^[^"\\]+/.exec(text.slice(at))?.[0].length ?? 1);
      words.text(text.slice(at, end));
      at = end;
    }
  }
  throw new ShellSyntaxError('A double quote is opened and never closed.');
}

function escaped(text: string, at: number, words: WordCollector): number {
  const lineEnd = /^\r?\n/.exec(text.slice(at, at + 2));
  if (lineEnd !== null) return at + lineEnd[0].length;
  const point = text.codePointAt(at);
  if (point === undefined) return at;
  const character = String.fromCodePoint(point);
  words.text(character);
  return at + character.length;
}

const CONTROLS: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  e: 27,
  E: 27,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
};

/** The quoting of bash, ksh and of curl's exporters: `$'…'`. */
function ansiQuoted(text: string, start: number, words: WordCollector): number {
  words.begin();
  for (let at = start; at < text.length;) {
    if (text[at] === "'") return at + 1;
    if (text[at] !== '\\') {
      const end = at + (/^[^'\\]+/.exec(text.slice(at))?.[0].length ?? 1);
      words.text(text.slice(at, end));
      at = end;
      continue;
    }
    at += 1;
    const rest = text.slice(at, at + 9);
    const numbered =
      /^x([0-9a-f]{1,2})/i.exec(rest) ?? /^u([0-9a-f]{1,4})/i.exec(rest) ?? /^U([0-9a-f]{1,8})/i.exec(rest);
    const octal = /^[0-7]{1,3}/.exec(rest);
    const control = CONTROLS[rest[0] ?? ''];
    if (numbered !== null) {
      const value = Number.parseInt(numbered[1] ?? '0', 16);
      if (rest.startsWith('x')) words.byte(value);
      else words.text(value > 0x10_ffff ? '\ufffd' : String.fromCodePoint(value));
      at += numbered[0].length;
    } else if (octal !== null) {
      words.byte(Number.parseInt(octal[0], 8));
      at += octal[0].length;
    } else if (rest.startsWith('c') && rest.length > 1) {
      words.byte((rest.codePointAt(1) ?? 0) & 0x1f);
      at += 2;
    } else {
      if (control === undefined) words.text(rest[0] ?? '');
      else words.byte(control);
      at += 1;
    }
  }
  throw new ShellSyntaxError("A $' quote is opened and never closed.");
}
