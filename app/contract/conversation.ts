import type { ExchangeSummary, HeaderField } from '../../proxy-engine/model/exchange.ts';
import type { ExchangeId } from '../../proxy-engine/model/ids.ts';

/**
 * When each message of a recorded conversation is sent again: `fast` as soon as the one before is written; `recorded` with
 * the gaps that there were; `answers` once as many messages have come from the origin as had come before it the first time.
 */
export type ConversationPace = 'fast' | 'recorded' | 'answers';

/** Whether permessage-deflate is offered: with the parameters that were captured, if it was; in any case; or never. */
export type ConversationDeflate = 'captured' | 'on' | 'off';

/** A WebSocket to open through Weir's own engine. Parts that are absent are those of `of`. */
export interface ConversationRequest {
  /** The exchange that is repeated; null for a WebSocket that was composed from nothing. */
  readonly of: ExchangeId | null;
  /** A ws, wss, http or https URL. */
  readonly url?: string;
  /** The whole list of the handshake's fields, in order and case. The key is made anew in its place. */
  readonly headers?: readonly HeaderField[];
  /** Fields to set in the list: the first of that name changes in its place, others of it go. */
  readonly setHeaders?: readonly HeaderField[];
  readonly deflate: ConversationDeflate;
  /** Sends what the client of `of` had sent, and closes as it had closed; null only opens. */
  readonly replay: ConversationPace | null;
}

/** Where a WebSocket stands. `failed`: no WebSocket was opened. */
export type ConversationPhase = 'connecting' | 'open' | 'closing' | 'closed' | 'failed';

/** How far the replay of a recorded conversation is. */
export interface ConversationReplay {
  /** Messages and pings that the client had sent. */
  readonly total: number;
  readonly sent: number;
  /** Messages of the origin that the next one waits for; 0 when it waits for none. */
  readonly awaits: number;
  /** Everything was sent, and the connection closed after it. */
  readonly done: boolean;
}

/** Everything that there is to know about an open WebSocket but its messages, which are those of its exchange. */
export interface ConversationState {
  /** What `conversation.send` and `conversation.close` name it by. */
  readonly id: number;
  readonly phase: ConversationPhase;
  /** Its exchange, once there is a row; null while nothing is recorded. */
  readonly exchange: ExchangeId | null;
  /** It is recorded. */
  readonly recorded: boolean;
  /** Of the answer to the handshake; null before it, and where none came. */
  readonly status: number | null;
  /** What the origin chose; empty for none. */
  readonly subprotocol: string;
  readonly extensions: string;
  /** Messages without control frames. */
  readonly sent: number;
  readonly sentBytes: number;
  readonly received: number;
  readonly receivedBytes: number;
  readonly replay: ConversationReplay | null;
  /** How it was closed; a null code where none was told. */
  readonly close: { readonly code: number | null; readonly reason: string; readonly by: 'client' | 'origin' } | null;
  /** What went wrong, for a person. */
  readonly problem: string | null;
}

/** Calls about WebSockets that `conversation.open` holds open. */
export interface ConversationCalls {
  /**
   * Sends one message, or a ping; answers when it is written. Fails with `not-found` when there is no such open WebSocket, with
   * `unavailable` when too much waits to be written.
   */
  'conversation.send': {
    input: { id: number; kind: 'text' | 'binary' | 'ping'; payload: Uint8Array };
    output: Record<string, never>;
  };
  /** Ends a replay under way and begins the closing handshake; a null code sends none. Fails with `not-found`. */
  'conversation.close': { input: { id: number; code: number | null; reason: string }; output: Record<string, never> };
}

export interface ConversationStreams {
  /**
   * Opens a WebSocket for as long as the stream is open; it ends with the connection. Each item is the whole state. Fails with
   * `not-found`, `bad-input` or `body-dropped` before anything is sent.
   */
  'conversation.open': { input: ConversationRequest; item: ConversationState };
}

/** The exchange is a WebSocket that was opened, over either version of HTTP (RFC 6455 §4.1, RFC 8441 §5). */
export function heldConversation({ kind, status }: Pick<ExchangeSummary, 'kind' | 'status'>): boolean {
  return kind === 'websocket' && status !== null && (status === 101 || (status >= 200 && status < 300));
}
