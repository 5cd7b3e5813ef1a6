import { FRAME_HEAD_BYTES, Flag, FrameType } from './constants.ts';
import type { FrameWatcher } from './frame-watcher.ts';

/** Payloads up to this are copied between their neighbours, so that many frames make one write; larger ones are referred to. */
const COPY_LIMIT = 4_096;
const SLAB_BYTES = 16_384;
const NONE: readonly Buffer[] = [];

/**
 * Collects frames for one connection until they are taken for one write. Nothing here checks a protocol rule.
 *
 * @see RFC 9113 §4.1
 */
export class FrameWriter {
  readonly #watcher: FrameWatcher | null;
  #slab = Buffer.allocUnsafe(SLAB_BYTES);
  /** Start of what is not yet in `#parts`. */
  #from = 0;
  #at = 0;
  #parts: Buffer[] = [];
  #bytes = 0;
  #spent: Buffer[] = [];

  constructor(watcher: FrameWatcher | null = null) {
    this.#watcher = watcher;
  }

  /** Octets that wait to be taken. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  /** Takes everything written so far, in order. The buffers are the caller's. */
  take(): Buffer[] {
    this.#close();
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    return parts;
  }

  /** Nobody needs this buffer once everything that was written until now has been taken and copied or sent. */
  spend(bytes: Buffer): void {
    this.#spent.push(bytes);
  }

  /** The buffers that were named so since the last time; to be called with `take`. */
  takeSpent(): readonly Buffer[] {
    if (this.#spent.length === 0) return NONE;
    const spent = this.#spent;
    this.#spent = [];
    return spent;
  }

  /** Bytes that are no frame: the connection preface. */
  raw(bytes: Buffer): void {
    this.#reserve(bytes.length);
    bytes.copy(this.#slab, this.#at);
    this.#advance(bytes.length);
  }

  /** A header block of any length, cut into HEADERS and CONTINUATION (RFC 9113 §6.2, §6.10). */
  headers(stream: number, block: Buffer, endStream: boolean, maxFrame: number): void {
    let from = 0;
    do {
      const to = Math.min(block.length, from + maxFrame);
      const type = from === 0 ? FrameType.headers : FrameType.continuation;
      const flags = (from === 0 && endStream ? Flag.endStream : 0) | (to === block.length ? Flag.endHeaders : 0);
      this.#reserve(FRAME_HEAD_BYTES + to - from);
      this.#head(to - from, type, flags, stream);
      block.copy(this.#slab, this.#at, from, to);
      this.#advance(to - from);
      this.#watcher?.onFrame(true, type, flags, stream, to - from, block, from, from);
      from = to;
    } while (from < block.length);
  }

  /** One DATA frame. `bytes` may be kept until the write is done: the caller must not reuse them. */
  data(stream: number, bytes: Buffer, start: number, end: number, endStream: boolean): void {
    const length = end - start;
    const flags = endStream ? Flag.endStream : 0;
    this.#watcher?.onFrame(true, FrameType.data, flags, stream, length, bytes, start, start);
    if (length <= COPY_LIMIT) {
      this.#reserve(FRAME_HEAD_BYTES + length);
      this.#head(length, FrameType.data, flags, stream);
      bytes.copy(this.#slab, this.#at, start, end);
      this.#advance(length);
      return;
    }
    this.#reserve(FRAME_HEAD_BYTES);
    this.#head(length, FrameType.data, flags, stream);
    this.#close();
    this.#parts.push(bytes.subarray(start, end));
    this.#bytes += length;
  }

  rstStream(stream: number, code: number): void {
    this.#numbers(FrameType.rstStream, 0, stream, code);
  }

  windowUpdate(stream: number, increment: number): void {
    this.#numbers(FrameType.windowUpdate, 0, stream, increment);
  }

  /** @param pairs identifiers and values in turn */
  settings(pairs: readonly number[]): void {
    const length = (pairs.length / 2) * 6;
    this.#reserve(FRAME_HEAD_BYTES + length);
    this.#head(length, FrameType.settings, 0, 0);
    for (let index = 0; index < pairs.length; index += 2) {
      this.#slab.writeUInt16BE(pairs[index] ?? 0, this.#at);
      this.#slab.writeUInt32BE(pairs[index + 1] ?? 0, this.#at + 2);
      this.#advance(6);
    }
    this.#tell(FrameType.settings, 0, 0, length);
  }

  settingsAck(): void {
    this.#reserve(FRAME_HEAD_BYTES);
    this.#head(0, FrameType.settings, Flag.ack, 0);
    this.#tell(FrameType.settings, Flag.ack, 0, 0);
  }

  /** @param payload eight octets from `start` */
  ping(payload: Buffer, start: number, ack: boolean): void {
    this.#reserve(FRAME_HEAD_BYTES + 8);
    this.#head(8, FrameType.ping, ack ? Flag.ack : 0, 0);
    payload.copy(this.#slab, this.#at, start, start + 8);
    this.#advance(8);
    this.#tell(FrameType.ping, ack ? Flag.ack : 0, 0, 8);
  }

  goaway(lastStream: number, code: number, debug: string): void {
    const text = Buffer.from(debug, 'latin1');
    this.#reserve(FRAME_HEAD_BYTES + 8 + text.length);
    this.#head(8 + text.length, FrameType.goaway, 0, 0);
    this.#slab.writeUInt32BE(lastStream, this.#at);
    this.#slab.writeUInt32BE(code, this.#at + 4);
    text.copy(this.#slab, this.#at + 8);
    this.#advance(8 + text.length);
    this.#tell(FrameType.goaway, 0, 0, 8 + text.length);
  }

  #numbers(type: number, flags: number, stream: number, value: number): void {
    this.#reserve(FRAME_HEAD_BYTES + 4);
    this.#head(4, type, flags, stream);
    this.#slab.writeUInt32BE(value, this.#at);
    this.#advance(4);
    this.#tell(type, flags, stream, 4);
  }

  /** A frame whose payload was written last. */
  #tell(type: number, flags: number, stream: number, length: number): void {
    this.#watcher?.onFrame(true, type, flags, stream, length, this.#slab, this.#at - length, this.#at);
  }

  #head(length: number, type: number, flags: number, stream: number): void {
    const slab = this.#slab;
    const at = this.#at;
    slab[at] = length >>> 16;
    slab[at + 1] = length >>> 8;
    slab[at + 2] = length;
    slab[at + 3] = type;
    slab[at + 4] = flags;
    slab[at + 5] = stream >>> 24;
    slab[at + 6] = stream >>> 16;
    slab[at + 7] = stream >>> 8;
    slab[at + 8] = stream;
    this.#advance(FRAME_HEAD_BYTES);
  }

  #advance(bytes: number): void {
    this.#at += bytes;
    this.#bytes += bytes;
  }

  #reserve(bytes: number): void {
    if (this.#slab.length - this.#at >= bytes) return;
    this.#close();
    this.#slab = Buffer.allocUnsafe(Math.max(SLAB_BYTES, bytes));
    this.#from = 0;
    this.#at = 0;
  }

  #close(): void {
    if (this.#at === this.#from) return;
    this.#parts.push(this.#slab.subarray(this.#from, this.#at));
    this.#from = this.#at;
  }
}
