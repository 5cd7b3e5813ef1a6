import { constants, deflateRawSync } from 'node:zlib';

/** What a frame of a WebSocket is made of. */
export interface SampleFrame {
  readonly opcode: number;
  readonly payload: Buffer | string;
  /** Of the client: with a mask (RFC 6455 §5.3). */
  readonly masked: boolean;
  /** As permessage-deflate compresses a message without context. */
  readonly compressed?: boolean;
  readonly fin?: boolean;
}

const LONGEST_SHORT = 125;
const COMPRESSED_BIT = 0x40;

/** Bytes of one frame; at most 64 KiB. */
export function webSocketFrame({ opcode, payload, masked, compressed = false, fin = true }: SampleFrame): Buffer {
  const plain = Buffer.from(payload);
  const bytes = compressed ? deflateRawSync(plain, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4) : plain;
  const head = Buffer.alloc(bytes.length > LONGEST_SHORT ? 4 : 2);
  head[0] = (fin ? 0x80 : 0) | (compressed ? COMPRESSED_BIT : 0) | opcode;
  head[1] = (masked ? 0x80 : 0) | Math.min(bytes.length, LONGEST_SHORT + 1);
  if (head.length === 4) head.writeUInt16BE(bytes.length, 2);
  if (!masked) return Buffer.concat([head, bytes]);
  // The mask of a real client is random; that of the sample is the same on every run.
  const mask = Buffer.from([0x57, 0x65, 0x69, 0x72]);
  return Buffer.concat([head, mask, Buffer.from(bytes.map((byte, index) => byte ^ (mask[index & 3] ?? 0)))]);
}

/** Payload of a close frame. */
export function closeFramePayload(code: number, reason: string): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(code);
  return Buffer.concat([bytes, Buffer.from(reason)]);
}

/** A gRPC message behind its prefix. */
export function grpcMessage(payload: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(payload.length, 1);
  return Buffer.concat([prefix, payload]);
}

/** A protobuf message of text, whole numbers and nested messages; the place in the list is the number of the field. */
export function protobuf(fields: readonly (string | number | Buffer | null)[]): Buffer {
  const parts: Buffer[] = [];
  for (const [index, value] of fields.entries()) {
    if (value === null) continue;
    const number = index + 1;
    if (typeof value === 'number') parts.push(varint(number << 3), varint(value));
    else {
      const content = Buffer.from(value);
      parts.push(varint((number << 3) | 2), varint(content.length), content);
    }
  }
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  while (left > 0x7f) {
    bytes.push((left & 0x7f) | 0x80);
    left = Math.floor(left / 128);
  }
  bytes.push(left);
  return Buffer.from(bytes);
}
