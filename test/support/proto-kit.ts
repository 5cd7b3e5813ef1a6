import protobuf from 'protobufjs';
import { combineFiles } from '../../app/backend/protos/combine-files.ts';
import { readProto } from '../../app/backend/protos/read-proto.ts';
import { decodeProtobuf, protobufJson, ProtoTypes } from '../../app/contract/index.ts';

/** What Weir makes of the sources of .proto files. */
export function protoTypesOf(...sources: readonly string[]): ProtoTypes {
  const files = sources.map((source, index) => ({ name: `${String(index)}.proto`, described: readProto(source) }));
  return new ProtoTypes(combineFiles(files).schema);
}

const COMMON = ['any', 'duration', 'field_mask', 'struct', 'timestamp', 'wrappers'];

/**
 * Bytes of a message as protobufjs writes them: an encoder that is not ours. Fields of google.protobuf have their names in
 * camel case.
 */
export function encodeProto(source: string, type: string, value: object): Uint8Array {
  const root = new protobuf.Root();
  for (const name of COMMON) root.addJSON(protobuf.common.get(`google/protobuf/${name}.proto`)?.nested ?? {});
  protobuf.parse(source, root, { keepCase: true });
  const message = root.lookupType(type);
  return Uint8Array.from(message.encode(message.fromObject(value)).finish());
}

/** A decoded message as JSON on one line, or why there is none. */
export function decodedText(types: ProtoTypes, type: string, bytes: Uint8Array): string {
  const decoded = decodeProtobuf(types, type, bytes);
  if ('problem' in decoded) return decoded.problem;
  return protobufJson(decoded.node).replace(/\n\s*/g, ' ');
}
