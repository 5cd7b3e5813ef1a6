import type { StoreTrouble } from '#contract';

export type StoreErrorCode = StoreTrouble['code'] | 'newer' | 'older' | 'missing';

/** The store cannot be opened, read or written. The message is for a person. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The code of a Node or SQLite error; empty when it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** Why the disk does not take what is written, and what a person can do about it. */
export interface Surroundings {
  readonly code: StoreTrouble['code'];
  readonly cause: string;
  readonly remedy: string;
}

/**
 * What a failure of SQLite or of the file system means to the person whose disk it is; null when it is not about the
 * surroundings but about the data that was being written.
 */
export function surroundingsOf(error: unknown): Surroundings | null {
  const code = codeOf(error);
  if (code === 'newer' || code === 'older') {
    return { code: 'failed', cause: error instanceof Error ? error.message : '', remedy: '' };
  }
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL|disk-full)/.test(code)) {
    return {
      code: 'disk-full',
      cause: 'The disk is full.',
      remedy: 'Free some space or delete a session; recording goes on by itself.',
    };
  }
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_AUTH)/.test(code)) {
    return {
      code: 'not-writable',
      cause: 'The data folder cannot be written.',
      remedy: 'Give Weir the right to write there, or choose another folder; recording goes on by itself.',
    };
  }
  if (/^(SQLITE_CORRUPT|SQLITE_NOTADB|damaged)/.test(code)) {
    return {
      code: 'damaged',
      cause: 'The database is damaged.',
      remedy: 'Weir sets it aside in the data folder and begins a new one.',
    };
  }
  if (/^(SQLITE_(BUSY|LOCKED|IOERR|PROTOCOL|NOMEM)|EIO|EMFILE|ENFILE|ENOENT|ENOTDIR)/.test(code)) {
    return { code: 'failed', cause: `The store cannot be written (${code}).`, remedy: 'Weir keeps trying.' };
  }
  return null;
}
