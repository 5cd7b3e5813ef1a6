import type { ExchangeId } from '../../proxy-engine/model/ids.ts';
import type { LlmFacts } from '../../proxy-engine/model/llm.ts';
import type { MessageFilter, MessageSummary } from '../../proxy-engine/model/message.ts';
import type { BodyWindow } from './calls.ts';

/** Messages in order, each behind `after`. */
export interface MessagePage {
  readonly rows: readonly MessageSummary[];
  /** Sequence to go on behind; null at the end. A filter may leave a page short of its limit and not be at the end. */
  readonly next: number | null;
}

/** Calls about the messages of an exchange: of a WebSocket, an event stream, gRPC, or datagrams. */
export interface MessageCalls {
  /** At most 500 rows a call, behind the sequence `after` (0: from the first). Fails with `not-found`. */
  'messages.page': {
    input: { exchange: ExchangeId; filter: MessageFilter; after: number; limit: number };
    output: MessagePage;
  };
  /**
   * Sequences of what a filter leaves, at most 10,000 a call and as many as a moment finds: for lists that must know how long
   * they are. Go on behind `next`. Fails with `not-found`.
   */
  'messages.find': {
    input: { exchange: ExchangeId; filter: MessageFilter; after: number; limit: number };
    output: { sequences: readonly number[]; next: number | null };
  };
  /** At most 256 KiB of a payload as it can be read. Fails with `not-found` or `body-dropped`. */
  'messages.read': {
    input: { exchange: ExchangeId; sequence: number; offset: number; length: number };
    output: BodyWindow;
  };
  /** What the exchange says as a call of a language model; null when it is none. */
  'exchanges.llm': { input: { id: ExchangeId }; output: { facts: LlmFacts | null } };
}

/** Streams of messages. */
export interface MessageStreams {
  /** Messages of an exchange as they are committed, from now on. A gap means that some are to be asked for. */
  'messages.added': { input: { exchange: ExchangeId }; item: MessageSummary };
}
