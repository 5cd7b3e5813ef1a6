import type { MessageSide } from '#contract';
import { beginsWebSocket, readExtensions } from '../../../../proxy-engine/batches.ts';
import { contentCodingsOf, fieldValue, mediaTypeOf, parseHead, parseTrailers } from '../head-fields.ts';
import { readConnectEnd } from './connect-end.ts';
import { DecodingSource } from './decoding-source.ts';
import { EventSource } from './event-source.ts';
import { GrpcSource, type CallEnd, type GrpcTerms } from './grpc-source.ts';
import type { LlmWatch } from './llm-watch.ts';
import type { MessageLog, MessageSource } from './message-log.ts';
import { WebSocketSource } from './websocket-source.ts';

const GRPC = 'application/grpc';
const GRPC_BYTES = Buffer.from(GRPC);
/** Streams alone: a call of Connect with one message each way has the type of that message. */
const CONNECT = 'application/connect+';
const CONNECT_BYTES = Buffer.from(CONNECT);
const NOTHING_SAID: CallEnd = { facts: {}, isBroken: false };

/** The exchange whose heads are looked at. */
export interface MessageOwner {
  /** Null: it can be no call of a language model. */
  readonly llmWatch: LlmWatch | null;
  /** Its log, made when it is first asked for. */
  log(): MessageLog;
  noteGrpcStatus(status: number): void;
}

/** A request may carry messages of gRPC or Connect; costs two searches of its head. */
export function chooseRequestSource(owner: MessageOwner, method: string, head: Buffer): void {
  if (method === 'POST' && (head.includes(GRPC_BYTES) || head.includes(CONNECT_BYTES))) useBody(owner, 'request', head);
}

/**
 * What a response's head makes of the exchange.
 * @param isWebSocket the request asked for a WebSocket
 */
export function chooseResponseSource(
  owner: MessageOwner,
  response: { readonly status: number; readonly head: Buffer; readonly mediaType: string | null },
  isWebSocket: boolean,
): void {
  const { status, head, mediaType } = response;
  if (isWebSocket) {
    if (beginsWebSocket(status, head)) useFrames(owner, head);
    return;
  }
  if (mediaType === 'text/event-stream' || (mediaType?.startsWith(CONNECT) ?? false)) useBody(owner, 'response', head);
  else if (mediaType?.startsWith(GRPC) ?? false) {
    readGrpcStatus(owner, head);
    useBody(owner, 'response', head);
  }
}

/** `grpc-status` of a trailer section, or of the head of an answer that is trailers alone. */
export function readGrpcStatus(owner: Pick<MessageOwner, 'noteGrpcStatus'>, section: Buffer): void {
  const status = fieldValue(parseTrailers(section), 'grpc-status');
  if (status !== null && /^\d{1,4}$/.test(status)) owner.noteGrpcStatus(Number(status));
}

function useFrames(owner: MessageOwner, head: Buffer): void {
  const log = owner.log();
  const { headers } = parseHead(head);
  const offers = headers.filter(([name]) => name.toLowerCase() === 'sec-websocket-extensions');
  const extensions = readExtensions(offers.length === 0 ? null : offers.map(([, value]) => value).join(','));
  log.use('request', new WebSocketSource(log, 'request', extensions));
  log.use('response', new WebSocketSource(log, 'response', extensions));
}

function useBody(owner: MessageOwner, side: MessageSide, head: Buffer): void {
  const { headers } = parseHead(head);
  const mediaType = mediaTypeOf(fieldValue(headers, 'content-type')) ?? '';
  const codings = contentCodingsOf(headers);
  const source = sourceOf(owner, side, mediaType, {
    isPlain: codings.length === 0,
    encodingOf: (name) => {
      const encoding = fieldValue(headers, name)?.toLowerCase() ?? 'identity';
      return encoding === 'identity' ? null : encoding;
    },
  });
  if (source === null) return;
  const log = owner.log();
  const onLate = (): void => {
    log.onLate();
  };
  log.use(side, codings.length === 0 ? source : new DecodingSource(source, codings, onLate));
}

interface BodyTerms {
  readonly isPlain: boolean;
  /** Coding of single messages, by the field that names it; null for none. */
  readonly encodingOf: (lowerName: string) => string | null;
}

/** Null: a body of this type has no messages on this side. */
function sourceOf(
  owner: MessageOwner,
  side: MessageSide,
  mediaType: string,
  { isPlain, encodingOf }: BodyTerms,
): MessageSource | null {
  if (mediaType.startsWith(GRPC)) {
    const terms = { dialect: 'grpc', kind: 'grpc', encoding: encodingOf('grpc-encoding'), isPlain } as const;
    const isText = mediaType.startsWith(`${GRPC}-web-text`);
    return new GrpcSource(owner.log(), side, { ...terms, isText }, (section) => {
      readGrpcStatus(owner, section);
      return NOTHING_SAID;
    });
  }
  if (mediaType.startsWith(CONNECT)) {
    const kind = CONNECT_KINDS[mediaType.slice(CONNECT.length)] ?? 'binary';
    const encoding = encodingOf('connect-content-encoding');
    const terms = { dialect: 'connect', kind, encoding, isText: false, isPlain } as const;
    return new GrpcSource(owner.log(), side, terms, (payload) => {
      const end = readConnectEnd(payload);
      if (end.status !== null && side === 'response') owner.noteGrpcStatus(end.status);
      return end;
    });
  }
  return side === 'response' ? new EventSource(owner.log(), side, owner.llmWatch) : null;
}

/** What the codecs that everybody has make of messages. */
const CONNECT_KINDS: Readonly<Record<string, GrpcTerms['kind']>> = { json: 'text', proto: 'grpc' };
