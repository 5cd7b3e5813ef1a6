import * as v from 'valibot';
import { MAX_PROTO_BYTES, MAX_PROTO_PIECE_BYTES } from './proto-calls.ts';
import type { ProtoCalls } from './proto-calls.ts';

type Inputs = {
  readonly [Name in keyof ProtoCalls]: v.GenericSchema<unknown, ProtoCalls[Name]['input']>;
};

/** A name, or a path with forward slashes below wherever others import it from; never one that leads elsewhere. */
const protoFileName = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(300, 'The name of a schema file has at most 300 characters.'),
  v.regex(/^[^\p{Cc}\\]+$/u, 'The name of a schema file has no backslashes and no control characters.'),
  v.check(
    (name) => name.split('/').every((part) => part !== '' && part !== '.' && part !== '..'),
    'The name of a schema file is a path without a leading slash and without dots that lead elsewhere.',
  ),
);

const size = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1, 'The file is empty.'),
  v.maxValue(MAX_PROTO_BYTES, 'The file is longer than 4 MiB, which is the most that is taken of one.'),
);

/** A schema for the input of each call. */
export const PROTO_CALL_INPUTS: Inputs = {
  'protos.list': v.strictObject({}),
  'protos.add': v.pipe(
    v.strictObject({
      name: protoFileName,
      bytes: v.pipe(
        v.instance(Uint8Array),
        v.check(({ length }) => length > 0 && length <= MAX_PROTO_PIECE_BYTES, 'A piece has 1 to 524,288 bytes.'),
      ),
      offset: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
      size,
    }),
    v.check(({ bytes, offset, size: whole }) => offset + bytes.length <= whole, 'A piece ends behind the file.'),
  ),
  'protos.remove': v.strictObject({ name: protoFileName }),
  'protos.restore': v.strictObject({ name: protoFileName }),
  'protos.schema': v.strictObject({}),
};
