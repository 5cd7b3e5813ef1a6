/** A run of the filter's text with one colour. */
export interface FilterPart {
  readonly text: string;
  readonly kind: 'plain' | 'key' | 'operator' | 'bad';
}

const TOKEN =
  /(?<space>\s+)|(?<operator>(?:and|or|not)(?=[\s()]|$)|[()])|(?<minus>-(?=[^\s()]))|(?<key>[a-z][a-z0-9_-]*:(?!\/\/))|(?<word>"(?:\\.|[^"\\])*"?|[^\s()"]+)/giy;

/**
 * Splits a filter for drawing; the parts joined are the text.
 * @param problem the range to underline
 */
export function filterParts(
  text: string,
  problem: { readonly position: number | null; readonly end: number | null } | null,
): readonly FilterPart[] {
  const parts: FilterPart[] = [];
  let keyAllowed = true;
  for (const match of text.matchAll(TOKEN)) {
    const { operator, minus, key, space } = match.groups ?? {};
    const isKey = key !== undefined && keyAllowed;
    const kind = isKey ? 'key' : operator !== undefined || minus !== undefined ? 'operator' : 'plain';
    parts.push({ text: match[0], kind });
    keyAllowed = space !== undefined || operator !== undefined || minus !== undefined;
  }
  if (problem === null || problem.position === null) return parts;
  return underline(parts, problem.position, Math.max(problem.end ?? 0, problem.position + 1));
}

function underline(parts: readonly FilterPart[], from: number, to: number): FilterPart[] {
  const result: FilterPart[] = [];
  let start = 0;
  for (const { text, kind } of parts) {
    const end = start + text.length;
    const left = Math.min(Math.max(from, start), end);
    const right = Math.min(Math.max(to, start), end);
    const pieces: FilterPart[] = [
      { text: text.slice(0, left - start), kind },
      { text: text.slice(left - start, right - start), kind: 'bad' },
      { text: text.slice(right - start), kind },
    ];
    result.push(...pieces.filter((piece) => piece.text !== ''));
    start = end;
  }
  return result;
}
