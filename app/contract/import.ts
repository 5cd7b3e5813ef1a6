import type { SessionInfo } from './calls.ts';

/** An entry of a file that was left out. */
export interface SkippedEntry {
  /** Its place in the file, from 1. */
  readonly entry: number;
  /** Completes "left out, since …". */
  readonly reason: string;
}

/** What became of a file. */
export interface ImportReport {
  /** Null when nothing was imported. */
  readonly session: SessionInfo | null;
  readonly imported: number;
  readonly skipped: number;
  /** The first hundred of those that were left out. */
  readonly named: readonly SkippedEntry[];
  /** What is wrong with the file as a whole, for a person; null when it was read to its end. */
  readonly problem: string | null;
}

/** Files of other programs come in pieces, whichever size they have. */
export interface ImportCalls {
  /** Begins to read a file into a session of its own. Files are read one after the other. */
  'import.begin': { input: { fileName: string }; output: { import: number } };
  /** The next piece, at most 256 KiB; answers when it has been read. Fails with `not-found` when the import has ended. */
  'import.write': { input: { import: number; bytes: Uint8Array }; output: { imported: number; skipped: number } };
  'import.end': { input: { import: number }; output: ImportReport };
  /** Gives up, and deletes what was read. */
  'import.cancel': { input: { import: number }; output: Record<string, never> };
}
