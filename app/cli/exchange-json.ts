import { isUtf8 } from 'node:buffer';
import type {
  ConnectionFacts,
  ExchangeDetail,
  ExchangeSummary,
  HeaderField,
  LlmSummary,
  MessageDetail,
  MessageKind,
  MessageSummary,
  Timing,
  TlsFacts,
} from '#contract';
import { exchangeUrl, isoMicroseconds } from '#contract';

/** One line of `weir list --json`. Scripts rely on these names: add, never rename. */
export function summaryJson(summary: ExchangeSummary): Record<string, unknown> {
  const { client, origin, error } = summary;
  return {
    id: summary.id,
    session: summary.session,
    kind: summary.kind,
    state: summary.state,
    startedAt: isoMicroseconds(summary.startedAt),
    durationMs: summary.duration === null ? null : milliseconds(summary.duration),
    method: summary.method,
    url: exchangeUrl(summary),
    host: summary.host,
    port: summary.port,
    status: summary.status,
    mediaType: summary.mediaType,
    client: { address: client.address, protocol: client.protocol },
    origin: { address: origin.address, protocol: origin.protocol },
    requestBodyBytes: summary.requestBodyBytes,
    responseBodyBytes: summary.responseBodyBytes,
    error: error === null ? null : { code: error.code, side: error.side, phase: error.phase, message: error.message },
    anomalies: summary.anomalies,
    complete: summary.state === 'complete',
    bodies: summary.bodies,
    replayOf: summary.replayOf,
    messageCount: summary.messages,
    grpcStatus: summary.grpcStatus,
    llm: summary.llm === null ? null : llmJson(summary.llm),
  };
}

function llmJson(llm: LlmSummary): Record<string, unknown> {
  const { timeToFirstToken, ...others } = llm;
  return { ...others, firstTokenMs: timeToFirstToken === null ? null : milliseconds(timeToFirstToken) };
}

/** Kinds whose payload is text. */
const TEXT_KINDS: ReadonlySet<MessageKind> = new Set(['text', 'event', 'comment', 'trailers', 'end-stream']);

/** One message: `text` of what is text, `base64` of anything else. */
export function messageJson(message: MessageSummary, payload: Buffer): Record<string, unknown> {
  const isText = TEXT_KINDS.has(message.kind) && isUtf8(payload);
  return {
    sequence: message.sequence,
    direction: message.side === 'request' ? 'toOrigin' : 'toClient',
    time: isoMicroseconds(message.time),
    kind: message.kind,
    bytes: message.bytes,
    wireBytes: message.wireBytes,
    marks: message.marks,
    anomalies: message.anomalies,
    facts: message.facts,
    ...(isText ? { text: payload.toString('utf8') } : { base64: payload.toString('base64') }),
  };
}

/**
 * The object of `weir show --json`, without its messages.
 *
 * @param sent start lines and headers as forwarded instead of as received
 */
export function detailJson(detail: ExchangeDetail, sent: boolean): Record<string, unknown> {
  const { summary, request, response, informational, timing, clientConnection, originConnection } = detail;
  return {
    ...summaryJson(summary),
    request: request === null ? null : sideJson(request, sent),
    response: response === null ? null : sideJson(response, sent),
    informational,
    timing: timingJson(timing),
    tls: { client: tlsJson(clientConnection), origin: tlsJson(originConnection) },
    originReused: originConnection?.reused ?? null,
    comment: detail.comment,
  };
}

function milliseconds(microseconds: number): number {
  return Math.round(microseconds) / 1_000;
}

function sideJson(message: MessageDetail, sent: boolean): Record<string, unknown> {
  const head: { readonly startLine: string; readonly headers: readonly HeaderField[] } =
    sent && message.sent !== null ? message.sent : message;
  return {
    startLine: head.startLine,
    headers: head.headers,
    trailers: message.trailers,
    bodyBytes: message.bodyBytes,
    storedBytes: message.storedBytes,
    contentEncoding: message.contentEncoding,
    mediaType: message.mediaType,
    charset: message.charset,
  };
}

function timingJson(timing: Timing): Record<keyof Timing, number | null> {
  const inMilliseconds = (value: number | null): number | null => (value === null ? null : milliseconds(value));
  return {
    dns: inMilliseconds(timing.dns),
    connect: inMilliseconds(timing.connect),
    tls: inMilliseconds(timing.tls),
    sent: inMilliseconds(timing.sent),
    firstByte: inMilliseconds(timing.firstByte),
    end: inMilliseconds(timing.end),
  };
}

function tlsJson(connection: ConnectionFacts | null): TlsFacts | null {
  return connection?.tls ?? null;
}
