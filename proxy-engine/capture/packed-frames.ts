import { FRAME_HEAD_BYTES, SENT_BIT } from './record-format.ts';
import type { FrameRecord } from './tap.ts';

/** A frame as it was packed, with what is kept of its payload. */
export interface PackedFrame extends FrameRecord {
  /** Microseconds since the Unix epoch. */
  readonly time: number;
  /** Of DATA and header blocks nothing; of others the first 64 bytes. A view of what was read. */
  readonly detail: Buffer;
}

/** Reads frames that stand back to back; what is cut off at the end is left out. */
export function* readFrames(packed: Buffer): Generator<PackedFrame> {
  for (let at = 0; at + FRAME_HEAD_BYTES <= packed.length;) {
    const typeAndLength = packed.readUInt32LE(at + 12);
    const place = packed.readUInt32LE(at + 16);
    const end = at + FRAME_HEAD_BYTES + packed.readUInt8(at + 21);
    if (end > packed.length) return;
    yield {
      time: packed.readDoubleLE(at),
      sequence: packed.readUInt32LE(at + 8),
      type: typeAndLength % 256,
      length: Math.floor(typeAndLength / 256),
      sent: place >= SENT_BIT,
      stream: place % SENT_BIT,
      flags: packed.readUInt8(at + 20),
      detail: packed.subarray(at + FRAME_HEAD_BYTES, end),
    };
    at = end;
  }
}

/** Number of a frame that begins there. */
export function sequenceAt(packed: Buffer, at: number): number {
  return packed.readUInt32LE(at + 8);
}
