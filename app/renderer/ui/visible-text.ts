/**
 * Characters that a reader cannot see or that move others: controls, soft hyphen, zero-width characters, directional
 * marks, overrides and isolates, line and paragraph separators, the byte order mark, interlinear annotations and tags.
 */
const INVISIBLE =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u2028-\\u202e' +
  '\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}';

const INVISIBLE_MARKS = '\\u034f|\\u17b4|\\u17b5';

/** For bodies, where line ends and tabs are layout. */
export const INVISIBLE_CHARACTERS = new RegExp(`[${INVISIBLE}]|${INVISIBLE_MARKS}`, 'gu');

/** For one line of text, where nothing of the kind belongs. */
const INVISIBLE_OR_LAYOUT = new RegExp(`[\\t\\n${INVISIBLE}]|${INVISIBLE_MARKS}`, 'gu');

/** How a character is named to a person: `U+202E`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

export interface TextPart {
  readonly text: string;
  /** The part is one character that must be named instead of drawn. */
  readonly named: boolean;
}

/** One line of text where nothing but text can stand, as in a tooltip: characters that nobody sees are named, so that they cannot deceive. */
export function visibleLine(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return visibleParts(text)
    .map((part) => (part.named ? `‹${codePointName(part.text)}›` : part.text))
    .join('');
}

/** Splits a text into runs that can be drawn as they are and characters that are shown by name. Tabs and line feeds are named too. */
export function visibleParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(INVISIBLE_OR_LAYOUT)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), named: false });
    parts.push({ text: match[0], named: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), named: false });
  return parts;
}
