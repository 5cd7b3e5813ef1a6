import {
  ContractError,
  exchangeUrl,
  isoMicroseconds,
  type ExchangeDetail,
  type ExchangeSummary,
  type HeaderField,
  type MessageDetail,
  type MessageSide,
  type Timing,
} from '#contract';
import { decodedBody, messagesOf, payloadOf, type ExportSource } from './export-source.ts';
import { fieldValue } from './head-fields.ts';
import { OPCODES } from './websocket-frame.ts';

/*
 * HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/). What it has no place for stands under names with an
 * underscore, as the format asks: `_error`, `_trailers`, `_informational`, `_sent` (what was forwarded, when it differs),
 * `_firstToken` of a language model, milliseconds after the start, `_encoding` of a request body that is no text, `_stopped` of a body that could not be decoded to its end, and
 * `_webSocketMessages` as Chrome names and writes them.
 */

interface NameValue {
  readonly name: string;
  readonly value: string;
}

/**
 * Writes a HAR file piece by piece; no body is ever in memory as a whole.
 * @param exchanges in the order of the file
 * @param version of Weir
 */
export async function* exportHar(
  source: ExportSource,
  exchanges: AsyncIterable<Pick<ExchangeSummary, 'id'>>,
  version: string,
): AsyncGenerator<string> {
  yield `{"log":{"version":"1.2","creator":{"name":"Weir","version":${JSON.stringify(version)}},"entries":[`;
  let separator = '\n';
  for await (const { id } of exchanges) {
    const detail = await source.get(id).catch(nullIfDeleted);
    if (detail === null) continue;
    yield separator;
    yield* entry(source, detail);
    separator = ',\n';
  }
  yield '\n]}}\n';
}

async function* entry(source: ExportSource, detail: ExchangeDetail): AsyncGenerator<string> {
  const { summary, timing, originConnection } = detail;
  const facts: Record<string, unknown> = {
    startedDateTime: isoMicroseconds(summary.startedAt),
    time: milliseconds(timing.end ?? summary.duration ?? 0),
    cache: {},
    timings: timings(timing),
  };
  const address = summary.origin.address;
  if (address !== null) facts['serverIPAddress'] = address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (originConnection !== null) facts['connection'] = String(originConnection.id);
  if (summary.error !== null) facts['_error'] = summary.error;
  if (summary.anomalies.length > 0) facts['_anomalies'] = summary.anomalies;
  const firstToken = summary.llm?.timeToFirstToken ?? null;
  if (firstToken !== null) facts['_firstToken'] = milliseconds(firstToken);
  if (summary.kind !== 'http') facts['_resourceType'] = summary.kind;
  if (detail.comment !== '') facts['comment'] = detail.comment;
  yield `${JSON.stringify(facts).slice(0, -1)},"request":`;
  yield* requestObject(source, detail);
  yield ',"response":';
  yield* responseObject(source, detail);
  if (summary.kind === 'websocket' && summary.messages > 0) yield* webSocketMessages(source, summary);
  yield '}';
}

/** The messages of a WebSocket as Chrome writes them: direction, time in seconds, opcode, text or base64. */
async function* webSocketMessages(source: ExportSource, summary: ExchangeSummary): AsyncGenerator<string> {
  yield ',"_webSocketMessages":[';
  let separator = '\n';
  for await (const message of messagesOf(source, summary)) {
    const opcode = OPCODES.get(message.kind);
    if (opcode === undefined) continue;
    const facts = {
      type: message.side === 'request' ? 'send' : 'receive',
      time: message.time / 1_000_000,
      opcode,
    };
    yield `${separator}${JSON.stringify(facts).slice(0, -1)},"data":"`;
    const payload = payloadOf(source, message);
    if (message.kind === 'text') yield* escapedText(payload);
    else yield* base64(payload);
    yield '"}';
    separator = ',\n';
  }
  yield ']';
}

async function* requestObject(source: ExportSource, { summary, request }: ExchangeDetail): AsyncGenerator<string> {
  const url = exchangeUrl(summary);
  const object = {
    method: summary.method === '' ? 'CONNECT' : summary.method,
    url,
    httpVersion: httpVersion(summary.client.protocol),
    cookies: request === null ? [] : requestCookies(request.headers),
    queryString: queryString(summary.path),
    ...messageFacts(request),
    bodySize: summary.requestBodyBytes,
  };
  yield JSON.stringify(object).slice(0, -1);
  if (request !== null && summary.requestBodyBytes > 0) {
    yield `,"postData":{"mimeType":${JSON.stringify(fieldValue(request.headers, 'content-type') ?? '')}`;
    yield* bodyMembers(source, summary, 'request', '_encoding');
    yield '}';
  }
  yield '}';
}

async function* responseObject(
  source: ExportSource,
  { summary, response, informational }: ExchangeDetail,
): AsyncGenerator<string> {
  const headers = response?.headers ?? [];
  const object: Record<string, unknown> = {
    status: summary.status ?? 0,
    statusText: response?.startLine.replace(/^\S+ \S+ ?/, '') ?? '',
    httpVersion: response === null ? '' : httpVersion(summary.origin.protocol ?? summary.client.protocol),
    cookies: responseCookies(headers),
    redirectURL: fieldValue(headers, 'location') ?? '',
    ...messageFacts(response),
    bodySize: response === null ? -1 : summary.responseBodyBytes,
    _transferSize: response === null ? 0 : summary.responseBodyBytes,
  };
  if (informational.length > 0) {
    object['_informational'] = informational.map((head) => ({
      startLine: head.startLine,
      headers: nameValues(head.headers),
    }));
  }
  yield JSON.stringify(object).slice(0, -1);
  yield `,"content":{"mimeType":${JSON.stringify(fieldValue(headers, 'content-type') ?? 'x-unknown')}`;
  if (response === null || summary.responseBodyBytes === 0) yield ',"size":0';
  else yield* contentMembers(source, summary);
  yield '}}';
}

async function* contentMembers(source: ExportSource, summary: ExchangeSummary): AsyncGenerator<string> {
  const size = yield* bodyMembers(source, summary, 'response', 'encoding');
  yield `,"size":${String(size)}`;
  if (size > summary.responseBodyBytes) yield `,"compression":${String(size - summary.responseBodyBytes)}`;
}

/**
 * `,"text":…` and, for what is no UTF-8, the member that says base64. The body is read twice: whether it is text is known
 * only at its end.
 * @returns decoded size
 */
async function* bodyMembers(
  source: ExportSource,
  summary: ExchangeSummary,
  side: MessageSide,
  encodingMember: string,
): AsyncGenerator<string, number> {
  let size = 0;
  let isText = true;
  const checker = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for await (const piece of decodedBody(source, summary, side)) {
      size += piece.length;
      if (isText) isText = decodes(checker, piece);
    }
  } catch (error: unknown) {
    if (!(error instanceof ContractError) || error.code !== 'body-dropped') throw error;
    yield `,"comment":${JSON.stringify(error.message)}`;
    return 0;
  }
  if (isText) isText = decodes(checker, null);
  if (!isText) yield `,"${encodingMember}":"base64"`;
  const body = decodedBody(source, summary, side);
  yield ',"text":"';
  if (isText) yield* escapedText(body);
  else yield* base64(body);
  yield '"';
  const { stopped } = await source.readBody({ id: summary.id, side, form: 'decoded', offset: size, length: 1 });
  if (stopped !== null) yield `,"_stopped":"${stopped}"`;
  return size;
}

/** Whether the next piece (null: the end) is UTF-8. */
function decodes(decoder: InstanceType<typeof TextDecoder>, piece: Buffer | null): boolean {
  try {
    if (piece === null) decoder.decode();
    else decoder.decode(piece, { stream: true });
    return true;
  } catch {
    return false;
  }
}

async function* escapedText(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const piece of body) yield JSON.stringify(decoder.decode(piece, { stream: true })).slice(1, -1);
}

async function* base64(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let left: Buffer = Buffer.alloc(0);
  for await (const piece of body) {
    const bytes = left.length === 0 ? piece : Buffer.concat([left, piece]);
    const whole = bytes.length - (bytes.length % 3);
    yield bytes.toString('base64', 0, whole);
    left = bytes.subarray(whole);
  }
  yield left.toString('base64');
}

function messageFacts(message: MessageDetail | null): Record<string, unknown> {
  if (message === null) return { headers: [], headersSize: -1 };
  const facts: Record<string, unknown> = {
    headers: nameValues(message.headers),
    headersSize: headSize(message),
  };
  if (message.trailers.length > 0) facts['_trailers'] = nameValues(message.trailers);
  if (message.sent !== null) {
    facts['_sent'] = { startLine: message.sent.startLine, headers: nameValues(message.sent.headers) };
  }
  return facts;
}

/** Bytes of a head with usual white space: the exact ones are in the raw view. */
function headSize({ startLine, headers }: MessageDetail): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, startLine.length + 4);
}

function nameValues(fields: readonly HeaderField[]): NameValue[] {
  return fields.map(([name, value]) => ({ name, value }));
}

function requestCookies(headers: readonly HeaderField[]): NameValue[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, value]) => value.split(';'))
    .map((pair) => splitPair(pair.trim()))
    .filter(({ name }) => name !== '');
}

function responseCookies(headers: readonly HeaderField[]): Record<string, unknown>[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'set-cookie')
    .map(([, value]) => {
      const [pair = '', ...attributes] = value.split(';').map((part) => part.trim());
      const cookie: Record<string, unknown> = { ...splitPair(pair) };
      for (const attribute of attributes) {
        const { name, value: setting } = splitPair(attribute);
        if (/^(path|domain)$/i.test(name)) cookie[name.toLowerCase()] = setting;
        else if (/^secure$/i.test(name)) cookie['secure'] = true;
        else if (/^httponly$/i.test(name)) cookie['httpOnly'] = true;
        else if (/^samesite$/i.test(name)) cookie['sameSite'] = setting;
        else if (/^expires$/i.test(name) && !Number.isNaN(Date.parse(setting))) {
          cookie['expires'] = new Date(setting).toISOString();
        }
      }
      return cookie;
    });
}

function splitPair(text: string): NameValue {
  const equals = text.indexOf('=');
  return equals < 0 ? { name: text, value: '' } : { name: text.slice(0, equals), value: text.slice(equals + 1) };
}

/** Names and values as sent, not decoded: nothing is lost that way. */
function queryString(path: string): NameValue[] {
  const mark = path.indexOf('?');
  if (mark < 0) return [];
  return path
    .slice(mark + 1)
    .split('&')
    .filter((part) => part !== '')
    .map(splitPair);
}

/** Phases in milliseconds that add up to the whole; -1 for one that did not happen. `ssl` is part of `connect`. */
function timings(timing: Timing): Record<string, number> {
  const end = timing.end ?? 0;
  const firstByte = Math.min(timing.firstByte ?? end, end);
  const ready = Math.min(timing.tls ?? timing.connect ?? timing.dns ?? 0, firstByte);
  const sent = Math.max(ready, Math.min(timing.sent ?? ready, firstByte));
  const resolved = timing.dns ?? 0;
  return {
    blocked: -1,
    dns: timing.dns === null ? -1 : milliseconds(timing.dns),
    connect: timing.connect === null ? -1 : milliseconds(Math.max(0, ready - resolved)),
    ssl: timing.tls === null ? -1 : milliseconds(Math.max(0, timing.tls - (timing.connect ?? 0))),
    send: milliseconds(sent - ready),
    wait: milliseconds(firstByte - sent),
    receive: milliseconds(end - firstByte),
  };
}

function httpVersion(protocol: string): string {
  switch (protocol) {
    case 'http/1.0':
      return 'HTTP/1.0';
    case 'http/1.1':
      return 'HTTP/1.1';
    case 'h2':
    case 'h2c':
      return 'HTTP/2';
    default:
      return protocol;
  }
}

function milliseconds(microseconds: number): number {
  return Math.round(microseconds) / 1_000;
}

/** An exchange that went while the export ran is left out. */
function nullIfDeleted(error: unknown): null {
  if (error instanceof ContractError && error.code === 'not-found') return null;
  throw error;
}
