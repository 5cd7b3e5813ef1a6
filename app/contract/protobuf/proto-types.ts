import type { ProtoEnum, ProtoField, ProtoMethod, ProtoSchema } from './schema.ts';
import { WELL_KNOWN_TYPES } from './well-known.ts';

/** A message as the decoder looks it up. */
export interface KnownType {
  readonly name: string;
  readonly fields: ReadonlyMap<number, ProtoField>;
}

const NULL_VALUE: ProtoEnum = { name: 'google.protobuf.NullValue', values: [[0, 'NULL_VALUE']] };

/** A schema by names. Names come from files of strangers, so they are keys of maps and never of objects. */
export class ProtoTypes {
  readonly #types = new Map<string, KnownType>();
  readonly #enums = new Map<string, ReadonlyMap<number, string>>();
  readonly #methods = new Map<string, ProtoMethod>();
  /** Full names of the messages of the added files, in order. */
  readonly names: readonly string[];

  constructor({ types, enums, methods }: ProtoSchema) {
    for (const { name, fields } of [...types, ...WELL_KNOWN_TYPES]) {
      this.#types.set(name, { name, fields: new Map(fields.map((field) => [field.number, field])) });
    }
    for (const { name, values } of [...enums, NULL_VALUE]) this.#enums.set(name, new Map(values));
    for (const method of methods) this.#methods.set(method.path, method);
    this.names = types.map(({ name }) => name).toSorted();
  }

  /** @param name full, without a leading dot */
  type(name: string): KnownType | undefined {
    return this.#types.get(name);
  }

  /** Names by number. */
  enum(name: string): ReadonlyMap<number, string> | undefined {
    return this.#enums.get(name);
  }

  /** @param path `package.Service/Method` */
  method(path: string): ProtoMethod | undefined {
    return this.#methods.get(path);
  }
}
