import protobuf from 'protobufjs';
import type { DescribedField, DescribedFile } from './described-file.ts';
import { checkDescribed, ProtoFileError } from './described-file.ts';

/**
 * Reads the source of a .proto file. The parser only describes; no code is made of what it read.
 *
 * @throws ProtoFileError with the line of a mistake
 */
export function readProto(source: string): DescribedFile {
  const root = new protobuf.Root();
  let imports: readonly string[];
  try {
    const parsed = protobuf.parse(source, root, { keepCase: true });
    imports = [...(parsed.imports ?? []), ...(parsed.weakImports ?? [])];
  } catch (error: unknown) {
    throw explain(error instanceof Error ? error.message : String(error));
  }
  const file: DescribedFile = {
    imports: [...new Set(imports)],
    provides: [],
    types: [],
    enums: [],
    methods: [],
    extensions: [],
  };
  describe(root, file);
  return checkDescribed(file);
}

/** The parser says `illegal token 'x' (line 3)`. */
function explain(message: string): ProtoFileError {
  const [, what = message, line] = /^(.*?)(?: \(line (\d+)\))?$/s.exec(message) ?? [];
  const short = what.length > 200 ? `${what.slice(0, 200)}…` : what;
  return new ProtoFileError(`${short}.`, line === undefined ? null : Number(line));
}

function describe(namespace: protobuf.NamespaceBase, file: DescribedFile): void {
  for (const part of namespace.nestedArray) {
    if (part instanceof protobuf.Type) file.types.push({ name: nameOf(part), fields: fieldsOf(part) });
    else if (part instanceof protobuf.Enum) file.enums.push({ name: nameOf(part), values: valuesOf(part) });
    else if (part instanceof protobuf.Service) file.methods.push(...methodsOf(part));
    else if (part instanceof protobuf.Field && part.extend !== undefined) {
      const scope = nameOf(namespace);
      const field = { ...fieldOf(part), name: `[${nameOf(part)}]` };
      file.extensions.push({ scope, extendee: part.extend, field });
    }
    if (part instanceof protobuf.Namespace) describe(part, file);
  }
}

function nameOf(part: protobuf.ReflectionObject): string {
  return part.fullName.replace(/^\./, '');
}

function fieldsOf(type: protobuf.Type): DescribedField[] {
  // An extension of a message of the same file stands among its fields under its full name.
  return type.fieldsArray.filter(({ declaringField }) => !declaringField).map(fieldOf);
}

function fieldOf(field: protobuf.Field): DescribedField {
  const isOptional = field.getOption('proto3_optional') === true;
  const oneof = isOptional ? undefined : field.partOf?.name;
  return {
    number: field.id,
    name: field.name,
    type: field.type,
    ...(field.repeated ? { repeated: true } : {}),
    ...(field instanceof protobuf.MapField ? { key: field.keyType } : {}),
    ...(oneof === undefined ? {} : { oneof }),
  };
}

function valuesOf({ valuesById }: protobuf.Enum): [number, string][] {
  return Object.entries(valuesById).map(([id, name]) => [Number(id), name]);
}

function methodsOf(service: protobuf.Service): DescribedFile['methods'] {
  return service.methodsArray.map((method) => ({
    path: `${nameOf(service)}/${method.name}`,
    request: method.requestType,
    response: method.responseType,
    requestStream: method.requestStream === true,
    responseStream: method.responseStream === true,
  }));
}
