import type { AnomalyCode } from '../model/anomaly-code.ts';
import {
  formatAuthority,
  parseAuthority,
  reasonPhrase,
  type MessageHead,
  type RequestHead,
  type RequestHeadChanges,
  type RequestTarget,
  type ResponseHead,
} from '../protocol/http1/index.ts';
import type { HeaderToSend, Http2Head } from '../protocol/http2/index.ts';
import type { PlannableHead } from './plan-request.ts';

/** Fields that belong to one connection (RFC 9110 §7.6.1, RFC 9113 §8.2.2). */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
/** What goes on whatever a Connection field names: the message would mean something else without it. */
const NEVER_NAMED: ReadonlySet<string> = new Set(['authorization', 'content-length', 'cookie', 'host', 'te']);
/** Never part of a trailer section (RFC 9110 §6.5.1). */
const NOT_IN_TRAILERS: ReadonlySet<string> = new Set([...CONNECTION_FIELDS, 'content-length', 'host', 'te', 'trailer']);
const NO_ANOMALIES: readonly AnomalyCode[] = [];
const TARGET_PORTS = { http: 80, https: 443 } as const;

/**
 * The text by which an HTTP/2 head is recorded, since it has none of its own: one `name: value` line for each field in
 * wire order, pseudo-fields with their colon, and an empty line.
 */
export function recordForm(fields: Iterable<HeaderToSend>): Buffer {
  let text = '';
  for (const { name, value } of fields) text += `${name}: ${value}\r\n`;
  return Buffer.from(`${text}\r\n`, 'latin1');
}

/** A trailer section as HTTP/1 writes it, without its final empty line. */
export function trailerLines(fields: Iterable<HeaderToSend>): Buffer {
  let text = '';
  for (const { name, value } of fields) if (!NOT_IN_TRAILERS.has(name)) text += `${name}: ${value}\r\n`;
  return Buffer.from(text, 'latin1');
}

/** The fields of a trailer section of HTTP/1, for HTTP/2. */
export function trailerFields(lines: Buffer): HeaderToSend[] {
  const fields: HeaderToSend[] = [];
  for (const line of lines.toString('latin1').split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    if (!NOT_IN_TRAILERS.has(name)) fields.push({ name, value: line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '') });
  }
  return fields;
}

/** A request that came by HTTP/2, as the planning of requests wants it. */
export class Http2Request implements PlannableHead {
  readonly minorVersion = 1;
  readonly keepAlive = true;
  readonly anomalies = NO_ANOMALIES;
  readonly head: Http2Head;
  readonly hasBody: boolean;
  readonly destination: RequestTarget;
  /** Sec-WebSocket-Key of the handshake by which an origin of HTTP/1 is asked; null where none is made. */
  readonly webSocketKey: string | null;
  #bytes: Buffer | null = null;

  /** @param hasBody the head did not end the stream, and what follows is a body */
  constructor(head: Http2Head, hasBody: boolean, webSocketKey: string | null) {
    this.head = head;
    this.hasBody = hasBody;
    this.webSocketKey = webSocketKey;
    this.destination = targetOf(head);
  }

  /** The protocol of an extended CONNECT, which HTTP/1 asks for by Upgrade (RFC 8441 §5). */
  get upgrade(): string | null {
    return this.head.protocol === '' ? null : this.head.protocol;
  }

  get bytes(): Buffer {
    return (this.#bytes ??= recordForm(requestFields(this.head)));
  }

  /** As HTTP/1 has it: GET for the handshake of an extended CONNECT. */
  get method(): string {
    return this.head.protocol === '' ? this.head.method : 'GET';
  }

  get target(): string {
    return isTunnel(this.head) ? this.head.authority : this.head.path;
  }

  get(lowerName: string): string | null {
    if (lowerName === 'host') return this.head.authority;
    for (const { name, value } of this.head.fields) if (name === lowerName) return value;
    return null;
  }

  has(lowerName: string): boolean {
    return this.get(lowerName) !== null;
  }

  /** The body goes to HTTP/1 in chunks, since nobody knows its length or since trailers are to follow it. */
  get isChunked(): boolean {
    return this.hasBody && (this.head.contentLength === -1 || announcesTrailers(this.head));
  }
}

/** CONNECT without a protocol (RFC 9113 §8.5). */
function isTunnel({ method, protocol }: Http2Head): boolean {
  return method === 'CONNECT' && protocol === '';
}

/** Whether a trailer section is promised (RFC 9110 §6.6.2), for which a body of declared length has no place in HTTP/1. */
export function announcesTrailers({ fields }: Http2Head): boolean {
  return fields.some(({ name, value }) => name === 'trailer' && value !== '');
}

function* requestFields(head: Http2Head): Generator<HeaderToSend> {
  yield { name: ':method', value: head.method };
  if (head.protocol !== '') yield { name: ':protocol', value: head.protocol };
  if (head.scheme !== '') yield { name: ':scheme', value: head.scheme };
  if (head.authority !== '' && !head.fields.some(({ name }) => name === 'host')) {
    yield { name: ':authority', value: head.authority };
  }
  if (head.path !== '') yield { name: ':path', value: head.path };
  yield* head.fields;
}

function targetOf(head: Http2Head): RequestTarget {
  const { scheme, authority, path } = head;
  const named = parseAuthority(authority);
  const known = scheme === 'http' || scheme === 'https' ? scheme : null;
  return {
    form: isTunnel(head) ? 'authority' : 'absolute',
    scheme: known,
    host: named?.host ?? '',
    port: named?.port ?? (known === null ? null : TARGET_PORTS[known]),
    path,
    authority,
    differsFromHost: false,
  };
}

/**
 * A request of HTTP/2 as HTTP/1.1 says it: `:authority` becomes Host, cookie crumbs are joined (RFC 9113 §8.2.3), `TE:
 * trailers` is announced as hop-by-hop, a body of unknown length goes in chunks.
 */
export function writeHttp1Request(request: Http2Request, changes: RequestHeadChanges): Buffer {
  const { head, hasBody, isChunked, upgrade, webSocketKey } = request;
  let text = `${request.method} ${changes.target ?? head.path} HTTP/1.1\r\nHost: ${changes.host ?? head.authority}\r\n`;
  let cookies = '';
  let wantsTrailers = false;
  for (const { name, value } of head.fields) {
    if (name === 'host') continue;
    if (name === 'cookie') cookies = cookies === '' ? value : `${cookies}; ${value}`;
    else if (name === 'te') wantsTrailers = true;
    else if (name === 'proxy-authorization' && !changes.keepProxyAuthorization) continue;
    else if (name === 'content-length' && (isChunked || upgrade !== null)) continue;
    else if (name === 'sec-websocket-key' && webSocketKey !== null) continue;
    else if (name === 'max-forwards' && changes.maxForwards !== null)
      text += `${name}: ${String(changes.maxForwards)}\r\n`;
    else if (!CONNECTION_FIELDS.has(name)) text += `${name}: ${value}\r\n`;
  }
  if (cookies !== '') text += `cookie: ${cookies}\r\n`;
  if (wantsTrailers) text += 'te: trailers\r\n';
  if (upgrade !== null) text += upgradeLines(request, upgrade);
  const options = [...(upgrade === null ? [] : ['Upgrade']), ...(wantsTrailers ? ['TE'] : [])];
  if (options.length > 0) text += `Connection: ${options.join(', ')}\r\n`;
  if (isChunked) text += 'Transfer-Encoding: chunked\r\n';
  else if (!hasBody && head.contentLength === -1 && IMPLIES_BODY.has(head.method)) text += 'Content-Length: 0\r\n';
  return Buffer.from(`${text}${changes.appendedLines}\r\n`, 'latin1');
}

/** What an extended CONNECT does not say and a handshake of HTTP/1 must (RFC 8441 §5, RFC 6455 §4.1). */
function upgradeLines(request: Http2Request, protocol: string): string {
  const lines = `Upgrade: ${protocol}\r\n`;
  if (request.webSocketKey === null) return lines;
  const version = request.has('sec-websocket-version') ? '' : 'Sec-WebSocket-Version: 13\r\n';
  return `${lines}${version}Sec-WebSocket-Key: ${request.webSocketKey}\r\n`;
}

/** Methods whose request without a body says so (RFC 9110 §8.6). */
const IMPLIES_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** A request of HTTP/1 as HTTP/2 says it, names in lower case (RFC 9113 §8.2, §8.3.1). */
export function http2RequestFields(
  head: RequestHead,
  scheme: 'http' | 'https',
  host: string,
  port: number,
): HeaderToSend[] {
  const { upgrade } = head;
  const fields: HeaderToSend[] = [{ name: ':method', value: upgrade === null ? head.method : 'CONNECT' }];
  // An Upgrade is an extended CONNECT in HTTP/2 (RFC 8441 §4).
  if (upgrade !== null) fields.push({ name: ':protocol', value: protocolOf(upgrade) });
  fields.push(
    { name: ':scheme', value: scheme },
    { name: ':authority', value: head.get('host') ?? formatAuthority(host, port, scheme) },
    { name: ':path', value: head.target },
  );
  addFields(head, fields);
  return upgrade === null ? fields : fields.filter(({ name }) => !HANDSHAKE_FIELDS.has(name));
}

/** What only the handshake of HTTP/1 has (RFC 8441 §5). */
const HANDSHAKE_FIELDS: ReadonlySet<string> = new Set(['sec-websocket-key', 'sec-websocket-accept', 'content-length']);

/** The protocol that an Upgrade field asks for first, as `:protocol` has it. */
function protocolOf(upgrade: string): string {
  return (upgrade.split(',')[0] ?? '').trim().toLowerCase();
}

/** A 101 of HTTP/1 as HTTP/2 says it to an extended CONNECT: with 200 (RFC 8441 §5). */
export function http2SwitchFields(head: ResponseHead): HeaderToSend[] {
  const fields: HeaderToSend[] = [{ name: ':status', value: '200' }];
  addFields(head, fields);
  return fields.filter(({ name }) => !HANDSHAKE_FIELDS.has(name));
}

/**
 * The 200 that answers an extended CONNECT as HTTP/1 says it: 101.
 *
 * @param accept Sec-WebSocket-Accept, where the protocol has one
 */
export function writeHttp1Switch(head: Http2Head, upgrade: string, accept: string | null): Buffer {
  let text = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n`;
  if (accept !== null) text += `Sec-WebSocket-Accept: ${accept}\r\n`;
  for (const { name, value } of head.fields)
    if (!CONNECTION_FIELDS.has(name) && !HANDSHAKE_FIELDS.has(name)) text += `${name}: ${value}\r\n`;
  return Buffer.from(`${text}\r\n`, 'latin1');
}

/** A response of HTTP/1 as HTTP/2 says it. */
export function http2ResponseFields(head: ResponseHead, appendedLines: string): HeaderToSend[] {
  const fields: HeaderToSend[] = [{ name: ':status', value: String(head.status) }];
  addFields(head, fields);
  if (appendedLines !== '') fields.push(...trailerFields(Buffer.from(appendedLines, 'latin1')));
  return fields;
}

function addFields(head: MessageHead, into: HeaderToSend[]): void {
  const named = head.connectionOptions;
  let lengths = 0;
  for (let index = 0; index < head.fieldCount; index += 1) {
    const name = head.fieldName(index).toLowerCase();
    if (name === 'host' || CONNECTION_FIELDS.has(name)) continue;
    if (named.length > 0 && named.includes(name) && !NEVER_NAMED.has(name)) continue;
    let value = head.fieldValue(index);
    if (name === 'te') {
      if (!/(^|,)[ \t]*trailers[ \t]*(,|;|$)/i.test(value)) continue;
      value = 'trailers';
    } else if (name === 'content-length') {
      // A length beside a transfer coding says nothing; several equal ones are one (RFC 9112 §6.3).
      lengths += 1;
      if (head.framing === 'chunked' || lengths > 1) continue;
      if (head.framing === 'length') value = String(head.contentLength);
    }
    into.push({ name, value });
  }
}

/** How the body of a response of HTTP/2 goes on in HTTP/1. */
export type InnerFraming = 'none' | 'length' | 'chunked';

/** A response of HTTP/2 as HTTP/1.1 says it. */
export function writeHttp1Response(head: Http2Head, framing: InnerFraming, addLength: boolean): Buffer {
  let text = `HTTP/1.1 ${String(head.status)} ${reasonPhrase(head.status)}\r\n`;
  for (const { name, value } of head.fields) {
    if (CONNECTION_FIELDS.has(name) || (framing === 'chunked' && name === 'content-length')) continue;
    text += `${name}: ${value}\r\n`;
  }
  if (framing === 'chunked') text += 'Transfer-Encoding: chunked\r\n';
  if (addLength) text += 'Content-Length: 0\r\n';
  return Buffer.from(`${text}\r\n`, 'latin1');
}

/** A response head of HTTP/2 for the record. */
export function responseForm(head: Http2Head): Buffer {
  return recordForm([{ name: ':status', value: String(head.status) }, ...head.fields]);
}
