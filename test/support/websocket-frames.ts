/** One frame to be written by hand, as right or as wrong as a test needs it. */
export interface FrameSpec {
  readonly opcode: number;
  readonly payload?: Buffer | string;
  /** True unless said. */
  readonly fin?: boolean;
  /** RSV1 is 4, RSV2 is 2, RSV3 is 1. */
  readonly reservedBits?: number;
  /** Four bytes; without it no mask. */
  readonly mask?: readonly number[];
  /** Writes the length in more bytes than it needs. */
  readonly lengthBytes?: 2 | 8;
  /** A length that is not the payload's. */
  readonly claimedBytes?: bigint;
}

export const MASK = [0x37, 0xfa, 0x21, 0x3d] as const;

/** Bytes of a frame (RFC 6455 §5.2). */
export function frame(spec: FrameSpec): Buffer {
  const payload = Buffer.from(spec.payload ?? '');
  const length = spec.claimedBytes ?? BigInt(payload.length);
  const bytes = spec.lengthBytes ?? (length < 126n ? 0 : length < 65_536n ? 2 : 8);
  const head = Buffer.alloc(2 + bytes);
  head[0] = ((spec.fin ?? true) ? 0x80 : 0) | ((spec.reservedBits ?? 0) << 4) | spec.opcode;
  head[1] = (spec.mask === undefined ? 0 : 0x80) | (bytes === 0 ? Number(length) : bytes === 2 ? 126 : 127);
  if (bytes === 2) head.writeUInt16BE(Number(length), 2);
  if (bytes === 8) head.writeBigUInt64BE(length, 2);
  const { mask } = spec;
  if (mask === undefined) return Buffer.concat([head, payload]);
  const masked = Buffer.from(payload.map((byte, index) => byte ^ (mask[index & 3] ?? 0)));
  return Buffer.concat([head, Buffer.from(mask), masked]);
}

/** Payload of a close frame. */
export function closePayload(code: number, reason = ''): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(code);
  return Buffer.concat([bytes, Buffer.from(reason)]);
}
