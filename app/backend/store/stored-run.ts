import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from './store-error.ts';

const STREAM_PIECE_BYTES = 262_144;

/** Stored bytes of a run, wherever they are. Close it after use. */
export interface StoredBytes {
  /** Bytes that are there now. */
  readonly length: number;
  /** At most `length` bytes from `offset`; fewer at the end. */
  read(offset: number, length: number): Buffer;
  close(): void;
}

export function inlineBytes(bytes: Buffer | null): StoredBytes {
  const content = bytes ?? Buffer.alloc(0);
  return {
    length: content.length,
    read: (offset, length) => content.subarray(offset, offset + length),
    close: () => undefined,
  };
}

/** Null when the file is gone. @throws of `node:fs` for any other reason */
export function fileBytes(path: string): StoredBytes | null {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error: unknown) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  return {
    length: fstatSync(fd).size,
    read(offset, length) {
      const bytes = Buffer.allocUnsafe(length);
      let got = 0;
      while (got < length) {
        const count = readSync(fd, bytes, got, length - got, offset + got);
        if (count === 0) break;
        got += count;
      }
      return bytes.subarray(0, got);
    },
    close() {
      closeSync(fd);
    },
  };
}

/** All bytes in order; closes the run at its end. */
export async function* streamBytes(run: StoredBytes): AsyncGenerator<Buffer> {
  try {
    for (let at = 0; at < run.length;) {
      const piece = run.read(at, STREAM_PIECE_BYTES);
      if (piece.length === 0) return;
      at += piece.length;
      yield await Promise.resolve(piece);
    }
  } finally {
    run.close();
  }
}
