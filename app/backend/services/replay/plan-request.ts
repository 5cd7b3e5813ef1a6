import type { HeaderField, ReplayRequest } from '#contract';
import { ContractError } from '#contract';
import type { CapturedRequest } from './captured-request.ts';
import { withoutCookies, type CookieJar } from './cookie-jar.ts';
import { CONNECTION_FIELDS, placeOf, valueOf, withField, without, type RequestPlace } from './request-parts.ts';

/** A request that is ready to be sent in either version of HTTP. */
export interface PlannedRequest {
  readonly place: RequestPlace;
  readonly method: string;
  /** What the connection may speak, the preferred one first. */
  readonly versions: readonly ('h2' | 'http/1.1')[];
  /** Fields as HTTP/1 sends them, for whoever follows a redirect. */
  readonly fields: readonly HeaderField[];
  http1(): WireRequest;
  http2(): StreamRequest;
}

/** A request of HTTP/1: its bytes. */
export interface WireRequest {
  readonly head: Buffer;
  body(): AsyncIterable<Buffer>;
}

/** A request of HTTP/2: its field list, pseudo-fields first. */
export interface StreamRequest {
  readonly fields: readonly HeaderField[];
  /** Null for a request without a body. */
  readonly body: (() => AsyncIterable<Buffer>) | null;
  readonly trailers: readonly HeaderField[];
}

interface Body {
  readonly bytes: number;
  pieces(): AsyncIterable<Buffer>;
}

const FRAMING_FIELDS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);
/** Methods whose requests say their length even when it is 0 (RFC 9110 §8.6). */
const WITH_CONTENT: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const HOST: ReadonlySet<string> = new Set(['host']);

/**
 * Puts a request together from what was captured and what was edited. What nobody edited is sent as it was.
 *
 * @param captured the request of `request.of`; null when it is composed from nothing
 * @param jar cookies to add; null adds none
 * @throws ContractError `bad-input`
 */
export function planRequest(
  request: ReplayRequest,
  captured: CapturedRequest | null,
  jar: CookieJar | null,
): PlannedRequest {
  const url = request.url ?? captured?.url;
  if (url === undefined)
    throw new ContractError('bad-input', 'The request has no URL. Write one like https://host/path.');
  const place = placeOf(url);
  const method = request.method ?? captured?.method ?? 'GET';
  const fields = editedFields(request, captured, place, jar);
  const body = bodyOf(request, captured);
  const exact = request.version === 'captured' ? captured : null;
  return {
    place,
    method,
    versions: versionsOf(request, captured, place),
    fields,
    http1: () => planHttp1({ place, method, fields, body }, exact, request),
    http2: () => planHttp2({ place, method, fields, body }, exact),
  };
}

interface Parts {
  readonly place: RequestPlace;
  readonly method: string;
  readonly fields: readonly HeaderField[];
  readonly body: Body;
}

function versionsOf(
  { version }: ReplayRequest,
  captured: CapturedRequest | null,
  { scheme }: RequestPlace,
): PlannedRequest['versions'] {
  if (version === 'http/1.1' || version === 'h2') return [version];
  if (version === 'captured' && captured !== null) return [captured.isHttp2 ? 'h2' : 'http/1.1'];
  // Without TLS there is nothing that agrees on a version.
  return scheme === 'https' ? ['h2', 'http/1.1'] : ['http/1.1'];
}

function editedFields(
  request: ReplayRequest,
  captured: CapturedRequest | null,
  place: RequestPlace,
  jar: CookieJar | null,
): readonly HeaderField[] {
  let fields = request.headers ?? captured?.fields ?? [];
  // A request that goes elsewhere says so, unless its list of fields was written by hand.
  if (request.headers === undefined && request.url !== undefined && valueOf(fields, 'host') !== null) {
    fields = withField(fields, ['Host', place.authority]);
  }
  for (const field of request.setHeaders ?? []) fields = withField(fields, field);
  if (request.cookies === 'dropped') fields = withoutCookies(fields);
  return jar === null ? fields : jar.apply(place, fields);
}

function bodyOf(request: ReplayRequest, captured: CapturedRequest | null): Body {
  const { body } = request;
  if (body !== undefined) {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return { bytes: bytes.length, pieces: () => once(bytes) };
  }
  if (captured === null) return { bytes: 0, pieces: () => once(Buffer.alloc(0)) };
  return { bytes: captured.bodyBytes, pieces: () => captured.body() };
}

function planHttp1(parts: Parts, exact: CapturedRequest | null, request: ReplayRequest): WireRequest {
  const { place, method, body } = parts;
  const head = exact?.head ?? null;
  const wire = exact !== null && head !== null && request.body === undefined ? exact : null;
  const { fields } = parts;
  const sameFraming = wire !== null && framing(fields) === framing(wire.fields);
  if (wire !== null && head !== null && sameFraming) {
    return {
      head: rewriteHead(head, startLineOf(head, wire, request, parts), wire.fields, fields),
      body: () => wire.wireBody(),
    };
  }
  const framed = withFraming(withHost(withOneCookieField(fields), place), method, body.bytes);
  const lines = framed.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const isChunked = (valueOf(framed, 'transfer-encoding') ?? '').toLowerCase() === 'chunked';
  return {
    head: Buffer.from(`${method} ${place.target} HTTP/1.1\r\n${lines}\r\n`, 'latin1'),
    body: () => (isChunked ? chunked(body.pieces()) : body.pieces()),
  };
}

/** The start line as it was captured, where neither method nor URL were edited. */
function startLineOf(head: Buffer, captured: CapturedRequest, request: ReplayRequest, parts: Parts): string {
  const line = head.toString('latin1', 0, head.indexOf(0x0a) + 1);
  const isEdited =
    (request.method ?? captured.method) !== captured.method || (request.url ?? captured.url) !== captured.url;
  if (!isEdited) return line;
  const [, version = 'HTTP/1.1\r\n'] = /(HTTP\/\d\.\d\r?\n)$/.exec(line) ?? [];
  return `${parts.method} ${parts.place.target} ${version}`;
}

/** The head with these fields: what is as it was keeps its exact bytes. */
function rewriteHead(
  head: Buffer,
  startLine: string,
  captured: readonly HeaderField[],
  fields: readonly HeaderField[],
): Buffer {
  const text = head.toString('latin1');
  if (fields === captured) return Buffer.from(startLine + text.slice(text.indexOf('\n') + 1), 'latin1');
  const lines = new Map<string, string[]>();
  // A line and the lines that continue it (RFC 9112 §5.2).
  for (const line of text.slice(text.indexOf('\n') + 1).match(/[^\n]+\n(?:[ \t][^\n]*\n)*/g) ?? []) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const key = keyOf([
      line.slice(0, colon).trim(),
      line
        .slice(colon + 1)
        .replaceAll(/\r?\n[ \t]*/g, ' ')
        .trim(),
    ]);
    const same = lines.get(key);
    if (same === undefined) lines.set(key, [line]);
    else same.push(line);
  }
  const written = fields.map((field) => lines.get(keyOf(field))?.shift() ?? `${field[0]}: ${field[1]}\r\n`);
  return Buffer.from(`${startLine}${written.join('')}\r\n`, 'latin1');
}

function keyOf([name, value]: HeaderField): string {
  return `${name}\n${value}`;
}

function planHttp2({ place, method, fields, body }: Parts, exact: CapturedRequest | null): StreamRequest {
  const authority = valueOf(fields, 'host') ?? place.authority;
  const values: Readonly<Record<string, string>> = {
    ':method': method,
    ':scheme': place.scheme,
    ':authority': authority,
    ':path': place.target,
  };
  const isExact = exact?.isHttp2 === true;
  const order = isExact ? exact.pseudoFields.map(([name]) => name) : Object.keys(values);
  const pseudoFields = order.flatMap((name): HeaderField[] => {
    const captured = exact?.pseudoFields.find(([other]) => other === name)?.[1];
    const value =
      isExact && place.authority === placeOf(exact.url).authority && name === ':authority' ? captured : null;
    return [[name, value ?? values[name] ?? captured ?? '']];
  });
  const own = isExact ? fields : without(fields, HOST);
  const plain = without(own, CONNECTION_FIELDS)
    .map(([name, value]): HeaderField => [name.toLowerCase(), value])
    .filter(([name, value]) => name !== 'te' || value.toLowerCase() === 'trailers');
  const length = valueOf(plain, 'content-length');
  const sized =
    length !== null && length !== String(body.bytes) ? withField(plain, ['content-length', String(body.bytes)]) : plain;
  return {
    fields: [...pseudoFields, ...sized],
    body: body.bytes === 0 ? null : () => body.pieces(),
    trailers: exact?.trailers ?? [],
  };
}

function framing(fields: readonly HeaderField[]): string {
  return fields
    .filter(([name]) => FRAMING_FIELDS.has(name.toLowerCase()))
    .map(([name, value]) => `${name.toLowerCase()}:${value.toLowerCase()}`)
    .join('\n');
}

function withHost(fields: readonly HeaderField[], { authority }: RequestPlace): readonly HeaderField[] {
  return valueOf(fields, 'host') === null ? [['Host', authority], ...fields] : fields;
}

/** HTTP/2 may part cookies into several fields, HTTP/1 may not (RFC 9113 §8.2.3). */
function withOneCookieField(fields: readonly HeaderField[]): readonly HeaderField[] {
  const cookies = fields.filter(([name]) => name.toLowerCase() === 'cookie');
  return cookies.length < 2 ? fields : withField(fields, ['Cookie', cookies.map(([, value]) => value).join('; ')]);
}

/** One way to say how long the body is, and a true one (RFC 9112 §6). */
function withFraming(fields: readonly HeaderField[], method: string, bytes: number): readonly HeaderField[] {
  const coding = valueOf(fields, 'transfer-encoding');
  if (coding?.toLowerCase() === 'chunked') return without(fields, new Set(['content-length']));
  const unframed = coding === null ? fields : without(fields, new Set(['transfer-encoding']));
  const isNamed = valueOf(unframed, 'content-length') !== null;
  if (!isNamed && bytes === 0 && !WITH_CONTENT.has(method)) return unframed;
  return withField(unframed, ['Content-Length', String(bytes)]);
}

async function* chunked(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    if (piece.length > 0) yield Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, CRLF]);
  }
  yield LAST_CHUNK;
}

const CRLF = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}
