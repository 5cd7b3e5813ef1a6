import { parseJsonPath, type JsonPath } from './json-path.ts';
import { redactJson, type RedactedText } from './redact-json.ts';

/** How a body is looked into. */
export type BodyReading =
  | { readonly kind: 'form' }
  /** `mustParse`: it says that it is JSON, so one that cannot be read must not leave. */
  | { readonly kind: 'json'; readonly mustParse: boolean }
  | { readonly kind: 'events' };

/** What a message in a JSON dialect of socket libraries has in front (`42["event",…]`, `2/room,7[…]`). */
const SOCKET_PREFIX = /^\d{0,4}(?:-|\/[^,]*,)?\d*(?=\s*[[{])/;
const LOOKS_LIKE_JSON = /^(?:\xef\xbb\xbf)?(?:\)\]\}',?)?\s*[[{]/;
/** Types whose text may well begin with a bracket and be something else. */
const OTHER_TEXT = /^(?:text\/(?:html|css|javascript|xml|markdown|csv)|application\/(?:javascript|xml|graphql))|\+xml$/;
const MEDIA = /^(?:image|video|audio|font)\//;

/**
 * Reads the paths of a redaction.
 * @returns the one that cannot be read, in its place
 */
export function readJsonPaths(texts: readonly string[]): { paths: readonly JsonPath[] } | { wrong: string } {
  const paths: JsonPath[] = [];
  for (const text of texts) {
    const path = parseJsonPath(text.trim());
    if (path === null) return { wrong: text };
    paths.push(path);
  }
  return { paths };
}

/**
 * What a body is to be read as; null when it is left as it is.
 *
 * @param mediaType of its head, lower case
 * @param begin its first bytes, decoded, as latin1
 */
export function chooseReading(mediaType: string | null, begin: string, hasPaths: boolean): BodyReading | null {
  if (mediaType === 'application/x-www-form-urlencoded') return { kind: 'form' };
  if (!hasPaths) return null;
  if (mediaType === 'text/event-stream') return { kind: 'events' };
  if (mediaType !== null && /json/.test(mediaType)) return { kind: 'json', mustParse: true };
  if (mediaType !== null && MEDIA.test(mediaType)) return null;
  if (!LOOKS_LIKE_JSON.test(begin)) return null;
  return { kind: 'json', mustParse: mediaType === null || !OTHER_TEXT.test(mediaType) };
}

/**
 * Blanks values in the events of a stream (text/event-stream): each event's data when it looks like JSON.
 * @returns null when one of them does and is none
 */
export function redactEvents(text: string, paths: readonly JsonPath[]): RedactedText | null {
  let values = 0;
  let name = '';
  let unread = false;
  // Lines of data that stand together are one text.
  const written = text.replace(/^\xef\xbb\xbf/, '').replace(/(?:^data:.*(?:\r\n|\r|\n|$))+/gm, (block) => {
    const ending = /\r\n|\r|\n/.exec(block)?.[0] ?? '\n';
    const last = /[\r\n]$/.test(block) ? ending : '';
    const data = block
      .replace(/(?:\r\n|\r|\n)$/, '')
      .split(/\r\n|\r|\n/)
      .map((line) => line.replace(/^data: ?/, ''))
      .join('\n');
    if (!LOOKS_LIKE_JSON.test(data)) return block;
    const redacted = redactJson(data, paths);
    if (redacted === null) {
      unread = true;
      return block;
    }
    values += redacted.values;
    if (redacted.values === 0) return block;
    name = redacted.name;
    return `${redacted.text
      .split('\n')
      .map((line) => `data: ${line}`)
      .join(ending)}${last}`;
  });
  return unread ? null : { text: written, values, name };
}

/**
 * Blanks values in a message of a WebSocket.
 * @returns null when it looks like JSON and is none; `other` when it does not look like it
 */
export function redactMessage(text: string, paths: readonly JsonPath[]): RedactedText | null | 'other' {
  const prefix = SOCKET_PREFIX.exec(text)?.[0] ?? '';
  const rest = text.slice(prefix.length);
  if (!LOOKS_LIKE_JSON.test(rest)) return 'other';
  const redacted = redactJson(rest, paths);
  return redacted === null ? null : { ...redacted, text: prefix + redacted.text };
}
