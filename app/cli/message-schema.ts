import type { ExchangeDetail, MessageSummary, ProtobufNode } from '#contract';
import { decodeProtobuf, protobufTypeOf, ProtoTypes } from '#contract';
import { defaultDataFolder, describeDataFolder } from '../backend/data-folder.ts';
import { ProtoStore } from '../backend/proto-store.ts';
import { readAside } from '../backend/protos/read-aside.ts';
import { tell } from './output.ts';

/** A gRPC message by its schema. */
export interface TypedMessage {
  /** Full name of its type. */
  readonly type: string;
  readonly node: ProtobufNode;
}

/** Decodes messages of one exchange; null where no schema says what they are, or where they are something else. */
export type DecodeMessage = (message: MessageSummary, payload: Uint8Array) => TypedMessage | null;

/**
 * The schemas of a data folder for the messages of an exchange.
 *
 * @param data value of `--data`
 * @returns null when no schema knows the call
 */
export function messageDecoder(data: string | undefined, { summary }: ExchangeDetail): DecodeMessage | null {
  const store = new ProtoStore(describeDataFolder(data ?? defaultDataFolder()).protos, readAside, tell);
  if (store.list().length === 0) return null;
  const types = new ProtoTypes(store.schema);
  const typeOf = (side: MessageSummary['side']): string | null =>
    protobufTypeOf(types, { path: summary.path, side, contentType: null });
  const names = { request: typeOf('request'), response: typeOf('response') };
  if (names.request === null && names.response === null) return null;
  return ({ kind, side }, payload) => {
    const type = names[side];
    if (kind !== 'grpc' || type === null) return null;
    const decoded = decodeProtobuf(types, type, payload);
    return 'node' in decoded ? { type, node: decoded.node } : null;
  };
}
