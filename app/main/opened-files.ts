import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileAnswer, FileRequest, OfferedFile } from '../contract/desktop.ts';
import { isOpenedName } from '../contract/desktop.ts';
import { MAX_WINDOW_BYTES } from '../contract/wire.ts';

/** Main's end of the channel that one file is read over. */
export interface FilePort {
  send(answer: FileAnswer): void;
  onRequest(listener: (request: unknown) => void): void;
  /** Called when the page is gone; a second time does no harm. */
  onClose(listener: () => void): void;
  close(): void;
}

export interface OpenedFilesOptions {
  /** Whether there is a page that hears of files now. When there is one later, call `pageReady`. */
  readonly hasPage: () => boolean;
  /** Hands a file to the page; null when that has gone. */
  readonly offer: (file: OfferedFile) => FilePort | null;
  /** Tells the page why a file is not imported. */
  readonly refuse: (message: string) => void;
}

/** Files that wait for the one before; whoever opens more at once has chosen a whole folder by mistake. */
const MOST_WAITING = 50;

/**
 * Files that the system handed over (a double click, a command line, a drop on the dock), for the page to import. Only such
 * files can be read, one after the other, and only over the port that was given out for that very file; a page never names a path.
 * Nothing is read before the page asks, and never more than one piece of it is held.
 */
export class OpenedFiles {
  readonly #options: OpenedFilesOptions;
  readonly #waiting: string[] = [];
  /** Files that were not even kept. */
  #leftOut = 0;
  #busy = false;

  constructor(options: OpenedFilesOptions) {
    this.#options = options;
  }

  /** @param paths absolute paths, as the system gave them */
  add(paths: readonly string[]): void {
    const taken = paths.slice(0, Math.max(0, MOST_WAITING - this.#waiting.length));
    this.#waiting.push(...taken);
    this.#leftOut += paths.length - taken.length;
    this.pageReady();
  }

  /** There is a page, or another one. */
  pageReady(): void {
    if (this.#busy) return;
    this.#busy = true;
    void this.#hand().finally(() => {
      this.#busy = false;
      // One that came while the last was ending.
      if (this.#waiting.length > 0 && this.#options.hasPage()) this.pageReady();
    });
  }

  async #hand(): Promise<void> {
    while (this.#options.hasPage()) {
      if (this.#leftOut > 0) {
        const many = this.#leftOut === 1 ? '1 file was' : `${String(this.#leftOut)} files were`;
        this.#options.refuse(`${many} left out: ${String(MOST_WAITING)} wait to be imported already.`);
        this.#leftOut = 0;
      }
      const path = this.#waiting.shift();
      if (path === undefined) return;
      const opened = await openFile(path);
      if (typeof opened === 'string') {
        this.#options.refuse(opened);
        continue;
      }
      try {
        const port = this.#options.offer({ name: basename(path), bytes: opened.bytes });
        if (port === null) this.#waiting.unshift(path);
        else if (await serve(opened.file, opened.bytes, port)) this.#waiting.length = 0;
      } finally {
        await opened.file.close().catch(() => undefined);
      }
    }
  }
}

/** A file that may be imported, or why not, for a person. */
async function openFile(path: string): Promise<{ readonly file: FileHandle; readonly bytes: number } | string> {
  const name = basename(path);
  if (!isOpenedName(name)) return `${name} is no file of Weir: it opens .weir and .har files.`;
  try {
    // A pipe or a device is not even opened: that could wait for ever.
    if (!(await stat(path)).isFile()) return `${name} is not a regular file.`;
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const facts = await file.stat();
    if (facts.isFile()) return { file, bytes: facts.size };
    await file.close();
    return `${name} is not a regular file.`;
  } catch (error: unknown) {
    return `${name} cannot be read: ${reasonOf(error)}`;
  }
}

/**
 * Answers what the page asks for until it has enough or has gone.
 * @returns whether its person wants none of the others either
 */
function serve(file: FileHandle, size: number, port: FilePort): Promise<boolean> {
  return new Promise((resolve) => {
    let ended = false;
    let reading = false;
    let cancelled = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      port.close();
      if (!reading) resolve(cancelled);
    };
    port.onClose(end);
    port.onRequest((request) => {
      // One piece at a time: a page that asks for more is not ours.
      const wanted = isRequest(request, size) ? request : null;
      if (!ended && wanted?.type === 'cancel') cancelled = true;
      if (ended || reading || wanted?.type !== 'read') {
        end();
        return;
      }
      reading = true;
      void answer(file, wanted.at).then((piece) => {
        reading = false;
        if (ended) {
          resolve(cancelled);
          return;
        }
        port.send(piece);
        if (piece.type === 'failed') end();
      });
    });
  });
}

async function answer(file: FileHandle, at: number): Promise<FileAnswer> {
  try {
    // Of its own memory: what crosses to the page is the whole of a buffer that a view stands in.
    const { bytesRead, buffer } = await file.read(new Uint8Array(MAX_WINDOW_BYTES), 0, MAX_WINDOW_BYTES, at);
    if (bytesRead === 0) return { type: 'failed', message: 'The file has become shorter while it was read.' };
    return { type: 'piece', at, bytes: bytesRead < buffer.length ? buffer.slice(0, bytesRead) : buffer };
  } catch (error: unknown) {
    return { type: 'failed', message: `The file cannot be read: ${reasonOf(error)}` };
  }
}

function isRequest(value: unknown, size: number): value is FileRequest {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'done' || value.type === 'cancel') return true;
  if (value.type !== 'read' || !('at' in value) || typeof value.at !== 'number') return false;
  return Number.isSafeInteger(value.at) && value.at >= 0 && value.at < size;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
