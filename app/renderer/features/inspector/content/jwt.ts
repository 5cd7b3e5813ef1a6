/** A JSON Web Token that was found, decoded and not verified. */
export interface FoundToken {
  /** Where it was: the field, cookie or parameter. */
  readonly where: string;
  readonly header: unknown;
  readonly payload: unknown;
  /** What its times say, in words; tone `error` when it was not valid then. */
  readonly validity: { readonly text: string; readonly tone: 'ok' | 'error' } | null;
}

/** Three parts of base64url, the first of which is a JSON object (RFC 7519 §3, RFC 7515 §7.1). */
const TOKEN = /\beyJ[\w-]{5,}\.eyJ[\w-]+\.[\w-]*/g;
const MOST_TOKENS = 8;
const SECONDS_A_MINUTE = 60;

/**
 * Finds tokens in texts.
 * @param at when the exchange began, microseconds since the Unix epoch: validity is judged by that, so old captures stay true
 */
export function findTokens(
  texts: readonly { readonly where: string; readonly text: string }[],
  at: number,
): readonly FoundToken[] {
  const found = new Map<string, FoundToken>();
  for (const { where, text } of texts) {
    for (const [token] of text.matchAll(TOKEN)) {
      if (found.has(token) || found.size >= MOST_TOKENS) continue;
      const [head = '', body = ''] = token.split('.');
      const header = readPart(head);
      const payload = readPart(body);
      if (header === undefined || payload === undefined) continue;
      found.set(token, { where, header, payload, validity: validityOf(payload, at / 1_000_000) });
    }
  }
  return [...found.values()];
}

function readPart(part: string): unknown {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `exp` and `nbf` are seconds since the epoch (RFC 7519 §4.1). */
function validityOf(payload: unknown, now: number): FoundToken['validity'] {
  const { exp, nbf } = payload as { readonly exp?: unknown; readonly nbf?: unknown };
  if (typeof nbf === 'number' && now < nbf)
    return { text: `not valid before ${inWords(nbf - now)} later`, tone: 'error' };
  if (typeof exp !== 'number') return null;
  if (now >= exp) return { text: `had expired ${inWords(now - exp)} before`, tone: 'error' };
  return { text: `valid for ${inWords(exp - now)} more`, tone: 'ok' };
}

function inWords(seconds: number): string {
  const steps = [
    [86_400 * 2, 86_400, 'days'],
    [3_600 * 2, 3_600, 'hours'],
    [SECONDS_A_MINUTE * 2, SECONDS_A_MINUTE, 'minutes'],
  ] as const;
  for (const [from, size, word] of steps) {
    if (seconds >= from) return `${Math.floor(seconds / size).toLocaleString('en')} ${word}`;
  }
  return `${String(Math.max(1, Math.floor(seconds)))} s`;
}
