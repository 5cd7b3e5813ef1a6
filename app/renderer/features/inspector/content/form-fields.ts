/** One line of a form or query table. */
export interface FormField {
  readonly name: string;
  readonly value: string;
  /** For a file: what it is called and how large it is, instead of its value. */
  readonly file?: { readonly name: string; readonly type: string | null; readonly bytes: number };
}

/** Decodes `application/x-www-form-urlencoded`, also a query; malformed escapes stay as they are (WHATWG URL §5.1). */
export function urlencodedFields(text: string): readonly FormField[] {
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, value }));
}

/** The fields of a path's query; empty without one. */
export function queryFields(path: string): readonly FormField[] {
  const at = path.indexOf('?');
  return at < 0 ? [] : urlencodedFields(path.slice(at + 1));
}

/** Longest value of a part that is shown as text, bytes. */
const MOST_VALUE_BYTES = 4_096;

/**
 * Reads the parts of `multipart/form-data` (RFC 7578) leniently; null when not one boundary is found.
 * @param body the whole body, or its beginning: a last part that is cut counts as far as it goes
 */
export function multipartFields(body: Uint8Array, contentType: string | null): readonly FormField[] | null {
  const boundary = boundaryOf(body, contentType);
  if (boundary === null) return null;
  const latin1 = new TextDecoder('latin1').decode(body);
  const fields: FormField[] = [];
  const delimiter = `--${boundary}`;
  let at = latin1.indexOf(delimiter);
  while (at >= 0) {
    const start = latin1.indexOf('\n', at) + 1;
    if (start === 0 || latin1.startsWith('--', at + delimiter.length)) break;
    const next = latin1.indexOf(delimiter, start);
    const end = next < 0 ? latin1.length : next - (latin1.endsWith('\r\n', next) ? 2 : 1);
    const field = part(body, latin1, start, end);
    if (field !== null) fields.push(field);
    at = next;
  }
  return fields;
}

function boundaryOf(body: Uint8Array, contentType: string | null): string | null {
  const declared = contentType === null ? null : /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  if (declared !== null) return declared[1] ?? declared[2] ?? null;
  const first = new TextDecoder('latin1').decode(body.subarray(0, 80)).split(/\r?\n/)[0] ?? '';
  return first.startsWith('--') && first.length > 2 ? first.slice(2) : null;
}

function part(body: Uint8Array, latin1: string, start: number, end: number): FormField | null {
  const headEnd = /\r?\n\r?\n/.exec(latin1.slice(start, Math.min(end, start + 8_192)));
  if (headEnd === null) return null;
  const decoder = new TextDecoder();
  const head = decoder.decode(body.subarray(start, start + headEnd.index));
  const from = start + headEnd.index + headEnd[0].length;
  const name = parameter(head, 'name') ?? '';
  const fileName = parameter(head, 'filename');
  const bytes = Math.max(0, end - from);
  if (fileName !== null) {
    const type = /^content-type:\s*([^\r\n;]+)/im.exec(head)?.[1]?.trim() ?? null;
    return { name, value: '', file: { name: fileName, type, bytes } };
  }
  const value = decoder.decode(body.subarray(from, Math.min(end, from + MOST_VALUE_BYTES)));
  return { name, value: bytes > MOST_VALUE_BYTES ? `${value}…` : value };
}

function parameter(head: string, name: string): string | null {
  const match = new RegExp(`[;\\s]${name}=(?:"((?:\\\\.|[^"\\\\])*)"|([^;\\r\\n]+))`, 'i').exec(head);
  return match === null ? null : (match[1] ?? match[2] ?? '').replaceAll(/\\(.)/g, '$1');
}
