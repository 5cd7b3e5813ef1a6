import type { MessageSide } from '#contract';
import { beginsWebSocket, readExtensions } from '../../../../proxy-engine/batches.ts';
import { contentCodingsOf, fieldValue, mediaTypeOf, parseHead, parseTrailers } from '../head-fields.ts';
import { DecodingSource } from './decoding-source.ts';
import { EventSource } from './event-source.ts';
import { GrpcSource } from './grpc-source.ts';
import type { LlmWatch } from './llm-watch.ts';
import type { MessageLog, MessageSource } from './message-log.ts';
import { WebSocketSource } from './websocket-source.ts';

const GRPC = 'application/grpc';
const GRPC_BYTES = Buffer.from(GRPC);

/** The exchange whose heads are looked at. */
export interface MessageOwner {
  /** Null: it can be no call of a language model. */
  readonly llmWatch: LlmWatch | null;
  /** Its log, made when it is first asked for. */
  log(): MessageLog;
  noteGrpcStatus(status: number): void;
}

/** A request may carry gRPC messages; costs one search of its head. */
export function chooseRequestSource(owner: MessageOwner, method: string, head: Buffer): void {
  if (method === 'POST' && head.includes(GRPC_BYTES)) useBody(owner, 'request', head);
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
  if (mediaType === 'text/event-stream') useBody(owner, 'response', head);
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
  const isGrpc = mediaType.startsWith(GRPC);
  if (side === 'request' && !isGrpc) return;
  const codings = contentCodingsOf(headers);
  const log = owner.log();
  let source: MessageSource;
  if (isGrpc) {
    const encoding = fieldValue(headers, 'grpc-encoding')?.toLowerCase() ?? 'identity';
    const terms = {
      encoding: encoding === 'identity' ? null : encoding,
      isText: mediaType.startsWith(`${GRPC}-web-text`),
      isPlain: codings.length === 0,
    };
    source = new GrpcSource(log, side, terms, (section) => {
      readGrpcStatus(owner, section);
    });
  } else source = new EventSource(log, side, owner.llmWatch);
  const onLate = (): void => {
    log.onLate();
  };
  log.use(side, codings.length === 0 ? source : new DecodingSource(source, codings, onLate));
}
