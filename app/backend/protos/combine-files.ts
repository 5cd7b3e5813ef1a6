import { isProtoScalar, isWellKnownFile, WELL_KNOWN_TYPES } from '#contract';
import type { ProtoEnum, ProtoField, ProtoMethod, ProtoSchema, ProtoType } from '#contract';
import type { DescribedField, DescribedFile } from './described-file.ts';

/** A file and the name that it was given under. */
export interface NamedFile {
  readonly name: string;
  readonly described: DescribedFile;
}

/** What is to be said about a file beside others. */
export interface FileNotes {
  /** Paths that it imports, that nobody has given, and without which some of its types are not known. */
  readonly missing: readonly string[];
  /** Types that it names and that no file defines. */
  readonly unresolved: readonly string[];
  /** Types that an earlier file defines otherwise; that one counts. */
  readonly conflicts: readonly { readonly type: string; readonly file: string }[];
}

export interface Combined {
  readonly schema: ProtoSchema;
  /** By the name of the file. */
  readonly notes: ReadonlyMap<string, FileNotes>;
}

const WELL_KNOWN: ReadonlySet<string> = new Set(WELL_KNOWN_TYPES.map(({ name }) => name));

/**
 * Puts files together to one schema, the first file first. Types are looked for among all files, whatever imports what: a file
 * is of use before everything that it imports is there. Names are keys of maps only, since strangers choose them.
 */
export function combineFiles(files: readonly NamedFile[]): Combined {
  const names = new Names();
  for (const file of files) names.add(file);
  const types: ProtoType[] = [];
  const methods: ProtoMethod[] = [];
  const notes = new Map<string, FileNotes>();
  const extensions = extensionsOf(files, names);
  for (const file of files) {
    const unresolved = new Set<string>();
    for (const { name, fields } of file.described.types) {
      if (names.ownerOf(name) !== file) continue;
      const all = [...fields.map((field) => resolve(field, name, names, unresolved)), ...(extensions.get(name) ?? [])];
      types.push({ name, fields: all });
    }
    for (const method of file.described.methods) {
      const scope = method.path.replace(/\/.*$/, '');
      const [request, response] = [method.request, method.response].map((reference) => {
        const found = names.find(reference, scope);
        if (found === null) unresolved.add(bare(reference));
        return found ?? bare(reference);
      });
      methods.push({ ...method, request: request ?? '', response: response ?? '' });
    }
    notes.set(file.name, notesOf(file, files, names, unresolved));
  }
  return { schema: { types, enums: names.enums(), methods }, notes };
}

/** Which file defines what; the first one counts. */
class Names {
  readonly #owners = new Map<string, NamedFile>();
  readonly #kinds = new Map<string, 'message' | 'enum'>();
  readonly #shapes = new Map<string, string>();
  readonly #enums: ProtoEnum[] = [];
  readonly #conflicts = new Map<NamedFile, { type: string; file: string }[]>();

  constructor() {
    for (const name of WELL_KNOWN) this.#kinds.set(name, 'message');
    this.#kinds.set('google.protobuf.NullValue', 'enum');
  }

  add(file: NamedFile): void {
    for (const { name, fields } of file.described.types) this.#define(file, name, 'message', JSON.stringify(fields));
    for (const one of file.described.enums) {
      if (this.#define(file, one.name, 'enum', JSON.stringify(one.values))) this.#enums.push(one);
    }
  }

  ownerOf(name: string): NamedFile | undefined {
    return this.#owners.get(name);
  }

  kindOf(name: string): 'message' | 'enum' | undefined {
    return this.#kinds.get(name);
  }

  enums(): readonly ProtoEnum[] {
    return this.#enums;
  }

  conflictsOf(file: NamedFile): FileNotes['conflicts'] {
    return this.#conflicts.get(file) ?? [];
  }

  /**
   * The full name of what a reference means: looked for in its scope and then outwards, as the language has it.
   * @param scope full name of the message or service that it stands in
   */
  find(reference: string, scope: string): string | null {
    if (reference.startsWith('.')) return this.#kinds.has(bare(reference)) ? bare(reference) : null;
    for (let outer = scope; ; outer = outer.slice(0, Math.max(0, outer.lastIndexOf('.')))) {
      const name = outer === '' ? reference : `${outer}.${reference}`;
      if (this.#kinds.has(name)) return name;
      if (outer === '') return null;
    }
  }

  #define(file: NamedFile, name: string, kind: 'message' | 'enum', fields: string): boolean {
    const shape = `${kind} ${fields}`;
    const known = this.#shapes.get(name);
    if (known === undefined && !this.#kinds.has(name)) {
      this.#owners.set(name, file);
      this.#kinds.set(name, kind);
      this.#shapes.set(name, shape);
      return true;
    }
    const owner = this.#owners.get(name);
    if (known !== undefined && known !== shape && owner !== undefined) {
      this.#conflicts.set(file, [...this.conflictsOf(file), { type: name, file: owner.name }]);
    }
    return false;
  }
}

function resolve(field: DescribedField, scope: string, names: Names, unresolved: Set<string>): ProtoField {
  const { type, key, ...rest } = field;
  const keyed = key !== undefined && isProtoScalar(key) ? { key } : {};
  if (isProtoScalar(type)) return { ...rest, ...keyed, type };
  const found = names.find(type, scope);
  const kind = found === null ? undefined : names.kindOf(found);
  if (found === null || kind === undefined) {
    unresolved.add(bare(type));
    return { ...rest, ...keyed, type: 'unknown', ref: bare(type) };
  }
  return { ...rest, ...keyed, type: kind, ref: found };
}

/** Fields that messages get from elsewhere, by the full name of the message. */
function extensionsOf(files: readonly NamedFile[], names: Names): ReadonlyMap<string, readonly ProtoField[]> {
  const found = new Map<string, ProtoField[]>();
  for (const { described } of files) {
    for (const { scope, extendee, field } of described.extensions) {
      const name = names.find(extendee, scope);
      if (name === null) continue;
      const fields = found.get(name) ?? [];
      if (!fields.some(({ number }) => number === field.number)) fields.push(resolve(field, scope, names, new Set()));
      found.set(name, fields);
    }
  }
  return found;
}

function notesOf(file: NamedFile, files: readonly NamedFile[], names: Names, unresolved: Set<string>): FileNotes {
  const missing = unresolved.size === 0 ? [] : file.described.imports.filter((path) => !isThere(path, files));
  return { missing, unresolved: [...unresolved].toSorted(), conflicts: names.conflictsOf(file) };
}

/** A file is given by its name alone as often as by the path under which others import it. */
function isThere(path: string, files: readonly NamedFile[]): boolean {
  const isOne = (name: string): boolean => name === path || path.endsWith(`/${name}`) || name.endsWith(`/${path}`);
  return isWellKnownFile(path) || files.some(({ name, described }) => [name, ...described.provides].some(isOne));
}

function bare(reference: string): string {
  return reference.replace(/^\./, '');
}
