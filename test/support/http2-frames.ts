import { HpackEncoder } from '../../proxy-engine/protocol/http2/hpack/encoder.ts';
import type { HeaderToSend } from '../../proxy-engine/protocol/http2/index.ts';

/** A frame as a peer would send it, well formed or not (RFC 9113 §4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** HEADERS, with END_STREAM and END_HEADERS unless other flags are given; encoded without a table that others know of. */
export const headersFrame = (stream: number, list: readonly HeaderToSend[], flags = 5): Buffer =>
  frame(1, flags, stream, Buffer.from(new HpackEncoder().encode(list)));

export const field = (name: string, value: string): HeaderToSend => ({ name, value });

/** The fields of a request, pseudo-fields first. */
export const requestFields = (method = 'GET', path = '/p', ...more: readonly HeaderToSend[]): HeaderToSend[] => [
  field(':method', method),
  field(':scheme', 'http'),
  field(':authority', 'weir.example'),
  field(':path', path),
  ...more,
];
