const INDENT = '  ';
/** A list or an object without nesting stays on one line up to this length, in UTF-16 units. */
const INLINE_LENGTH = 40;
/** Deeper values are not set in further: lines would consist of blanks. */
const MOST_INDENTED = 40;
/** A text that would become longer than this is not laid out, UTF-16 units: a bomb of brackets grows by its indentation. */
const MOST_LENGTH = 48_000_000;

/**
 * Lays out a JSON text (RFC 8259) without changing a character of its values: numbers keep their digits, strings their
 * escapes, objects their order and doubles of keys.
 *
 * @param json a text that is valid JSON; of an invalid one the rest is copied as it stands
 * @returns the same text when it would become unreasonably long
 */
export function prettyJson(json: string): string {
  const out: string[] = [];
  let at = 0;
  let depth = 0;
  let indented = 0;

  const skipSpace = (): void => {
    while (at < json.length && ' \t\r\n'.includes(json.charAt(at))) at++;
  };
  const newLine = (): void => {
    const indent = INDENT.repeat(Math.min(depth, MOST_INDENTED));
    indented += indent.length + 1;
    out.push('\n', indent);
  };

  while (at < json.length) {
    if (at + indented > MOST_LENGTH) return json;
    skipSpace();
    const character = json.charAt(at);
    if (character === '{' || character === '[') {
      const inline = inlineContainer(json, at);
      if (inline !== null) {
        out.push(inline.text);
        at = inline.end;
        continue;
      }
      out.push(character);
      depth++;
      at++;
      newLine();
    } else if (character === '}' || character === ']') {
      depth = Math.max(0, depth - 1);
      newLine();
      out.push(character);
      at++;
    } else if (character === ',') {
      out.push(',');
      at++;
      newLine();
    } else if (character === ':') {
      out.push(': ');
      at++;
    } else {
      const end = scalarEnd(json, at);
      out.push(json.slice(at, end));
      at = end;
    }
  }
  return out.join('');
}

/** Where a string, number or word that begins at `at` ends. */
function scalarEnd(json: string, at: number): number {
  if (json.charAt(at) !== '"') {
    let end = at;
    while (end < json.length && !' \t\r\n,:{}[]"'.includes(json.charAt(end))) end++;
    return Math.max(end, at + 1);
  }
  let end = at + 1;
  while (end < json.length && json.charAt(end) !== '"') end += json.charAt(end) === '\\' ? 2 : 1;
  return Math.min(end + 1, json.length);
}

/** A container without nesting that is short enough for one line; null for others. */
function inlineContainer(json: string, start: number): { readonly text: string; readonly end: number } | null {
  const close = json.charAt(start) === '{' ? '}' : ']';
  const parts: string[] = [];
  let length = 0;
  let at = start + 1;
  while (at < json.length && length <= INLINE_LENGTH) {
    const character = json.charAt(at);
    if (character === close) {
      const inner = parts.join('');
      if (inner === '') return { text: json.charAt(start) + close, end: at + 1 };
      return { text: close === '}' ? `{ ${inner} }` : `[${inner}]`, end: at + 1 };
    }
    if (character === '{' || character === '[' || character === '}' || character === ']') return null;
    if (' \t\r\n'.includes(character)) {
      at++;
      continue;
    }
    const end = character === ',' || character === ':' ? at + 1 : scalarEnd(json, at);
    const part = end === at + 1 && ',:'.includes(character) ? `${character} ` : json.slice(at, end);
    parts.push(part);
    length += part.length;
    at = end;
  }
  return null;
}
