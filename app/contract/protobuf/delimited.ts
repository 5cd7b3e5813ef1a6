import { decodeProtobuf } from './decode.ts';
import type { DecodedProtobuf } from './decode.ts';
import type { ProtobufNode } from './node.ts';
import type { ProtoTypes } from './proto-types.ts';
import { WireReader } from './wire-reader.ts';

const MOST_MESSAGES = 20_000;

/** Decodes a row of messages of one type, each behind its length as a varint, to a list. Never throws. */
export function decodeDelimited(types: ProtoTypes, name: string, bytes: Uint8Array): DecodedProtobuf {
  const items: ProtobufNode[] = [];
  const reader = new WireReader(bytes);
  while (!reader.atEnd) {
    const length = reader.length();
    const message = length === null ? null : reader.take(length);
    if (message === null) return { problem: 'its bytes end inside of a message' };
    if (items.length === MOST_MESSAGES) return { problem: `it has more than ${String(MOST_MESSAGES)} messages` };
    const decoded = decodeProtobuf(types, name, message);
    if ('problem' in decoded) return decoded;
    items.push(decoded.node);
  }
  return { node: { kind: 'list', items } };
}
