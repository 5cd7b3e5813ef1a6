import type { BodyWindow } from '#contract';
import { FramingEncoder, readSplices } from './framing-codec.ts';
import type { StoredBytes } from './stored-run.ts';

/** One message as its bytes on the wire: the head, then payload with transfer framing between. */
export interface RawMessage {
  readonly head: Buffer;
  readonly payload: StoredBytes;
  /** Encoded splices; empty for a body without transfer framing. */
  readonly framing: Buffer;
  /** The body was not recorded to its end. */
  readonly cut: boolean;
}

/** The next stretch of a wire image, either bytes of their own or a range of the payload. */
type Stretch =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly length: number }
  | { readonly kind: 'payload'; readonly start: number; readonly length: number };

/** Size of the wire image. */
function rawLength(message: RawMessage): number {
  let length = message.head.length + message.payload.length;
  for (const splice of readSplices(message.framing)) length += splice.times * splice.bytes.length;
  return length;
}

/** At most `length` bytes of the wire image from `offset`. */
export function readRaw(message: RawMessage, offset: number, length: number): BodyWindow {
  const pieces: Buffer[] = [];
  const end = offset + length;
  let at = 0;
  for (const stretch of stretches(message)) {
    const from = Math.max(offset - at, 0);
    const to = Math.min(end - at, stretch.length);
    if (from < to) {
      pieces.push(
        stretch.kind === 'bytes'
          ? stretch.bytes.subarray(from, to)
          : message.payload.read(stretch.start + from, to - from),
      );
    }
    at += stretch.length;
    if (at >= end) break;
  }
  return {
    bytes: Uint8Array.from(Buffer.concat(pieces)),
    totalBytes: rawLength(message),
    stopped: message.cut ? 'cut' : null,
  };
}

function* stretches(message: RawMessage): Generator<Stretch> {
  yield { kind: 'bytes', bytes: message.head, length: message.head.length };
  let payloadAt = 0;
  for (const { times, gap, bytes } of readSplices(message.framing)) {
    for (let count = 0; count < times; count += 1) {
      const present = Math.min(gap, message.payload.length - payloadAt);
      yield { kind: 'payload', start: payloadAt, length: present };
      payloadAt += present;
      if (present < gap) return;
      yield { kind: 'bytes', bytes, length: bytes.length };
    }
  }
  yield { kind: 'payload', start: payloadAt, length: message.payload.length - payloadAt };
}

/** The framing run of a body that Weir forwarded in chunks of its own: their bounds are not recorded, so it shows one. */
export function oneChunk(payloadBytes: number): Buffer {
  const runs: Buffer[] = [];
  const encoder = new FramingEncoder((bytes) => runs.push(bytes));
  if (payloadBytes > 0) {
    encoder.framing(Buffer.from(`${payloadBytes.toString(16)}\r\n`));
    encoder.payload(payloadBytes);
    encoder.framing(Buffer.from('\r\n'));
  }
  encoder.framing(Buffer.from('0\r\n\r\n'));
  encoder.finish();
  return Buffer.concat(runs);
}
