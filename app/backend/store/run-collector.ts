import type { ExchangeId, MessageSide } from '#contract';
import { SpoolFile, storeSegment, type SegmentFile } from './body-files.ts';
import type { RunKind, StoreFolder } from './store-folder.ts';

/** A run up to this long stands in its row; a longer one has a file. */
export const INLINE_BYTES = 16_384;

/** So often the row of a running exchange is rewritten for a growing short run before the run moves to a file. */
const MOST_INLINE_REWRITES = 3;

/** How a finished run is kept. Both null: it had no bytes. */
export interface StoredRun {
  readonly inline: Buffer | null;
  readonly segment: SegmentFile | null;
}

const NO_RUN: StoredRun = { inline: null, segment: null };

/**
 * Gathers one run of bytes (a body, or the framing of one) while it comes. Buffers that `add` gets are borrowed until
 * `settle` or `finish`: all input and output happens there, in few and large steps.
 */
export class RunCollector {
  readonly #folder: StoreFolder;
  readonly #owner: { readonly id: ExchangeId; readonly side: MessageSide; readonly kind: RunKind };
  #fresh: Buffer[] = [];
  #kept: Buffer | null = null;
  #spool: SpoolFile | null = null;
  #rewrites = 0;
  #bytes = 0;
  #failure: unknown = null;
  #finished: StoredRun | null = null;

  constructor(folder: StoreFolder, id: ExchangeId, side: MessageSide, kind: RunKind) {
    this.#folder = folder;
    this.#owner = { id, side, kind };
  }

  /** Bytes that were added, whether or not they could be kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Why bytes after some point were not kept; null when all were. */
  get failure(): unknown {
    return this.#failure;
  }

  /** What the row of a running exchange holds of it after `settle`; null once it has a file. */
  get inline(): Buffer | null {
    return this.#kept;
  }

  /** All of a run that did not get a file; null of one that did. Borrowed until the next `settle` or `finish`. */
  get short(): Buffer | null {
    if (this.#spool !== null || this.#failure !== null || this.#bytes > INLINE_BYTES) return null;
    const pieces = this.#pieces();
    const [only] = pieces;
    return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  }

  add(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#failure === null) this.#fresh.push(bytes);
  }

  /**
   * Brings what was added into memory of its own or into the spool file, after which the buffers are free.
   */
  settle(): void {
    if (this.#fresh.length === 0) return;
    if (this.#spool === null && this.#bytes <= INLINE_BYTES && this.#rewrites < MOST_INLINE_REWRITES) {
      this.#rewrites += 1;
      this.#kept = Buffer.concat(this.#pieces());
      this.#fresh = [];
      return;
    }
    this.#attempt(() => {
      this.#toSpool();
    });
  }

  /** The run is complete. Can be called again after a commit failed; the answer is the same. */
  finish(): StoredRun {
    this.#finished ??= this.#finish();
    return this.#finished;
  }

  /** Forgets everything that was kept outside of rows. */
  discard(): void {
    this.#fresh = [];
    this.#spool?.discard();
    this.#spool = null;
  }

  #finish(): StoredRun {
    let stored = NO_RUN;
    this.#attempt(() => {
      if (this.#spool === null && this.#bytes > INLINE_BYTES && this.#failure === null) {
        const pieces = this.#pieces();
        this.#fresh = [];
        stored = { inline: null, segment: storeSegment(this.#folder, this.#owner, pieces) };
      }
      if (this.#spool !== null && this.#fresh.length > 0) this.#toSpool();
    });
    if (stored.segment !== null) return stored;
    const spool = this.#spool;
    if (spool === null || spool.bytes === 0) {
      spool?.discard();
      this.#spool = null;
      const pieces = this.#pieces();
      this.#fresh = [];
      const [only] = pieces;
      if (only === undefined) return NO_RUN;
      return { inline: pieces.length === 1 ? only : Buffer.concat(pieces), segment: null };
    }
    this.#spool = null;
    this.#attempt(() => {
      if (spool.bytes > INLINE_BYTES) {
        stored = { inline: null, segment: spool.finish() };
      } else {
        stored = { inline: spool.read(), segment: null };
        spool.discard();
      }
    });
    return stored;
  }

  #pieces(): Buffer[] {
    return this.#kept === null ? this.#fresh : [this.#kept, ...this.#fresh];
  }

  #toSpool(): void {
    if (this.#failure !== null) return;
    const pieces = this.#pieces();
    this.#fresh = [];
    this.#spool ??= new SpoolFile(this.#folder, this.#owner.id, this.#owner.side, this.#owner.kind);
    this.#spool.append(pieces);
    this.#kept = null;
  }

  /** A file that cannot be written cuts this run and nothing else: the row must not be lost over it. */
  #attempt(work: () => void): void {
    try {
      work();
    } catch (error: unknown) {
      this.#failure ??= error;
      this.#fresh = [];
    }
  }
}
