import * as v from 'valibot';

/*
 * What one file describes, before it is put together with others: types of fields are scalars or references as they stand
 * in the file, which are resolved from the message that they stand in.
 */

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(512));
const number = v.pipe(v.number(), v.safeInteger());

const FIELD = v.strictObject({
  number,
  name,
  type: name,
  repeated: v.exactOptional(v.literal(true)),
  key: v.exactOptional(name),
  oneof: v.exactOptional(name),
});

/** A file as it is kept. */
export const DESCRIBED_FILE = v.strictObject({
  /** Paths as they stand behind `import`. */
  imports: v.array(name),
  /** Paths of the files that a descriptor set holds. */
  provides: v.array(name),
  types: v.array(v.strictObject({ name, fields: v.array(FIELD) })),
  enums: v.array(v.strictObject({ name, values: v.array(v.strictTuple([number, name])) })),
  methods: v.array(
    v.strictObject({
      path: name,
      request: name,
      response: name,
      requestStream: v.boolean(),
      responseStream: v.boolean(),
    }),
  ),
  /** Fields that another message gets; `scope` is where they are declared. */
  extensions: v.array(v.strictObject({ scope: v.pipe(v.string(), v.maxLength(512)), extendee: name, field: FIELD })),
});

export type DescribedFile = v.InferOutput<typeof DESCRIBED_FILE>;
export type DescribedField = DescribedFile['types'][number]['fields'][number];

/** Most messages, enums and services of one file, and most fields and values. */
const MOST_TYPES = 20_000;
const MOST_FIELDS = 100_000;

/** A file cannot be used; the message says why, for a person. */
export class ProtoFileError extends Error {
  override readonly name = 'ProtoFileError';
  /** Line of the mistake, from 1; null where it has none. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }
}

/** Fields of its messages and values of its enums. */
export function fieldsOf({ types, enums }: DescribedFile): number {
  const messages = types.reduce((sum, { fields }) => sum + fields.length, 0);
  return enums.reduce((sum, { values }) => sum + values.length, messages);
}

/** @throws ProtoFileError when a file describes more than is taken of one, or nothing */
export function checkDescribed(file: DescribedFile): DescribedFile {
  const types = file.types.length + file.enums.length + file.methods.length;
  if (types > MOST_TYPES || fieldsOf(file) > MOST_FIELDS) {
    throw new ProtoFileError(
      `It describes more than ${MOST_TYPES.toLocaleString('en')} types or ${MOST_FIELDS.toLocaleString('en')} fields. Give it in parts.`,
    );
  }
  const result = v.safeParse(DESCRIBED_FILE, file);
  if (!result.success) throw new ProtoFileError('A name in it is empty or longer than 512 characters.');
  return result.output;
}
