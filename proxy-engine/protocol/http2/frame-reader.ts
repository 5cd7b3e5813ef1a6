import { FRAME_HEAD_BYTES, Flag, FrameType } from './constants.ts';

/** Receives frames as they are read. Buffers are borrowed. A false answer stops the reading for good. */
export interface FrameSink {
  /**
   * The head of a frame was read, before its payload. The place to refuse a length, a stream or an order.
   * Returns false to stop.
   */
  onFrameHead(type: number, flags: number, stream: number, length: number): boolean;
  /** A whole payload of any frame but DATA. */
  onFrame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean;
  /** A run of DATA payload without padding; `flowBytes` counts padding too, and `last` marks the frame's end. */
  onDataPart(
    flags: number,
    stream: number,
    bytes: Buffer,
    start: number,
    end: number,
    flowBytes: number,
    last: boolean,
  ): boolean;
  /** Padding does not fit its frame (RFC 9113 §6.1). */
  onBadPadding(): void;
}

/**
 * Cuts a byte stream into frames. DATA passes as it comes, in as many parts; other payloads are collected whole, which is
 * bounded by the frame size that the sink accepted at the head.
 *
 * @see RFC 9113 §4
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
  #headBytes = 0;
  #type = 0;
  #flags = 0;
  #stream = 0;
  #length = 0;
  /** Payload octets still to come; -1 while a head is read. */
  #left = -1;
  #held: Buffer | null = null;
  #heldBytes = 0;
  /** DATA only: octets of padding at the end; -1 until the pad length octet was read. */
  #padding = 0;
  #stopped = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** True when bytes of an incomplete frame are held. */
  get midFrame(): boolean {
    return this.#left !== -1 || this.#headBytes > 0;
  }

  /** Reads everything from `start` to `end`, unless the sink stops it. */
  receive(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (!this.#stopped) {
      if (this.#left === -1) {
        if (at >= end) return;
        at = this.#readHead(bytes, at, end);
        if (this.#left === -1) return;
      }
      if (this.#type === FrameType.data) at = this.#readData(bytes, at, end);
      else at = this.#readPayload(bytes, at, end);
      if (this.#left !== -1) return;
    }
  }

  #readHead(bytes: Buffer, at: number, end: number): number {
    let from = bytes;
    let base = at;
    let next = at + FRAME_HEAD_BYTES;
    if (this.#headBytes > 0 || end - at < FRAME_HEAD_BYTES) {
      const take = Math.min(FRAME_HEAD_BYTES - this.#headBytes, end - at);
      bytes.copy(this.#head, this.#headBytes, at, at + take);
      this.#headBytes += take;
      if (this.#headBytes < FRAME_HEAD_BYTES) return end;
      this.#headBytes = 0;
      from = this.#head;
      base = 0;
      next = at + take;
    }
    this.#length = ((from[base] ?? 0) << 16) | ((from[base + 1] ?? 0) << 8) | (from[base + 2] ?? 0);
    this.#type = from[base + 3] ?? 0;
    this.#flags = from[base + 4] ?? 0;
    // The first bit is reserved and ignored (RFC 9113 §4.1).
    this.#stream = from.readUInt32BE(base + 5) & 0x7fff_ffff;
    this.#left = this.#length;
    if (!this.#sink.onFrameHead(this.#type, this.#flags, this.#stream, this.#length)) this.#stopped = true;
    if (this.#type === FrameType.data) this.#padding = (this.#flags & Flag.padded) !== 0 ? -1 : 0;
    return next;
  }

  #readData(bytes: Buffer, start: number, end: number): number {
    if (this.#stopped) return end;
    let at = start;
    let flowBytes = 0;
    if (this.#padding === -1) {
      if (this.#left === 0) return this.#refusePadding(end);
      if (at >= end) return at;
      this.#padding = bytes[at++] ?? 0;
      this.#left -= 1;
      flowBytes = 1;
      if (this.#padding > this.#left) return this.#refusePadding(end);
    }
    const available = Math.min(end - at, this.#left);
    const payload = Math.min(available, this.#left - Math.min(this.#padding, this.#left));
    this.#left -= available;
    flowBytes += available;
    if (this.#left < this.#padding) this.#padding = this.#left;
    const last = this.#left === 0;
    if (flowBytes > 0 || last) {
      if (!this.#sink.onDataPart(this.#flags, this.#stream, bytes, at, at + payload, flowBytes, last))
        this.#stopped = true;
    }
    if (last) this.#left = -1;
    return at + available;
  }

  #refusePadding(end: number): number {
    this.#stopped = true;
    this.#sink.onBadPadding();
    return end;
  }

  #readPayload(bytes: Buffer, at: number, end: number): number {
    if (this.#stopped) return end;
    const available = Math.min(end - at, this.#left);
    if (this.#held === null && available === this.#left) {
      this.#left = -1;
      this.#deliver(bytes, at, at + available);
      return at + available;
    }
    this.#held ??= Buffer.allocUnsafe(this.#length);
    bytes.copy(this.#held, this.#heldBytes, at, at + available);
    this.#heldBytes += available;
    this.#left -= available;
    if (this.#left === 0) {
      const whole = this.#held;
      this.#held = null;
      this.#heldBytes = 0;
      this.#left = -1;
      this.#deliver(whole, 0, whole.length);
    }
    return at + available;
  }

  #deliver(bytes: Buffer, start: number, end: number): void {
    if (!this.#sink.onFrame(this.#type, this.#flags, this.#stream, bytes, start, end)) this.#stopped = true;
  }
}
