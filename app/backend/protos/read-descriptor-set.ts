import { decodeProtobuf, ProtoTypes, typesOfLines } from '#contract';
import type { ProtobufNode, ProtoScalar } from '#contract';
import type { DescribedField, DescribedFile } from './described-file.ts';
import { checkDescribed, ProtoFileError } from './described-file.ts';

/** google/protobuf/descriptor.proto, as far as it says what is needed here; the rest is skipped as bytes. */
const DESCRIPTORS = new ProtoTypes({
  types: typesOfLines([
    'Set: bytes* file 1',
    'File: string name 1; string package 2; string* dependency 3; Message* message 4; Enum* enum 5; Service* service 6; Field* extension 7; bytes options 8; bytes source_code_info 9',
    'Message: string name 1; Field* field 2; Message* message 3; Enum* enum 4; bytes* extension_range 5; Field* extension 6; MessageOptions options 7; Oneof* oneof 8; bytes* reserved_range 9; string* reserved_name 10',
    'MessageOptions: bool map_entry 7',
    'Oneof: string name 1; bytes options 2',
    'Field: string name 1; string extendee 2; int32 number 3; int32 label 4; int32 type 5; string type_name 6; string default_value 7; bytes options 8; int32 oneof_index 9; string json_name 10; bool proto3_optional 17',
    'Enum: string name 1; EnumValue* value 2; bytes options 3; bytes* reserved_range 4; string* reserved_name 5',
    'EnumValue: string name 1; int32 number 2; bytes options 3',
    'Service: string name 1; Method* method 2; bytes options 3',
    'Method: string name 1; string input_type 2; string output_type 3; bytes options 4; bool client_streaming 5; bool server_streaming 6',
  ]),
  enums: [],
  methods: [],
});

const REPEATED = 3;
/** Scalars by their number in `FieldDescriptorProto.Type`. */
const NUMBERS: ReadonlyMap<number, ProtoScalar> = new Map([
  [1, 'double'],
  [2, 'float'],
  [3, 'int64'],
  [4, 'uint64'],
  [5, 'int32'],
  [6, 'fixed64'],
  [7, 'fixed32'],
  [8, 'bool'],
  [9, 'string'],
  [12, 'bytes'],
  [13, 'uint32'],
  [15, 'sfixed32'],
  [16, 'sfixed64'],
  [17, 'sint32'],
  [18, 'sint64'],
]);

/**
 * Reads a set of descriptors, as `protoc --descriptor_set_out` and `buf build` write it.
 *
 * @throws ProtoFileError when the bytes are none
 */
export function readDescriptorSet(bytes: Uint8Array): DescribedFile {
  const file: DescribedFile = { imports: [], provides: [], types: [], enums: [], methods: [], extensions: [] };
  const files = new Fields(decode('Set', bytes)).all('file');
  for (const one of files) {
    if (one.kind === 'bytes') describeFile(new Fields(decode('File', one.bytes)), file);
  }
  if (file.provides.length === 0) {
    throw new ProtoFileError(
      'It is no set of descriptors. Make one with protoc --include_imports --descriptor_set_out=FILE.',
    );
  }
  const own = new Set(file.provides);
  return checkDescribed({ ...file, imports: [...new Set(file.imports)].filter((path) => !own.has(path)) });
}

function decode(type: string, bytes: Uint8Array): ProtobufNode {
  const decoded = decodeProtobuf(DESCRIPTORS, type, bytes);
  if ('problem' in decoded) {
    throw new ProtoFileError(`It is no set of descriptors as protoc writes it: ${decoded.problem}.`);
  }
  return decoded.node;
}

/** A decoded message by the names of its fields. */
class Fields {
  readonly #values: ReadonlyMap<string, ProtobufNode>;

  constructor(node: ProtobufNode | undefined) {
    this.#values = new Map(node?.kind === 'object' ? node.entries : []);
  }

  text(name: string): string {
    const value = this.#plain(name);
    return typeof value === 'string' ? value : '';
  }

  number(name: string): number | null {
    const value = this.#plain(name);
    return typeof value === 'number' ? value : null;
  }

  flag(name: string): boolean {
    return this.#plain(name) === true;
  }

  one(name: string): Fields {
    return new Fields(this.#values.get(name));
  }

  all(name: string): readonly ProtobufNode[] {
    const value = this.#values.get(name);
    return value?.kind === 'list' ? value.items : [];
  }

  each(name: string): readonly Fields[] {
    return this.all(name).map((node) => new Fields(node));
  }

  #plain(name: string): unknown {
    const value = this.#values.get(name);
    return value?.kind === 'literal' ? JSON.parse(value.json) : null;
  }
}

function describeFile(descriptor: Fields, file: DescribedFile): void {
  const scope = descriptor.text('package');
  file.provides.push(descriptor.text('name'));
  for (const path of descriptor.all('dependency')) {
    if (path.kind === 'literal') file.imports.push(String(JSON.parse(path.json)));
  }
  describeTypes(descriptor, scope, file);
  for (const service of descriptor.each('service')) {
    const name = join(scope, service.text('name'));
    for (const method of service.each('method')) {
      file.methods.push({
        path: `${name}/${method.text('name')}`,
        request: method.text('input_type'),
        response: method.text('output_type'),
        requestStream: method.flag('client_streaming'),
        responseStream: method.flag('server_streaming'),
      });
    }
  }
}

/** Messages, enums and extensions of a file or a message. */
function describeTypes(descriptor: Fields, scope: string, file: DescribedFile): void {
  for (const one of descriptor.each('enum')) {
    const values = one
      .each('value')
      .map((value): [number, string] => [value.number('number') ?? 0, value.text('name')]);
    // Of several names for a number, the first.
    const first = new Map(values.toReversed());
    file.enums.push({ name: join(scope, one.text('name')), values: [...first].toReversed() });
  }
  for (const one of descriptor.each('extension')) {
    const field = fieldOf(one, [], new Map());
    file.extensions.push({
      scope,
      extendee: one.text('extendee'),
      field: { ...field, name: `[${join(scope, field.name)}]` },
    });
  }
  for (const message of descriptor.each('message')) describeMessage(message, join(scope, message.text('name')), file);
}

function describeMessage(message: Fields, name: string, file: DescribedFile): void {
  const nested = message.each('message');
  const maps = new Map(
    nested
      .filter((one) => one.one('options').flag('map_entry'))
      .map((one) => [`.${join(name, one.text('name'))}`, one.each('field')] as const),
  );
  const oneofs = message.each('oneof').map((oneof) => oneof.text('name'));
  file.types.push({ name, fields: message.each('field').map((field) => fieldOf(field, oneofs, maps)) });
  describeTypes(message, name, file);
  if (maps.size > 0) file.types = file.types.filter((type) => !maps.has(`.${type.name}`));
}

function fieldOf(
  field: Fields,
  oneofs: readonly string[],
  maps: ReadonlyMap<string, readonly Fields[]>,
): DescribedField {
  const common = { number: field.number('number') ?? 0, name: field.text('name') };
  const entry = maps.get(field.text('type_name'));
  if (entry !== undefined) {
    const [key, value] = [1, 2].map((number) => entry.find((one) => one.number('number') === number));
    return {
      ...common,
      type: value === undefined ? 'bytes' : typeOf(value),
      key: key === undefined ? 'string' : typeOf(key),
    };
  }
  const oneof = field.flag('proto3_optional') ? undefined : oneofs[field.number('oneof_index') ?? -1];
  return {
    ...common,
    type: typeOf(field),
    ...(field.number('label') === REPEATED ? { repeated: true } : {}),
    ...(oneof === undefined || oneof === '' ? {} : { oneof }),
  };
}

/** A scalar, or the full name of a type with a leading dot. */
function typeOf(field: Fields): string {
  return NUMBERS.get(field.number('type') ?? 0) ?? field.text('type_name');
}

function join(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}
