/** One part of a multipart body; offsets are bytes of that body. */
export interface MultipartPart {
  /** Of form data; empty elsewhere. */
  readonly name: string;
  /** What a file is called; null for what is none. */
  readonly fileName: string | null;
  /** Media type without parameters, lower case; null where the part does not say. */
  readonly type: string | null;
  /** Content-Type as sent. */
  readonly contentType: string | null;
  /** Fields of its head in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Where its content begins. */
  readonly from: number;
  /** Behind its content. */
  readonly end: number;
  /** What was read of the body ends within this part. */
  readonly cut: boolean;
}

/** Longest head of a part that is read, bytes. */
const MOST_HEAD_BYTES = 8_192;
/** Parts that are listed at most. */
const MOST_PARTS = 10_000;

/**
 * Finds the parts of a multipart body (RFC 2046 §5.1, RFC 7578) leniently; null when not one boundary is found.
 *
 * @param body the whole body, or its beginning
 * @param contentType with its boundary; without one the first line tells it
 * @param totalBytes of the whole body: a last part that was not read to its end reaches up to there
 */
export function multipartParts(
  body: Uint8Array,
  contentType: string | null,
  totalBytes = body.length,
): readonly MultipartPart[] | null {
  const boundary = boundaryOf(body, contentType);
  if (boundary === null) return null;
  const latin1 = new TextDecoder('latin1').decode(body);
  const parts: MultipartPart[] = [];
  const delimiter = `--${boundary}`;
  let at = delimiterFrom(latin1, delimiter, 0);
  while (at >= 0 && parts.length < MOST_PARTS) {
    const start = latin1.indexOf('\n', at) + 1;
    if (start === 0 || latin1.startsWith('--', at + delimiter.length)) break;
    const next = delimiterFrom(latin1, delimiter, start);
    const cut = next < 0;
    const end = cut ? Math.max(totalBytes, latin1.length) : lineEndBefore(latin1, next, start);
    const part = readPart(body, latin1, start, end, cut);
    if (part !== null) parts.push(part);
    at = next;
  }
  return parts;
}

/** A boundary counts at the beginning of a line alone. */
function delimiterFrom(latin1: string, delimiter: string, from: number): number {
  for (let at = latin1.indexOf(delimiter, from); at >= 0; at = latin1.indexOf(delimiter, at + 1)) {
    if (at === 0 || latin1.charAt(at - 1) === '\n') return at;
  }
  return -1;
}

/** The line end before a boundary belongs to the boundary. */
function lineEndBefore(latin1: string, boundary: number, start: number): number {
  const end = latin1.charAt(boundary - 2) === '\r' ? boundary - 2 : boundary - 1;
  return Math.max(start, end);
}

function boundaryOf(body: Uint8Array, contentType: string | null): string | null {
  const declared = contentType === null ? null : /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  if (declared !== null) return declared[1] ?? declared[2] ?? null;
  const first = new TextDecoder('latin1').decode(body.subarray(0, 80)).split(/\r?\n/)[0] ?? '';
  return first.startsWith('--') && first.length > 2 ? first.slice(2) : null;
}

function readPart(body: Uint8Array, latin1: string, start: number, end: number, cut: boolean): MultipartPart | null {
  // A part without fields begins with the empty line.
  const opening = /^\r?\n/.exec(latin1.slice(start, start + 2));
  const headEnd = opening ?? /\r?\n\r?\n/.exec(latin1.slice(start, Math.min(end, start + MOST_HEAD_BYTES)));
  if (headEnd === null) return null;
  const head = opening === null ? new TextDecoder().decode(body.subarray(start, start + headEnd.index)) : '';
  const headers = fieldsOf(head);
  const field = (wanted: string): string | null => headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;
  const disposition = field('content-disposition') ?? '';
  const contentType = field('content-type');
  const from = start + headEnd.index + headEnd[0].length;
  return {
    name: parameter(disposition, 'name') ?? '',
    fileName: extendedParameter(disposition, 'filename') ?? parameter(disposition, 'filename'),
    type: contentType?.split(';')[0]?.trim().toLowerCase() ?? null,
    contentType,
    headers,
    from: Math.min(from, end),
    end,
    cut,
  };
}

function fieldsOf(head: string): readonly (readonly [string, string])[] {
  return head
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return colon < 0 ? (['', line] as const) : ([line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const);
    });
}

function parameter(field: string, name: string): string | null {
  const match = new RegExp(`(?:^|[;\\s])${name}=(?:"((?:\\\\.|[^"\\\\])*)"|([^;]+))`, 'i').exec(field);
  return match === null ? null : (match[1] ?? match[2] ?? '').replaceAll(/\\(.)/g, '$1');
}

/** A parameter with its charset, `filename*=UTF-8''na%C3%AFve.txt` (RFC 8187 §3.2); null when it is none or malformed. */
function extendedParameter(field: string, name: string): string | null {
  const match = new RegExp(`[;\\s]${name}\\*=utf-8'[^']*'([^;\\s]+)`, 'i').exec(field);
  try {
    return match === null ? null : decodeURIComponent(match[1] ?? '');
  } catch {
    return null;
  }
}
