import type { CallName, ContractFailure, StreamName } from './calls.ts';

/**
 * What both carriers transport. `Uint8Array` values inside inputs, outputs and items are carried as binary (structured
 * clone over a port; an attachment section over a WebSocket, see `encodeFrame`).
 */
export type ClientFrame =
  | { readonly type: 'call'; readonly id: number; readonly name: CallName; readonly input: unknown }
  /** Also cancels a running query. */
  | { readonly type: 'cancel'; readonly id: number }
  | {
      readonly type: 'open';
      readonly id: number;
      readonly name: StreamName;
      readonly input: unknown;
      readonly credit: number;
    }
  /** The reader took `items` items and can take as many more. */
  | { readonly type: 'credit'; readonly id: number; readonly items: number }
  | { readonly type: 'close'; readonly id: number };

export type ServerFrame =
  | { readonly type: 'result'; readonly id: number; readonly output: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly failure: ContractFailure }
  | { readonly type: 'items'; readonly id: number; readonly items: readonly unknown[] }
  /** Items were lost; the reader queries again. */
  | { readonly type: 'gap'; readonly id: number }
  | { readonly type: 'ended'; readonly id: number; readonly failure: ContractFailure | null };

/** One way of carrying frames; a WebSocket, a message port, or a pair in memory for tests. */
export interface Carrier<Out, In> {
  send(frame: Out): void;
  onFrame(listener: (frame: In) => void): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** Batches of a stream are flushed at whichever of these is reached first. */
export const STREAM_BATCH = { milliseconds: 33, items: 256, bytes: 131_072 } as const;

/** Longest window of bytes that one call returns. */
export const MAX_WINDOW_BYTES = 262_144;

/** Most exchanges that one call marks, deletes or names. */
export const MAX_IDS = 100_000;

/** Longest filter text that is looked at, UTF-16 units. */
export const MAX_FILTER_LENGTH = 8_192;

/** Longest comment, UTF-16 units. */
export const MAX_COMMENT_LENGTH = 10_000;

/** Longest body that a request is composed with, bytes: it travels in one frame of the contract. */
export const MAX_COMPOSED_BODY_BYTES = 786_432;

/** Most rows that one query call returns. */
export const MAX_PAGE_ROWS = 500;
/** Frames of one `frames.page` call. */
export const MAX_FRAMES = 2_000;
