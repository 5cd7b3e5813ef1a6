import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  ANOMALY_CODES,
  ERROR_CODES,
  type AnomalyCode,
  type ErrorCode,
  type ExchangeError,
  type TlsFacts,
} from '#contract';
import type { HeaderField, ProtocolName, Timing } from '#contract';
import { bytesOf, headBytes, linesOf, protocolOf, requestHead, responseHead } from './made-heads.ts';
import { fieldsOf, listOf, numberOf, objectOf, textOf, type JsonObject } from './lenient.ts';

/** One message of a WebSocket, as a file tells it. */
export interface ImportedMessage {
  readonly side: 'request' | 'response';
  /** Microseconds since the Unix epoch. */
  readonly time: number;
  readonly opcode: number;
  readonly data: Buffer;
}

/** An exchange of a HAR file, in the form in which Weir records exchanges. */
export interface ImportedExchange {
  readonly kind: 'http' | 'websocket' | 'tunnel' | 'tcp' | 'udp';
  /** Microseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly scheme: 'http' | 'https' | 'tcp' | 'tls' | 'udp';
  readonly host: string;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly protocol: ProtocolName;
  readonly head: Buffer;
  readonly sentHead: Buffer | null;
  readonly body: Buffer;
  readonly trailers: Buffer | null;
  readonly originAddress: string | null;
  /** Names the connection to the origin within the file. */
  readonly connection: string;
  /** Reads what the file says about TLS to the origin; once for each connection. */
  readonly originTls?: () => TlsFacts | null;
  /** The client, where the file knows it. */
  readonly client?: ImportedConnection;
  readonly informational: readonly Buffer[];
  readonly response: {
    readonly status: number;
    readonly head: Buffer;
    readonly sentHead: Buffer | null;
    readonly body: Buffer;
    readonly trailers: Buffer | null;
  } | null;
  readonly timing: Timing;
  /** When the body of the response came, microseconds since the start; null: with its first byte. */
  readonly bodyAt: number | null;
  readonly error: ExchangeError | null;
  readonly anomalies: readonly AnomalyCode[];
  readonly comment: string;
  readonly messages: readonly ImportedMessage[];
}

/** A connection that the file knows. */
export interface ImportedConnection {
  readonly address: string;
  /** Names it within the file. */
  readonly connection: string;
  /** Reads what was agreed on; null without TLS. */
  readonly tls: () => TlsFacts | null;
}

/** Why an entry is left out; for a person. */
export class EntrySkipped extends Error {
  override readonly name = 'EntrySkipped';
}

const SCHEMES: Readonly<Record<string, ImportedExchange['scheme']>> = {
  'http:': 'http',
  'https:': 'https',
  'ws:': 'http',
  'wss:': 'https',
  'tcp:': 'tcp',
  'tls:': 'tls',
  'udp:': 'udp',
};
const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, tls: 443 };
const RELAYS: ReadonlySet<string> = new Set(['tunnel', 'tcp', 'udp']);

/**
 * Reads one entry of a HAR file, whichever program and version wrote it.
 *
 * @param value parsed JSON
 * @param now used where the entry says no time, microseconds since the Unix epoch
 * @throws EntrySkipped when it describes no exchange
 */
export function readHarEntry(value: unknown, now: number): ImportedExchange {
  const entry = objectOf(value);
  const request = objectOf(entry['request']);
  const response = objectOf(entry['response']);
  const written = textOf(request['url']);
  if (written === '') throw new EntrySkipped('it names no URL');
  const url = URL.parse(written);
  if (url === null) throw new EntrySkipped(`its URL is none: ${written.slice(0, 80)}`);
  const scheme = SCHEMES[url.protocol];
  if (scheme === undefined) throw new EntrySkipped(`${url.protocol.slice(0, 20)} is no traffic of the network`);
  const resource = textOf(entry['_resourceType']);
  const messages = listOf(entry['_webSocketMessages']).map((message) => readMessage(message, now));
  const isWebSocket = resource === 'websocket' || url.protocol === 'ws:' || url.protocol === 'wss:';
  const kind = RELAYS.has(resource) ? (resource as 'tunnel' | 'tcp' | 'udp') : isWebSocket ? 'websocket' : 'http';
  const isRelay = kind !== 'http' && kind !== 'websocket';
  const protocol = protocolOf(textOf(request['httpVersion']), textOf(response['httpVersion']), scheme, isRelay);
  const path = isRelay ? '' : written.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/#.*$/s, '') || '/';
  const target = path.startsWith('/') || path === '' ? path : `/${path}`;
  const method = isRelay ? '' : textOf(request['method'], 'GET').trim() || 'GET';
  const place = { method, target, scheme, authority: url.host };
  const status = numberOf(response['status']) ?? 0;
  const error = readError(entry, response, status);
  const address = textOf(entry['serverIPAddress']).replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (PORTS[scheme] ?? 0) : Number(url.port);
  return {
    kind,
    startedAt: startOf(textOf(entry['startedDateTime'])) ?? now,
    scheme,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase(),
    port,
    method,
    path: target,
    protocol,
    head: isRelay ? Buffer.alloc(0) : requestHead(protocol, place, fieldsOf(request['headers'])),
    sentHead: sentHead(request['_sent']),
    // The frames of a WebSocket are made of its messages, which know their times.
    body:
      messages.length > 0
        ? Buffer.alloc(0)
        : encoded(postData(objectOf(request['postData'])), fieldsOf(request['headers'])),
    trailers: trailerSection(request['_trailers']),
    originAddress: address === '' ? null : `${address.includes(':') ? `[${address}]` : address}:${String(port)}`,
    connection: textOf(entry['connection']),
    informational: listOf(response['_informational']).flatMap((head) => sentHead(head) ?? []),
    response: status >= 100 && status <= 999 ? readResponse(response, status, protocol, messages.length > 0) : null,
    timing: readTimings(entry),
    bodyAt: readFirstToken(entry),
    error,
    anomalies: listOf(entry['_anomalies']).filter(isAnomaly),
    comment: textOf(entry['comment']),
    messages,
  };
}

function readResponse(
  response: JsonObject,
  status: number,
  protocol: ProtocolName,
  hasMessages: boolean,
): ImportedExchange['response'] {
  const fields = fieldsOf(response['headers']);
  const content = objectOf(response['content']);
  const text = textOf(content['text']);
  const isBase64 = textOf(content['encoding']).toLowerCase() === 'base64';
  return {
    status,
    head: responseHead(protocol, status, textOf(response['statusText']), fields),
    sentHead: sentHead(response['_sent']),
    body: hasMessages ? Buffer.alloc(0) : encoded(Buffer.from(text, isBase64 ? 'base64' : 'utf8'), fields),
    trailers: trailerSection(response['_trailers']),
  };
}

// ---- heads that stand in the file ------------------------------------------------------------------------------------

/** A head that the file keeps whole, as Weir's own extensions do. */
function sentHead(value: unknown): Buffer | null {
  const { startLine, headers } = objectOf(value);
  const fields = fieldsOf(headers);
  return typeof startLine === 'string' && (startLine !== '' || fields.length > 0) ? headBytes(startLine, fields) : null;
}

function trailerSection(value: unknown): Buffer | null {
  const fields = fieldsOf(value);
  return fields.length === 0 ? null : bytesOf(linesOf(fields));
}

// ---- bodies ------------------------------------------------------------------------------------------------------------

function postData(data: JsonObject): Buffer {
  const text = data['text'];
  const isBase64 = [data['encoding'], data['_encoding']].some((name) => textOf(name).toLowerCase() === 'base64');
  if (typeof text === 'string' && text !== '') return Buffer.from(text, isBase64 ? 'base64' : 'utf8');
  const params = listOf(data['params']).map(objectOf);
  if (params.length === 0 || params.some((param) => param['fileName'] !== undefined)) return Buffer.alloc(0);
  const pairs = params.map(({ name, value }) => `${escaped(textOf(name))}=${escaped(textOf(value))}`);
  return Buffer.from(pairs.join('&'), 'utf8');
}

function escaped(text: string): string {
  return /^[\w.~%+-]*$/.test(text) ? text : encodeURIComponent(text);
}

const ENCODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  'x-gzip': (bytes) => gzipSync(bytes, { level: 1 }),
  deflate: (bytes) => deflateSync(bytes, { level: 1 }),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (bytes) => zstdCompressSync(bytes),
};

/** A HAR file holds bodies decoded; what stands under a head must fit its Content-Encoding. */
function encoded(body: Buffer, fields: readonly HeaderField[]): Buffer {
  if (body.length === 0) return body;
  const codings = fields
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.some((coding) => ENCODERS[coding] === undefined)) return body;
  return codings.reduce((bytes, coding) => ENCODERS[coding]?.(bytes) ?? bytes, body);
}

// ---- times, errors, messages -------------------------------------------------------------------------------------------

/** Microseconds since the Unix epoch; more digits than milliseconds are kept. */
function startOf(text: string): number | null {
  const parsed = Date.parse(text);
  if (Number.isNaN(parsed)) return null;
  const digits = /\.(\d+)/.exec(text)?.[1] ?? '';
  return parsed * 1_000 + Number(digits.slice(3, 6).padEnd(3, '0'));
}

/** HAR counts phases, Weir instants since the start. A phase of -1 or without a number did not happen. */
function readTimings(entry: JsonObject): Timing {
  const timings = objectOf(entry['timings']);
  const phase = (name: string): number | null => {
    const milliseconds = numberOf(timings[name]);
    return milliseconds === null || milliseconds < 0 ? null : Math.round(milliseconds * 1_000);
  };
  let at = phase('blocked') ?? 0;
  const after = (duration: number | null): number | null => {
    if (duration === null) return null;
    at += duration;
    return at;
  };
  const dns = after(phase('dns'));
  const before = at;
  const connected = after(phase('connect'));
  const ssl = phase('ssl');
  const tls = connected === null || ssl === null ? null : connected;
  const connect = tls === null || ssl === null ? connected : Math.max(before, tls - ssl);
  const sent = after(phase('send'));
  const firstByte = after(phase('wait'));
  const received = after(phase('receive'));
  const total = numberOf(entry['time']);
  const end = received ?? Math.max(at, total === null || total < 0 ? 0 : Math.round(total * 1_000));
  return { dns, connect, tls, sent, firstByte, end };
}

/** When a language model wrote its first token, as Weir's own files say. */
function readFirstToken(entry: JsonObject): number | null {
  const milliseconds = numberOf(entry['_firstToken']);
  return milliseconds === null || milliseconds < 0 ? null : Math.round(milliseconds * 1_000);
}

/** Words of Chromium's errors, and what they mean here. */
const ERROR_WORDS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/NAME_NOT_RESOLVED/, 'dns.not-found'],
  [/CONNECTION_REFUSED/, 'connect.refused'],
  [/ADDRESS_UNREACHABLE|INTERNET_DISCONNECTED/, 'connect.unreachable'],
  [/TIMED_OUT/, 'connect.timeout'],
  [/CERT_/, 'tls.origin-untrusted'],
  [/SSL_/, 'tls.origin-handshake'],
  [/ABORTED|BLOCKED/, 'client.cancelled'],
];

function readError(entry: JsonObject, response: JsonObject, status: number): ExchangeError | null {
  const found = entry['_error'] ?? response['_error'];
  const own = objectOf(found);
  const code = textOf(own['code']);
  if (isErrorCode(code)) {
    return {
      code,
      side: ERROR_CODES[code].side,
      phase: ERROR_CODES[code].phase,
      message: textOf(own['message'], code),
    };
  }
  const words = textOf(found);
  if (words === '' && status > 0) return null;
  const known = ERROR_WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'origin.closed-early';
  const { side, phase } = ERROR_CODES[known];
  return { code: known, side, phase, message: words === '' ? 'The file holds no response.' : words };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

function isAnomaly(code: unknown): code is AnomalyCode {
  return typeof code === 'string' && Object.hasOwn(ANOMALY_CODES, code);
}

function readMessage(value: unknown, now: number): ImportedMessage {
  const { type, time, opcode, data } = objectOf(value);
  const code = numberOf(opcode) ?? 1;
  const seconds = numberOf(time);
  return {
    side: textOf(type) === 'send' ? 'request' : 'response',
    time: seconds === null ? now : Math.round(seconds * 1_000_000),
    opcode: code >= 0 && code <= 15 ? Math.floor(code) : 1,
    data: Buffer.from(textOf(data), code === 1 ? 'utf8' : 'base64'),
  };
}
