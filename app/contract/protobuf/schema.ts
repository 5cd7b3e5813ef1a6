/** Types of fields that are no message and no enum. */
const PROTO_SCALARS = [
  'double',
  'float',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'sint32',
  'sint64',
  'fixed32',
  'fixed64',
  'sfixed32',
  'sfixed64',
  'bool',
  'string',
  'bytes',
] as const;

export type ProtoScalar = (typeof PROTO_SCALARS)[number];

/** A field of a message. Names of messages and enums are full and without a leading dot. */
export interface ProtoField {
  readonly number: number;
  /** As in the .proto; an extension's full name in brackets. */
  readonly name: string;
  /** `unknown`: it names a type that none of the files defines. */
  readonly type: ProtoScalar | 'message' | 'enum' | 'unknown';
  /** Full name of the message or enum; of an unknown type, what the file calls it. */
  readonly ref?: string;
  readonly repeated?: true;
  /** Of a map: the type of its keys. `type` is that of its values. */
  readonly key?: ProtoScalar;
  /** The group of which a message has one field at most. */
  readonly oneof?: string;
}

export interface ProtoType {
  readonly name: string;
  readonly fields: readonly ProtoField[];
}

export interface ProtoEnum {
  readonly name: string;
  /** Where several names have one number, the first. */
  readonly values: readonly (readonly [number: number, name: string])[];
}

export interface ProtoMethod {
  /** `package.Service/Method` */
  readonly path: string;
  readonly request: string;
  readonly response: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

/** Everything that the added files describe, resolved; what the well-known files define is not repeated. */
export interface ProtoSchema {
  readonly types: readonly ProtoType[];
  readonly enums: readonly ProtoEnum[];
  readonly methods: readonly ProtoMethod[];
}

export const NO_SCHEMA: ProtoSchema = { types: [], enums: [], methods: [] };

/** Whether a field's type stands for itself. */
export function isProtoScalar(type: string): type is ProtoScalar {
  return SCALARS.has(type);
}

const SCALARS: ReadonlySet<string> = new Set(PROTO_SCALARS);
