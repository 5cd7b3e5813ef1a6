import { ERROR_CODES, type ErrorCode, type ExchangeError, type HeaderField, type Timing } from '#contract';
import type { ImportedExchange, ImportedMessage } from './har-entry.ts';
import { EntrySkipped } from './har-entry.ts';
import { listOf, numberOf, objectOf, type JsonObject } from './lenient.ts';
import { bytesOf, linesOf, protocolOf, requestHead, responseHead } from './made-heads.ts';
import { peerOf, tlsOf } from './mitm-connection.ts';
import { textIn, type TnetObject } from './tnetstring.ts';

const OLDEST_VERSION = 5;

/** What a flow of mitmproxy becomes, and what else it says. */
export interface ReadFlow {
  readonly exchange: ImportedExchange;
  readonly marked: boolean;
  readonly id: string;
  /** Its messages stand in a flow of their own, as versions before 11 wrote them. */
  readonly awaitsMessages: boolean;
}

/**
 * Reads an HTTP flow of any version from 5 on.
 *
 * @param now used where the flow says no time, microseconds since the Unix epoch
 * @throws EntrySkipped when it is no HTTP flow or says too little
 */
export function readMitmFlow(flow: TnetObject, now: number): ReadFlow {
  const type = textIn(flow['type']) || 'http';
  if (type !== 'http')
    throw new EntrySkipped(`it is a flow of ${type.slice(0, 20).toUpperCase()}, and HTTP flows alone are read`);
  checkVersion(flow['version']);
  const request = objectOf(flow['request']);
  const response = objectOf(flow['response']);
  const server = objectOf(flow['server_conn']);
  const socket = objectOf(flow['websocket']);
  const fields = fieldsIn(request['headers']);
  const place = placeOf(request, fields, objectOf(flow['client_conn']));
  const metadata = objectOf(flow['metadata']);
  const startedAt = micros(request['timestamp_start']) ?? micros(flow['timestamp_created']) ?? now;
  const messages = listOf(socket['messages']).flatMap((message) => messageIn(message) ?? []);
  const isWebSocket =
    (typeof flow['websocket'] === 'object' && flow['websocket'] !== null) || metadata['websocket'] === true;
  const status = numberOf(response['status_code']) ?? 0;
  const protocol = protocolOf(textIn(request['http_version']), textIn(response['http_version']), place.scheme, false);
  const hasResponse = status >= 100 && status <= 999;
  const close = closeIn(socket, messages.at(-1)?.time ?? startedAt);
  const port = numberOf(request['port']) ?? (place.scheme === 'https' ? 443 : 80);
  const missing = [
    request['content'] === null ? 'request' : null,
    hasResponse && response['content'] === null ? 'response' : null,
  ].flatMap((side) => (side === null ? [] : `mitmproxy did not keep the body of the ${side}.`));
  return {
    id: textIn(flow['id']),
    marked: flow['marked'] === true || textIn(flow['marked']) !== '',
    awaitsMessages: metadata['websocket'] === true,
    exchange: {
      kind: isWebSocket ? 'websocket' : 'http',
      startedAt,
      scheme: place.scheme,
      host: place.host,
      port: port >= 0 && port <= 65_535 ? port : 0,
      method: place.method,
      path: place.target,
      protocol,
      head: requestHead(protocol, place, fields),
      sentHead: null,
      body: bytesIn(request['content']),
      trailers: trailersIn(request['trailers']),
      originAddress: peerOf(server),
      connection: textIn(server['id']),
      originTls: () => tlsOf(server),
      ...clientIn(objectOf(flow['client_conn'])),
      informational: [],
      response: hasResponse
        ? {
            status,
            head: responseHead(protocol, status, textIn(response['reason']), fieldsIn(response['headers'])),
            sentHead: null,
            body: bytesIn(response['content']),
            trailers: trailersIn(response['trailers']),
          }
        : null,
      timing: timingOf(startedAt, request, response, server, micros(socket['timestamp_end'])),
      bodyAt: null,
      error: errorOf(objectOf(flow['error']), hasResponse),
      anomalies: [],
      comment: [textIn(flow['comment']), ...missing].filter((text) => text !== '').join('\n'),
      messages: close === null ? messages : [...messages, close],
    },
  };
}

/** Before version 5, heads and places had other names. Newer ones than are known are read as far as they are the same. */
function checkVersion(version: unknown): void {
  const number = numberOf(version) ?? (Array.isArray(version) ? 0 : OLDEST_VERSION);
  if (number >= OLDEST_VERSION) return;
  throw new EntrySkipped(
    `it has version ${String(number)} of mitmproxy's format, which is too old; open and save the file with a newer mitmproxy`,
  );
}

/** Messages of a WebSocket that stand in a flow of their own, and the id of the flow that opened it. */
export function readMitmMessages(flow: TnetObject): {
  readonly of: string;
  readonly messages: readonly ImportedMessage[];
} {
  const messages = listOf(flow['messages']).flatMap((message) => messageIn(message) ?? []);
  const byClient = textIn(flow['close_sender']) === 'client';
  const close = closeIn({ ...flow, closed_by_client: byClient }, messages.at(-1)?.time ?? 0);
  return {
    of: textIn(objectOf(flow['metadata'])['websocket_handshake']),
    messages: close === null || close.time === 0 ? messages : [...messages, close],
  };
}

// ---- parts -------------------------------------------------------------------------------------------------------------

interface FlowPlace {
  readonly method: string;
  readonly target: string;
  readonly scheme: 'http' | 'https';
  readonly authority: string;
  readonly host: string;
}

function placeOf(request: JsonObject, fields: readonly HeaderField[], client: JsonObject): FlowPlace {
  const said = textIn(request['scheme']).toLowerCase();
  const isTls = said === 'https' || (said !== 'http' && (client['tls'] === true || client['tls_established'] === true));
  const address = textIn(request['host']);
  // In transparent modes the host is an address, and the name stands in the request.
  const named = textIn(request['authority']) || (fields.find(([name]) => /^host$/i.test(name))?.[1] ?? '');
  const host = hostOf(named) || address;
  if (host === '') throw new EntrySkipped('it names no host');
  const path = textIn(request['path']);
  return {
    method: textIn(request['method']) || 'GET',
    target: path === '' ? '/' : path,
    scheme: isTls ? 'https' : 'http',
    authority: named || address,
    host: host.toLowerCase(),
  };
}

function clientIn(client: JsonObject): Pick<ImportedExchange, 'client'> {
  const address = peerOf(client);
  return address === null ? {} : { client: { address, connection: textIn(client['id']), tls: () => tlsOf(client) } };
}

function hostOf(authority: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:/?#@\s]+))(?::\d*)?$/.exec(authority) ?? [];
  return bracketed ?? plain ?? '';
}

function timingOf(
  startedAt: number,
  request: JsonObject,
  response: JsonObject,
  server: JsonObject,
  socketEnd: number | null,
): Timing {
  /** Null also for what happened to the connection before this request. */
  const since = (value: unknown): number | null => {
    const at = micros(value);
    return at === null || at < startedAt ? null : at - startedAt;
  };
  const sent = since(request['timestamp_end']);
  const firstByte = since(response['timestamp_start']);
  const last = [since(response['timestamp_end']), socketEnd === null ? null : Math.max(0, socketEnd - startedAt)];
  return {
    dns: null,
    connect: since(server['timestamp_tcp_setup']),
    tls: since(server['timestamp_tls_setup']),
    sent,
    firstByte,
    end: Math.max(sent ?? 0, firstByte ?? 0, ...last.map((at) => at ?? 0)),
  };
}

/** Words of mitmproxy's errors, and what they mean here. */
const ERROR_WORDS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/refused/i, 'connect.refused'],
  [/timed? ?out/i, 'connect.timeout'],
  [/name or service|getaddrinfo|nodename|resolve/i, 'dns.not-found'],
  [/unreachable/i, 'connect.unreachable'],
  [/certificate/i, 'tls.origin-untrusted'],
  [/tls|ssl|handshake/i, 'tls.origin-handshake'],
  [/client|cancel|killed/i, 'client.cancelled'],
];

function errorOf({ msg }: JsonObject, hasResponse: boolean): ExchangeError | null {
  const message = textIn(msg);
  if (message === '' && hasResponse) return null;
  const code = ERROR_WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? 'origin.closed-early';
  const { side, phase } = ERROR_CODES[code];
  return { code, side, phase, message: message === '' ? 'The file holds no response.' : message };
}

/** `[opcode, from the client, content, time, …]` */
function messageIn(value: unknown): ImportedMessage | null {
  const [opcode, fromClient, content, time] = listOf(value);
  const at = micros(time);
  const code = numberOf(opcode) ?? 0;
  if (at === null || code < 1 || code > 15) return null;
  return { side: fromClient === true ? 'request' : 'response', time: at, opcode: code, data: bytesIn(content) };
}

/** The frame that closed a WebSocket; null when none did (RFC 6455 §7.4.1). */
function closeIn(socket: JsonObject, fallback: number): ImportedMessage | null {
  const code = numberOf(socket['close_code']);
  if (code === null || code === 1_006 || code < 1_000 || code > 4_999) return null;
  const reason = Buffer.from(textIn(socket['close_reason']), 'utf8').subarray(0, 123);
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return {
    side: socket['closed_by_client'] === true ? 'request' : 'response',
    time: micros(socket['timestamp_end']) ?? fallback,
    opcode: 8,
    data: code === 1_005 ? Buffer.alloc(0) : Buffer.concat([head, reason]),
  };
}

function fieldsIn(value: unknown): readonly HeaderField[] {
  return listOf(value).flatMap((pair): HeaderField[] => {
    const [name, content] = listOf(pair);
    const written = oneLine(textIn(name));
    return written === '' ? [] : [[written, oneLine(textIn(content))]];
  });
}

function trailersIn(value: unknown): Buffer | null {
  const fields = fieldsIn(value);
  return fields.length === 0 ? null : bytesOf(linesOf(fields));
}

function bytesIn(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  return typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.alloc(0);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]+/g, ' ').trim();
}

/** Seconds since the Unix epoch in microseconds. */
function micros(value: unknown): number | null {
  const seconds = numberOf(value);
  return seconds === null || seconds <= 0 ? null : Math.round(seconds * 1_000_000);
}
