import type { DescribedFile } from './described-file.ts';
import { ProtoFileError } from './described-file.ts';
import { readDescriptorSet } from './read-descriptor-set.ts';
import { readProto } from './read-proto.ts';

/**
 * Reads what somebody gave: the source of a .proto, or else a set of descriptors.
 *
 * @throws ProtoFileError
 */
export function readProtoFile(name: string, bytes: Uint8Array): DescribedFile {
  if (!name.toLowerCase().endsWith('.proto')) return readDescriptorSet(bytes);
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error: unknown) {
    throw new ProtoFileError('It is no text in UTF-8.', null, { cause: error });
  }
  return readProto(source);
}
