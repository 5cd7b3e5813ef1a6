import { Flag, Http2Error } from './constants.ts';
import type { Fault, Http2Limits } from './events.ts';

/** Octets of the priority fields in HEADERS (RFC 9113 §6.2). */
const PRIORITY_BYTES = 5;

/** Collects one header block from HEADERS and its CONTINUATION frames (RFC 9113 §4.3, §6.10). */
export class HeaderBlock {
  /** Stream of the block that is being collected, or 0. */
  stream = 0;
  /** HEADERS had END_STREAM. */
  endsStream = false;
  /** The whole block, once `complete`: a range of `bytes`. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  complete = false;
  readonly #limits: Http2Limits;
  #parts: Buffer[] = [];
  #octets = 0;
  #frames = 0;

  constructor(limits: Http2Limits) {
    this.#limits = limits;
  }

  /** @returns what is wrong with the frame, or null */
  begin(flags: number, stream: number, bytes: Buffer, start: number, end: number): Fault | null {
    let from = start;
    let to = end;
    if ((flags & Flag.padded) !== 0) {
      if (from === to) return { code: Http2Error.frameSizeError, message: 'HEADERS is too short for its padding.' };
      to -= bytes[from] ?? 0;
      from += 1;
    }
    if ((flags & Flag.priority) !== 0) {
      if (end - from < PRIORITY_BYTES)
        return { code: Http2Error.frameSizeError, message: 'HEADERS is too short for its priority.' };
      if ((bytes.readUInt32BE(from) & 0x7fff_ffff) === stream)
        return protocolError(`Stream ${String(stream)} depends on itself.`);
      from += PRIORITY_BYTES;
    }
    if (from > to) return protocolError('Padding is longer than its frame.');
    this.stream = stream;
    this.endsStream = (flags & Flag.endStream) !== 0;
    this.complete = (flags & Flag.endHeaders) !== 0;
    this.#frames = 0;
    this.#octets = to - from;
    if (this.complete) {
      this.bytes = bytes;
      this.start = from;
      this.end = to;
    } else this.#parts = [Buffer.from(bytes.subarray(from, to))];
    return null;
  }

  /** @returns what is wrong with the frame, or null */
  add(flags: number, bytes: Buffer, start: number, end: number): Fault | null {
    const { continuations, headBytes } = this.#limits;
    this.#frames += 1;
    this.#octets += end - start;
    if (this.#frames > continuations)
      return calm(`More CONTINUATION frames than continuations (${String(continuations)}) allows.`);
    if (this.#octets > headBytes) return calm(`A header block is larger than headBytes (${String(headBytes)}) allows.`);
    this.#parts.push(Buffer.from(bytes.subarray(start, end)));
    if ((flags & Flag.endHeaders) === 0) return null;
    this.bytes = Buffer.concat(this.#parts);
    this.start = 0;
    this.end = this.bytes.length;
    this.#parts = [];
    this.complete = true;
    return null;
  }

  /** The block was taken; the next frame may be any. */
  done(): void {
    this.stream = 0;
    this.complete = false;
  }
}

function protocolError(message: string): Fault {
  return { code: Http2Error.protocolError, message };
}

function calm(message: string): Fault {
  return { code: Http2Error.enhanceYourCalm, message };
}
