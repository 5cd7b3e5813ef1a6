import { exchangeUrl, type ExchangeDetail, type HeaderField } from '#contract';
import { decodedBody, type ExportSource } from './export-source.ts';

/** A longer body is not written into the command: it names a file instead. */
const MOST_BODY_BYTES = 1_048_576;

/** Fields that curl makes itself, from the URL, the body and the protocol. */
const MADE_BY_CURL = new Set(['host', 'content-length', 'connection', 'proxy-connection', 'keep-alive', 'expect']);

/** Fields that curl adds when they are not named; naming them without a value keeps it from that. */
const ADDED_BY_CURL = ['User-Agent', 'Accept'];

const VERSION_OPTIONS: Readonly<Record<string, string>> = {
  'http/1.0': '--http1.0',
  'http/1.1': '--http1.1',
  h2: '--http2',
  h2c: '--http2-prior-knowledge',
};

/**
 * One request as a command for a POSIX shell that makes curl send the same method, target, fields in order and body.
 * Bodies that a shell argument cannot hold (a NUL byte, control bytes) come through `printf`; bodies over 1 MiB are named as a file.
 */
export async function exportCurl(source: ExportSource, id: number): Promise<string> {
  const detail = await source.get(id);
  const { summary, request } = detail;
  const url = exchangeUrl(summary);
  const headers = request?.headers ?? [];
  const parts: string[] = [`curl ${quote(url)}`];
  const hasBody = summary.requestBodyBytes > 0;
  if (summary.method === 'HEAD' && !hasBody) parts.push('--head');
  else if (summary.method !== (hasBody ? 'POST' : 'GET')) parts.push(`--request ${quote(summary.method)}`);
  const version = VERSION_OPTIONS[summary.client.protocol];
  if (version !== undefined) parts.push(version);
  // What stands in the URL is sent as it stands: no globs, no removal of dot segments.
  if (/[[\]{}]/.test(url)) parts.push('--globoff');
  if (/\/\.{1,2}(\/|$|\?)/.test(summary.path)) parts.push('--path-as-is');
  if (summary.path !== '' && !summary.path.startsWith('/')) parts.push(`--request-target ${quote(summary.path)}`);
  const expected = /:\/\/([^/?#]*)/.exec(url)?.[1];
  for (const [name, value] of headers) {
    // Pseudo-fields are made from method and URL.
    if (name.startsWith(':')) continue;
    const lower = name.toLowerCase();
    if (lower === 'host' ? value.toLowerCase() === expected : MADE_BY_CURL.has(lower)) continue;
    if (lower === 'transfer-encoding' && !hasBody) continue;
    parts.push(`--header ${quoteLatin1(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  for (const name of ADDED_BY_CURL) if (!hasField(headers, name)) parts.push(`--header '${name}:'`);
  if (hasField(headers, 'Accept-Encoding')) parts.push('--compressed');
  let prefix = '';
  if (hasBody) {
    if (!hasField(headers, 'Content-Type')) parts.push("--header 'Content-Type:'");
    parts.push("--header 'Expect:'");
    const body = await bodyOption(source, detail);
    parts.push(`--data-binary ${body.value}`);
    prefix = body.prefix;
  }
  return prefix + parts.join(' \\\n  ');
}

/** How curl gets the body: in its argument, or from `printf` before it. */
async function bodyOption(
  source: ExportSource,
  { summary, request }: ExchangeDetail,
): Promise<{ value: string; prefix: string }> {
  if (summary.requestBodyBytes > MOST_BODY_BYTES) return { value: '@request-body.bin', prefix: '' };
  const body = await encodedBody(source, summary.id, (request?.contentEncoding.length ?? 0) > 0);
  const text = body.toString('utf8');
  const plain = Buffer.from(text, 'utf8').equals(body) && !/[\x00-\x08\x0b-\x1f\x7f]/.test(text);
  // A leading @ would name a file.
  if (plain && !text.startsWith('@')) return { value: quote(text), prefix: '' };
  return { value: '@-', prefix: `printf ${quote(octal(body))} | ` };
}

/** The body as it was sent: with its content coding, when it has one. */
async function encodedBody(source: ExportSource, id: number, coded: boolean): Promise<Buffer> {
  if (!coded) {
    const pieces: Buffer[] = [];
    for await (const piece of decodedBody(source, { id }, 'request')) pieces.push(piece);
    return Buffer.concat(pieces);
  }
  const pieces: Uint8Array[] = [];
  for (let offset = 0; ;) {
    const { bytes } = await source.readBody({ id, side: 'request', form: 'stored', offset, length: 262_144 });
    if (bytes.length === 0) return Buffer.concat(pieces);
    pieces.push(bytes);
    offset += bytes.length;
  }
}

function hasField(headers: readonly HeaderField[], name: string): boolean {
  return headers.some(([field]) => field.toLowerCase() === name.toLowerCase());
}

/** A POSIX shell takes everything between single quotes as it stands, but the single quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A field's characters are bytes: those over 0x7F that are UTF-8 are written as that, others by `printf`. */
function quoteLatin1(field: string): string {
  const bytes = Buffer.from(field, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? quote(text) : `"$(printf ${quote(octal(bytes))})"`;
}

/** A format for `printf` that yields these bytes: printable ones as they are, others in octal. */
function octal(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c && byte !== 0x25;
    text += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return text;
}
