import type { ProtoSchema } from './protobuf/schema.ts';

/** A file that describes messages of Protocol Buffers, as it was added. */
export interface ProtoFileInfo {
  /** Path or name that it was given under; there is one of each. */
  readonly name: string;
  readonly bytes: number;
  readonly messages: number;
  readonly services: number;
  /** Paths that it imports and that nobody has added, as far as types of it are not known without them. */
  readonly missing: readonly string[];
  /** Types that it names and that no file defines; values of these are shown by the wire format. */
  readonly unresolved: readonly string[];
  /** Types that an earlier file defines otherwise; that one counts. */
  readonly conflicts: readonly { readonly type: string; readonly file: string }[];
}

/** Longest file that is taken, bytes. */
export const MAX_PROTO_BYTES = 4_194_304;

/** Most files that are kept. */
export const MAX_PROTO_FILES = 500;

/** Longest piece of a file in one call, bytes. */
export const MAX_PROTO_PIECE_BYTES = 524_288;

/** How names of files end that are taken for descriptions: sources, and sets of descriptors. */
export const PROTO_FILE_ENDS = ['.proto', '.desc', '.protoset', '.binpb', '.pb', '.fds'] as const;

interface ProtoFiles {
  readonly files: readonly ProtoFileInfo[];
}

/** Calls about schemas of Protocol Buffers. Each that changes them changes `AppStatus.protos`. */
export interface ProtoCalls {
  'protos.list': { input: Record<string, never>; output: ProtoFiles };
  /**
   * Takes a file in pieces, in order; the call with its last piece adds it. One of the same name is replaced. Fails with
   * `bad-input` and what is wrong with it, and where.
   */
  'protos.add': {
    input: { name: string; bytes: Uint8Array; offset: number; size: number };
    output: ProtoFiles;
  };
  /** Fails with `not-found`. */
  'protos.remove': { input: { name: string }; output: ProtoFiles };
  /** Takes back that a file was removed, while this backend runs. Fails with `not-found`. */
  'protos.restore': { input: { name: string }; output: ProtoFiles };
  /** Everything that the files describe, and the number of `AppStatus.protos` that it belongs to. */
  'protos.schema': { input: Record<string, never>; output: { schema: ProtoSchema; revision: number } };
}
