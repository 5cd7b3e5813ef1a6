/*
 * Transfer framing is kept apart from the payload, so that a body can be shown without it and still be put together as it
 * was on the wire. A framing run is a list of splices:
 *
 *   splice   varint times | varint payload bytes before it (each time) | varint length | bytes
 *
 * A sender that cuts a download into equal chunks makes one splice of any number of them.
 */

export interface Splice {
  readonly times: number;
  /** Payload bytes since the splice before. */
  readonly gap: number;
  readonly bytes: Buffer;
}

const LONGEST_VARINT = 8;

/** Turns a body section, told piece by piece in wire order, into a framing run. */
export class FramingEncoder {
  readonly #emit: (bytes: Buffer) => void;
  /** Payload bytes since the end of the pending splice. */
  #gap = 0;
  #last: { times: number; gap: number; bytes: Buffer } | null = null;
  #pending: { gap: number; bytes: Buffer } | null = null;

  /** @param emit takes the next bytes of the run; they are its own */
  constructor(emit: (bytes: Buffer) => void) {
    this.#emit = emit;
  }

  payload(bytes: number): void {
    this.#gap += bytes;
  }

  framing(bytes: Buffer): void {
    if (this.#pending !== null && this.#gap === 0) {
      this.#pending.bytes = Buffer.concat([this.#pending.bytes, bytes]);
      return;
    }
    this.#closePending();
    this.#pending = { gap: this.#gap, bytes: Buffer.from(bytes) };
    this.#gap = 0;
  }

  /** The body section is over. */
  finish(): void {
    this.#closePending();
    this.#emitLast();
  }

  #closePending(): void {
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    const last = this.#last;
    if (last !== null && last.gap === pending.gap && last.bytes.equals(pending.bytes)) {
      last.times += 1;
      return;
    }
    this.#emitLast();
    this.#last = { times: 1, ...pending };
  }

  #emitLast(): void {
    const last = this.#last;
    if (last === null) return;
    this.#last = null;
    const head = Buffer.allocUnsafe(3 * LONGEST_VARINT);
    let at = writeVarint(head, 0, last.times);
    at = writeVarint(head, at, last.gap);
    at = writeVarint(head, at, last.bytes.length);
    this.#emit(Buffer.concat([head.subarray(0, at), last.bytes]));
  }
}

/** Reads a framing run; stops in silence where a crash cut it. */
export function* readSplices(run: Buffer): Generator<Splice> {
  const cursor = { at: 0 };
  while (cursor.at < run.length) {
    const times = readVarint(run, cursor);
    const gap = readVarint(run, cursor);
    const length = readVarint(run, cursor);
    if (times === null || gap === null || length === null || cursor.at + length > run.length) return;
    yield { times, gap, bytes: run.subarray(cursor.at, cursor.at + length) };
    cursor.at += length;
  }
}

function writeVarint(target: Buffer, start: number, value: number): number {
  let at = start;
  let left = value;
  while (left > 0x7f) {
    target[at] = (left % 0x80) | 0x80;
    left = Math.floor(left / 0x80);
    at += 1;
  }
  target[at] = left;
  return at + 1;
}

function readVarint(source: Buffer, cursor: { at: number }): number | null {
  let value = 0;
  let scale = 1;
  for (let index = 0; index < LONGEST_VARINT; index += 1) {
    const byte = source[cursor.at];
    if (byte === undefined) return null;
    cursor.at += 1;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
    scale *= 0x80;
  }
  return null;
}
