import type { MessageSide } from '#contract';

/** A message as the one frame that would have carried it (RFC 6455 §5.2); the mask of clients is zero. */
export function webSocketFrame(side: MessageSide, opcode: number, data: Buffer): Buffer {
  const masked = side === 'request' ? 0x80 : 0;
  const { length } = data;
  const head = Buffer.alloc(2 + (length > 65_535 ? 8 : length > 125 ? 2 : 0) + (masked === 0 ? 0 : 4));
  head[0] = 0x80 | opcode;
  if (length > 65_535) {
    head[1] = masked | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  } else if (length > 125) {
    head[1] = masked | 126;
    head.writeUInt16BE(length, 2);
  } else head[1] = masked | length;
  return Buffer.concat([head, data]);
}

/** Opcodes of what a WebSocket carries, by the kind of message. */
export const OPCODES: ReadonlyMap<string, number> = new Map([
  ['text', 1],
  ['binary', 2],
  ['close', 8],
  ['ping', 9],
  ['pong', 10],
]);
