import { ContractError, MAX_WINDOW_BYTES } from '#contract';
import type { BodyWindow } from '#contract';
import type { ByteSource } from '../../ui/byte-source.ts';
import { decodeText } from './content/decode-text.ts';
import { findBytes } from './content/find-bytes.ts';

/** Reads one window of the bytes. */
export type ReadWindow = (offset: number, length: number, signal: AbortSignal) => Promise<BodyWindow>;

/** A long text of which one window is shown: where it stands, and where a search found something. */
export class ByteWindows {
  readonly #read: ReadWindow;
  readonly #charset: string | null;
  #reading = new AbortController();
  #searching: AbortController | null = null;
  #bytes = $state.raw<Uint8Array | null>(null);
  #offset = $state(0);
  #size = $state(0);
  #reveal = $state.raw<{ readonly from: number; readonly to: number } | null>(null);
  #problem = $state.raw<ContractError | null>(null);
  #searchShare = $state<number | null>(null);
  #foundNothing = $state(false);
  #lastFound = -1;

  /** @param charset as declared, or null */
  constructor(read: ReadWindow, charset: string | null) {
    this.#read = read;
    this.#charset = charset;
  }

  /** The window as text; null until it was read. */
  readonly text = $derived.by(() =>
    this.#bytes === null ? null : decodeText(this.#bytes, this.#charset, this.#offset === 0).text,
  );

  /** The window holds bytes that no text has. */
  readonly binary = $derived(this.#bytes?.includes(0) === true);

  /** Where the window begins, bytes. */
  get offset(): number {
    return this.#offset;
  }

  /** The window as it was read; null before that. */
  get bytes(): Uint8Array | null {
    return this.#bytes;
  }

  get windowBytes(): number {
    return this.#bytes?.length ?? 0;
  }

  /** Bytes in all, as far as is known. */
  get size(): number {
    return this.#size;
  }

  /** There is more than the window. */
  get partial(): boolean {
    return this.#size > this.windowBytes;
  }

  get reveal(): { readonly from: number; readonly to: number } | null {
    return this.#reveal;
  }

  get problem(): ContractError | null {
    return this.#problem;
  }

  /** How far a search has come, from 0 to 1; null without one. */
  get searching(): number | null {
    return this.#searchShare;
  }

  get foundNothing(): boolean {
    return this.#foundNothing;
  }

  /** The same bytes for a hex view. */
  get source(): ByteSource {
    return {
      size: this.#size,
      read: async (offset, length, signal) => (await this.#read(offset, length, signal)).bytes,
    };
  }

  /** Shows the window that begins at `offset`. */
  async move(offset: number): Promise<void> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    try {
      this.#take(offset, await this.#read(offset, MAX_WINDOW_BYTES, signal));
    } catch (error: unknown) {
      if (!signal.aborted) this.#problem = asContractError(error);
    }
  }

  /** Goes to the next place of `text` after the last one found. */
  async find(text: string): Promise<void> {
    this.cancelFind();
    const search = new AbortController();
    this.#searching = search;
    this.#searchShare = 0;
    this.#foundNothing = false;
    try {
      const read = async (offset: number, length: number): Promise<Uint8Array> =>
        (await this.#read(offset, length, search.signal)).bytes;
      const at = await findBytes(read, text, this.#lastFound + 1, (reached) => {
        this.#searchShare = Math.min(1, reached / Math.max(1, this.#size));
      });
      this.#lastFound = at ?? -1;
      this.#foundNothing = at === null;
      if (at !== null) await this.#showMatch(at, text, search.signal);
    } catch (error: unknown) {
      if (!search.signal.aborted) this.#problem = asContractError(error);
    } finally {
      if (this.#searching === search) {
        this.#searching = null;
        this.#searchShare = null;
      }
    }
  }

  cancelFind(): void {
    this.#searching?.abort();
    this.#searching = null;
    this.#searchShare = null;
  }

  close(): void {
    this.#reading.abort();
    this.cancelFind();
  }

  async #showMatch(at: number, text: string, signal: AbortSignal): Promise<void> {
    const start = Math.max(0, at - MAX_WINDOW_BYTES / 2);
    const found = await this.#read(start, MAX_WINDOW_BYTES, signal);
    this.#take(start, found);
    const before = decodeText(found.bytes.subarray(0, at - start), this.#charset, start === 0).text.length;
    this.#reveal = { from: before, to: before + text.length };
  }

  #take(offset: number, { bytes, totalBytes }: BodyWindow): void {
    this.#bytes = bytes;
    this.#offset = offset;
    this.#size =
      totalBytes ?? Math.max(this.#size, offset + bytes.length + (bytes.length === MAX_WINDOW_BYTES ? 1 : 0));
    this.#reveal = null;
  }
}

function asContractError(error: unknown): ContractError {
  return error instanceof ContractError ? error : new ContractError('internal', String(error));
}
