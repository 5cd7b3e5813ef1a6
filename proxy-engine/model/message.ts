import type { AnomalyCode } from './anomaly-code.ts';
import type { MessageSide } from './exchange.ts';
import type { ExchangeId } from './ids.ts';

/**
 * What a message of an exchange is:
 * `text`, `binary`, `close`, `ping`, `pong`, `unknown` of a WebSocket (the last one has a reserved opcode, or its beginning is
 * missing); `event`, `comment` of an event stream; `grpc`, `trailers` (the last frame of gRPC-Web); `datagram`; and `gap`,
 * which says that something passed here unrecorded. Messages of Connect are `grpc` where they are protobuf, `text` where they
 * are JSON, else `binary`, and `end-stream` is the last one, which says how the call went.
 */
export const MESSAGE_KINDS = [
  'text',
  'binary',
  'close',
  'ping',
  'pong',
  'unknown',
  'event',
  'comment',
  'grpc',
  'trailers',
  'end-stream',
  'datagram',
  'gap',
] as const;

export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** What is to be said of a message that is no fault of its sender, each with the sentence that the inspector shows. */
export const MESSAGE_MARKS = {
  compressed: 'It was compressed on the wire and is shown inflated.',
  fragmented: 'It came in several frames.',
  cut: 'A part of it is missing: the stream, or its recording, ended inside of it.',
  'not-inflated': 'It is shown as it was on the wire: it could not be inflated.',
  bomb: 'It is shown as it was on the wire: inflated it would be longer than 64 MiB.',
} as const;

export type MessageMark = keyof typeof MESSAGE_MARKS;

/** One row of a list of messages. */
export interface MessageSummary {
  readonly exchange: ExchangeId;
  /** Counts the messages of both sides of an exchange from 1, in the order in which they were complete, without holes. */
  readonly sequence: number;
  readonly side: MessageSide;
  readonly kind: MessageKind;
  /** When it was complete, microseconds since the Unix epoch. */
  readonly time: number;
  /** Bytes of its payload as it can be read: inflated, unmasked, put together. */
  readonly bytes: number;
  /** Bytes on the wire, with what frames it; before any content coding of the whole body. */
  readonly wireBytes: number;
  readonly marks: readonly MessageMark[];
  readonly anomalies: readonly AnomalyCode[];
  /**
   * What else there is to know, by name: `event`, `id`, `retry` of an event; `code`, `reason` of a close; `code`, `message` of an
   * error that ends a stream of Connect; `bytes`, `messages`
   * that a gap left out.
   */
  readonly facts: Readonly<Record<string, string>>;
  /** The beginning: text, or hex in pairs for what is no text. At most 160 characters. */
  readonly preview: string;
}

/** Which messages of an exchange are asked for. */
export interface MessageFilter {
  /** Null: both. */
  readonly side: MessageSide | null;
  /** Empty: all. */
  readonly kinds: readonly MessageKind[];
  /** Payloads that contain this, whatever the case; empty for all. */
  readonly text: string;
}
