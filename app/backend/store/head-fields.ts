import type { HeaderField } from '#contract';

/** A stored head, taken apart for people and exports. */
export interface ParsedHead {
  /** Without its line end, latin1. Empty for HTTP/2, whose pseudo-fields say what a start line does. */
  readonly startLine: string;
  /** In wire order and case; folded values joined by one space (RFC 9112 §5.2). */
  readonly headers: readonly HeaderField[];
}

/**
 * Takes a recorded head apart. It is lenient, since what stands here has passed the engine or was refused by it: a line
 * without a colon becomes a field with an empty value.
 */
export function parseHead(head: Uint8Array): ParsedHead {
  const text = latin1(head);
  if (text.startsWith(':')) return { startLine: '', headers: parseFieldLines(text) };
  const startEnd = text.indexOf('\n');
  if (startEnd < 0) return { startLine: text, headers: [] };
  return {
    startLine: withoutCarriageReturn(text.slice(0, startEnd)),
    headers: parseFieldLines(text.slice(startEnd + 1)),
  };
}

/** Takes a trailer section apart. */
export function parseTrailers(section: Uint8Array | null): readonly HeaderField[] {
  return section === null ? [] : parseFieldLines(latin1(section));
}

/** Value of the first field of that name; `lowerName` in lower case. */
export function fieldValue(headers: readonly HeaderField[], lowerName: string): string | null {
  for (const [name, value] of headers) if (name.toLowerCase() === lowerName) return value;
  return null;
}

/** Media type of a message without parameters, in lower case; null when the head names none. */
export function mediaTypeOf(contentType: string | null): string | null {
  if (contentType === null) return null;
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return type === '' ? null : type;
}

/** The charset parameter of a content type, in lower case and without quotes. */
export function charsetOf(contentType: string | null): string | null {
  const match = contentType === null ? null : /;\s*charset\s*=\s*("?)([^";\s]+)\1/i.exec(contentType);
  return match?.[2]?.toLowerCase() ?? null;
}

/** Content codings in order of application, in lower case; `identity` left out (RFC 9110 §8.4). */
export function contentCodingsOf(headers: readonly HeaderField[]): readonly string[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/** The media type straight from the bytes of a head, for rows: no field is taken apart for it. */
export function mediaTypeOfHead(head: Buffer): string | null {
  const match = /\ncontent-type[ \t]*:[ \t]*([^\r\n]*)/i.exec(head.toString('latin1'));
  return mediaTypeOf(match?.[1] ?? null);
}

function parseFieldLines(text: string): HeaderField[] {
  const fields: [string, string][] = [];
  for (const raw of text.split('\n')) {
    const line = withoutCarriageReturn(raw);
    if (line === '') continue;
    const last = fields.at(-1);
    if ((line.startsWith(' ') || line.startsWith('\t')) && last !== undefined) {
      last[1] = `${last[1]} ${trim(line)}`.trimStart();
      continue;
    }
    // The colon of a pseudo-field is part of its name (RFC 9113 §8.3).
    const colon = line.indexOf(':', line.startsWith(':') ? 1 : 0);
    fields.push(colon < 0 ? [line, ''] : [trim(line.slice(0, colon)), trim(line.slice(colon + 1))]);
  }
  return fields;
}

/** Optional white space of HTTP only: other characters of a value are its own. */
function trim(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
