import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BodyWindow } from '#contract';
import type { DecodeStop } from './decode/codings.ts';
import { DecodeStopped, decodeStream } from './decode/decode-stream.ts';
import { decodeWhole } from './decode/decode-whole.ts';
import { PRIVATE_FILE } from './store-folder.ts';
import { streamBytes, type StoredBytes } from './stored-run.ts';

/** A body up to this long is decoded in one step and kept in memory. */
const WHOLE_BYTES = 262_144;
const WHOLE_MOST_BYTES = 8_388_608;
const KEPT_BODIES = 8;

/**
 * A body whose output passes both is a bomb: this many bytes, and this many times its stored size. Honest text compresses
 * 3 to 30 times.
 */
const DECODE_BUDGET = { bytes: 268_435_456, ratio: 100 } as const;

/** What a decoded body is read from. */
interface Decoding {
  /** Waits until `until` bytes are there or no more will come. */
  reach(until: number): Promise<void>;
  /** Bytes that were decoded so far. */
  readonly produced: number;
  readonly ended: boolean;
  readonly stopped: DecodeStop | null;
  read(offset: number, length: number): Uint8Array<ArrayBuffer>;
  close(): void;
}

/**
 * Reads windows of decoded bodies. A long one is decoded once, into a file of its own that nobody else can open, and its
 * first windows are answered while the rest still decodes; the last few bodies are kept for the next window.
 */
export class DecodedBodies {
  readonly #kept = new Map<string, Decoding>();

  /**
   * @param key names the body and its length now, so that one that still grows is decoded anew
   * @param open gives its stored bytes
   * @param codings in order of application; at least one
   */
  async read(
    key: string,
    open: () => StoredBytes,
    codings: readonly string[],
    offset: number,
    length: number,
  ): Promise<BodyWindow> {
    let decoding = this.#kept.get(key);
    this.#kept.delete(key);
    decoding ??= startDecoding(open(), codings);
    this.#kept.set(key, decoding);
    this.#evict();
    await decoding.reach(offset + length);
    return {
      bytes: decoding.read(offset, length),
      totalBytes: decoding.ended ? decoding.produced : null,
      stopped: decoding.ended ? decoding.stopped : null,
    };
  }

  close(): void {
    for (const decoding of this.#kept.values()) decoding.close();
    this.#kept.clear();
  }

  #evict(): void {
    for (const [key, decoding] of this.#kept) {
      if (this.#kept.size <= KEPT_BODIES) return;
      this.#kept.delete(key);
      decoding.close();
    }
  }
}

/** Counts decoded bytes against the budget of one body. */
function exceedsBudget(decodedBytes: number, storedBytes: number): boolean {
  return decodedBytes > DECODE_BUDGET.bytes && decodedBytes > DECODE_BUDGET.ratio * storedBytes;
}

function startDecoding(stored: StoredBytes, codings: readonly string[]): Decoding {
  if (stored.length > WHOLE_BYTES) return new FileDecoding(stored, codings);
  const whole = decodeWhole(stored.read(0, stored.length), codings, WHOLE_MOST_BYTES);
  if (whole.stopped === 'budget') return new FileDecoding(stored, codings);
  stored.close();
  return {
    reach: () => Promise.resolve(),
    produced: whole.bytes.length,
    ended: true,
    stopped: whole.stopped,
    read: (offset, length) => Uint8Array.from(whole.bytes.subarray(offset, offset + length)),
    close: () => undefined,
  };
}

class FileDecoding implements Decoding {
  produced = 0;
  ended = false;
  stopped: DecodeStop | null = null;
  readonly #fd: number;
  readonly #storedBytes: number;
  #closed = false;
  #waiting: { readonly until: number; readonly resolve: () => void }[] = [];

  constructor(stored: StoredBytes, codings: readonly string[]) {
    this.#storedBytes = stored.length;
    this.#fd = openPrivateFile();
    void this.#run(decodeStream(streamBytes(stored), codings));
  }

  reach(until: number): Promise<void> {
    if (this.ended || this.produced >= until) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ until, resolve }));
  }

  read(offset: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, this.produced - offset)));
    return bytes.subarray(0, this.#closed ? 0 : readSync(this.#fd, bytes, 0, bytes.length, offset));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#fd);
    this.#end();
  }

  async #run(decoded: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const chunk of decoded) {
        if (this.#closed) return;
        let at = 0;
        while (at < chunk.length) at += writeSync(this.#fd, chunk, at, chunk.length - at, this.produced + at);
        this.produced += chunk.length;
        if (exceedsBudget(this.produced, this.#storedBytes)) throw new DecodeStopped('budget');
        this.#wake();
      }
    } catch (error: unknown) {
      // A temporary folder that is full ends the view as a budget does: what is there can be read.
      this.stopped = error instanceof DecodeStopped ? error.reason : 'budget';
    }
    this.#end();
  }

  #end(): void {
    this.ended = true;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) {
      if (this.ended || this.produced >= one.until) one.resolve();
      else this.#waiting.push(one);
    }
  }
}

/** A file that has no name any more once it is open, where the system allows that. */
function openPrivateFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'weir-decoded-'));
  const fd = openSync(join(folder, 'body'), 'wx+', PRIVATE_FILE);
  try {
    rmSync(folder, { recursive: true });
  } catch {
    // Windows keeps an open file's name; its temporary folder is the user's own and is swept by the system.
  }
  return fd;
}
