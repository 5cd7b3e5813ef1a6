import type { MessagePort } from 'node:worker_threads';
import type { ContractFailure, ImportReport } from '#contract';

/** `workerData` of a thread that reads one file. */
export interface ImportStart {
  /** Where batches go; the other end is with the store's writer. */
  readonly port: MessagePort;
  readonly firstExchange: number;
  readonly firstConnection: number;
}

/** What the file says that people noted on an exchange. */
export interface ImportedMarks {
  readonly id: number;
  readonly label: number;
  readonly pinned: boolean;
  readonly comment: string;
}

/** What the thread has done when it answers. */
export interface ImportResult {
  readonly report: Omit<ImportReport, 'session'>;
  readonly marks: readonly ImportedMarks[];
  readonly nextExchange: number;
  readonly nextConnection: number;
}

/** Calls of an import's thread. */
export interface ImportCalls {
  /** Answers when these bytes are with the store. */
  write: { input: { readonly bytes: Uint8Array }; output: { readonly imported: number; readonly skipped: number } };
  /** The file is at its end. */
  end: { input: null; output: ImportResult };
}

export type ImportCommand =
  | {
      [Name in keyof ImportCalls]: {
        readonly type: 'call';
        readonly id: number;
        readonly name: Name;
        readonly input: ImportCalls[Name]['input'];
      };
    }[keyof ImportCalls]
  /** The thread gives up what it is doing and ends. */
  | { readonly type: 'close' };

export type ImportEvent =
  | { readonly type: 'result'; readonly id: number; readonly output: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly failure: ContractFailure };
