export interface HitPart {
  readonly text: string;
  readonly hit: boolean;
}

/** Splits a text at the places of another one, in either case; `wanted` may be empty. */
export function splitHits(text: string, wanted: string): readonly HitPart[] {
  if (wanted === '') return [{ text, hit: false }];
  const parts: HitPart[] = [];
  const lower = text.toLowerCase();
  const needle = wanted.toLowerCase();
  // Some characters change their length with their case; then the places are not these.
  if (lower.length !== text.length) return [{ text, hit: false }];
  let from = 0;
  for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), hit: false });
    parts.push({ text: text.slice(at, at + needle.length), hit: true });
    from = at + needle.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), hit: false });
  return parts;
}
