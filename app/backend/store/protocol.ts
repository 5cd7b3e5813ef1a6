import type { MessagePort } from 'node:worker_threads';
import type {
  BodyForm,
  BodyWindow,
  ConnectionId,
  ContractFailure,
  ExchangeDetail,
  ExchangeId,
  ExchangePage,
  ExchangeQuery,
  ExchangeSummary,
  FramePage,
  LlmFacts,
  MessageFilter,
  MessagePage,
  MessageSide,
  MessageSummary,
  PageKey,
  RetentionSettings,
  SessionId,
  SessionInfo,
  StoreSpace,
  StoreTrouble,
} from '#contract';
import type { MarkChange, NamedClient } from './exchange-edits.ts';

/*
 * What crosses the borders of the store's two threads.
 *
 *   engine thread --ArrayBuffer batches-->  writer thread  --WriterEvent-->  backend
 *   engine thread <--CaptureCredit--------  writer thread  <--WriterCommand- backend
 *                                           reader thread  <--ReaderCommand/ReaderEvent--> backend
 *
 * The capture port goes from thread to thread: the backend makes a MessageChannel, transfers one end to the engine and
 * the other to the writer (`attach`). Every message on it from the engine is one batch (an ArrayBuffer, transferred);
 * every message from the writer is a CaptureCredit.
 */

/** `workerData` of both store threads. */
export interface StoreWorkerData {
  /** Folder of the database and the bodies; made (0700) by the writer when it is missing. */
  readonly folder: string;
}

/** From the writer to one engine: these bytes of batches were taken; the buffers can be written again. */
export interface CaptureCredit {
  readonly bytes: number;
  readonly slabs: readonly ArrayBuffer[];
}

/** Calls that the writer answers in order, each with a `result` or `failure` of the same id. */
export interface WriterCalls {
  /** Everything that engines posted before is on disk and visible to readers when it answers. */
  flush: { input: Record<string, never>; output: Record<string, never> };
  /** Ends the current session and makes a new one current. */
  beginSession: { input: { name: string | null }; output: { session: SessionInfo } };
  /** Makes a session beside the current one, for sample traffic and imports; `attach` names it. */
  addSession: { input: { name: string; sample: boolean }; output: { session: SessionInfo } };
  /** Ends a session beside the current one; null when it is empty, and gone. */
  endSession: { input: { id: SessionId }; output: { session: SessionInfo | null } };
  /** Deletes a session that is not current and gives its disk space back. Fails with `not-found` or `conflict`. */
  removeSession: { input: { id: SessionId }; output: Record<string, never> };
  renameSession: { input: { id: SessionId; name: string }; output: { session: SessionInfo } };
  /** Moves everything of a session that is not current into another one. Fails with `not-found` or `conflict`. */
  mergeSessions: { input: { from: SessionId; into: SessionId }; output: { session: SessionInfo } };
  /** Labels or pins exchanges; those that do not exist are left out. */
  mark: { input: { ids: readonly ExchangeId[] } & MarkChange; output: Record<string, never> };
  comment: { input: { id: ExchangeId; text: string }; output: Record<string, never> };
  /** Takes exchanges out of every list; `restore` brings them back within a minute at least. */
  remove: { input: { ids: readonly ExchangeId[] }; output: { ids: readonly ExchangeId[] } };
  restore: { input: { ids: readonly ExchangeId[] }; output: { ids: readonly ExchangeId[] } };
  /** Exchanges that begin on this client connection repeat `original`; null: no longer. */
  expectReplay: { input: { clientAddress: string; original: ExchangeId | null }; output: Record<string, never> };
  /** The programs behind clients' connections were found. */
  namePrograms: { input: { clients: readonly NamedClient[] }; output: Record<string, never> };
  /** From now on the capture is kept within these limits. */
  retain: { input: RetentionSettings; output: Record<string, never> };
  /** Deletes for good what was deleted and gives free space back to the disk. */
  compact: { input: Record<string, never>; output: Record<string, never> };
  /** Writes everything, closes the database and ends the thread's work. */
  close: { input: Record<string, never>; output: Record<string, never> };
}

export type WriterCallName = keyof WriterCalls;

export type WriterCommand =
  /** Takes batches from this port; into the current session, or into `session` when it is given. */
  | { readonly type: 'attach'; readonly port: MessagePort; readonly session: SessionId | null }
  /** Sends `changed` events for exchanges of every session, or stops to. Off at the beginning. */
  | { readonly type: 'watch'; readonly on: boolean }
  /** Sends `messages` events for these exchanges and no others. */
  | { readonly type: 'watchMessages'; readonly exchanges: readonly ExchangeId[] }
  | {
      [Name in WriterCallName]: {
        readonly type: 'call';
        readonly id: number;
        readonly name: Name;
        readonly input: WriterCalls[Name]['input'];
      };
    }[WriterCallName];

/** First message of the writer: what it found. */
export interface StoreOpened {
  /** The session that is current now: a new one, or after a crash the one that was being recorded. */
  readonly session: SessionInfo;
  /** Ids from here on were never used in this data folder. */
  readonly nextExchangeId: number;
  readonly nextConnectionId: number;
  /** Exchanges that a crash had left active; they are failed with `weir.stopped` now. */
  readonly recovered: number;
}

export type WriterEvent =
  | { readonly type: 'opened'; readonly opened: StoreOpened }
  /** Rows as committed: readers see at least this. Each exchange at most once an event, latest state. */
  | { readonly type: 'changed'; readonly exchanges: readonly ExchangeSummary[] }
  /** Messages as committed, in order, of the exchanges that are watched. */
  | { readonly type: 'messages'; readonly messages: readonly MessageSummary[] }
  /** Counters of the current session, at most twice a second. */
  | { readonly type: 'session'; readonly session: SessionInfo }
  /** Recording fails, or works again (null). Traffic goes on either way. */
  | { readonly type: 'trouble'; readonly trouble: StoreTrouble | null }
  | { readonly type: 'result'; readonly id: number; readonly output: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly failure: ContractFailure };

/** Calls that the reader answers; long ones yield to others and can be cancelled. Failures carry contract codes. */
export interface ReaderCalls {
  query: { input: ExchangeQuery & { after: PageKey | null; limit: number }; output: ExchangePage };
  queryAt: { input: ExchangeQuery & { index: number; limit: number }; output: ExchangePage };
  count: { input: { session: SessionId; filter: string; upTo?: number | null }; output: { count: number } };
  indexOf: { input: ExchangeQuery & { id: number }; output: { index: number | null } };
  get: { input: { id: number }; output: ExchangeDetail };
  readBody: {
    input: { id: number; side: MessageSide; form: BodyForm; offset: number; length: number };
    output: BodyWindow;
  };
  readRaw: {
    input: { id: number; side: MessageSide; as: 'received' | 'sent'; offset: number; length: number };
    output: BodyWindow;
  };
  hosts: {
    input: { session: SessionId };
    output: { hosts: readonly { host: string; port: number; exchanges: number; errors: number }[] };
  };
  sessions: { input: Record<string, never>; output: { sessions: readonly SessionInfo[] } };
  space: { input: Record<string, never>; output: StoreSpace };
  ids: { input: ExchangeQuery & { index: number; limit: number }; output: { ids: readonly ExchangeId[] } };
  programs: {
    input: { session: SessionId };
    output: { programs: readonly { name: string; exchanges: number; errors: number }[] };
  };
  messagePage: {
    input: { exchange: ExchangeId; filter: MessageFilter; after: number; limit: number };
    output: MessagePage;
  };
  messageFind: {
    input: { exchange: ExchangeId; filter: MessageFilter; after: number; limit: number };
    output: { sequences: readonly number[]; next: number | null };
  };
  messageRead: {
    input: { exchange: ExchangeId; sequence: number; offset: number; length: number };
    output: BodyWindow;
  };
  framePage: { input: { connection: ConnectionId; after: number; limit: number }; output: FramePage };
  llm: { input: { id: ExchangeId }; output: { facts: LlmFacts | null } };
  exportCurl: { input: { id: number }; output: { text: string } };
  replays: { input: { id: ExchangeId }; output: { ids: readonly ExchangeId[] } };
}

export type ReaderCallName = keyof ReaderCalls;

/** From the thread that keeps the full-text index: exchanges that are not in it yet, 100,000 at most. */
export interface SearchEvent {
  readonly type: 'lag';
  readonly exchanges: number;
}

export type ReaderCommand =
  | {
      [Name in ReaderCallName]: {
        readonly type: 'call';
        readonly id: number;
        readonly name: Name;
        readonly input: ReaderCalls[Name]['input'];
      };
    }[ReaderCallName]
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' };

export type ReaderEvent =
  | { readonly type: 'result'; readonly id: number; readonly output: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly failure: ContractFailure };
