import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { ContractError, MAX_PROTO_FILES } from '#contract';
import type { ProtoFileInfo, ProtoSchema } from '#contract';
import { writePrivateFile } from './private-file.ts';
import { combineFiles } from './protos/combine-files.ts';
import type { Combined } from './protos/combine-files.ts';
import { DESCRIBED_FILE, fieldsOf, ProtoFileError } from './protos/described-file.ts';
import type { DescribedFile } from './protos/described-file.ts';

const STORED = v.strictObject({
  version: v.literal(1),
  name: v.string(),
  /** Milliseconds since the Unix epoch; earlier files count where two define the same. */
  addedAt: v.number(),
  bytes: v.number(),
  /** As it was given, base64: a later version may read more of it. */
  source: v.string(),
  described: DESCRIBED_FILE,
});

type Stored = v.InferOutput<typeof STORED>;

/** All files together, bytes. */
const MOST_BYTES = 33_554_432;
/** Fields and values of all files together: they are put together at once, and go to the page whole. */
const MOST_FIELDS = 200_000;
/** Removed files that can be brought back. */
const MOST_REMOVED = 16;

/** Reads what a file describes. */
export type ReadProtoFile = (name: string, bytes: Uint8Array) => Promise<DescribedFile>;

/** Files that describe messages of Protocol Buffers, each with what it describes in a file of mode 0600. */
export class ProtoStore {
  readonly #folder: string;
  readonly #read: ReadProtoFile;
  readonly #removed = new Map<string, Stored>();
  #stored: readonly Stored[];
  #combined: Combined | null = null;
  /** Begins with the time, so that two runs of a backend never mean different files by one number. */
  #revision = Date.now();

  /**
   * @param folder made when something is added
   * @param read throws a ProtoFileError for a file that cannot be used
   * @param report hears of a stored file that is damaged; nothing of it is used
   */
  constructor(folder: string, read: ReadProtoFile, report: (message: string) => void) {
    this.#folder = folder;
    this.#read = read;
    this.#stored = load(folder, report);
  }

  /** Changes with every change of the files. */
  get revision(): number {
    return this.#revision;
  }

  get schema(): ProtoSchema {
    return this.#together().schema;
  }

  /** In the order of their names. */
  list(): readonly ProtoFileInfo[] {
    const { notes } = this.#together();
    const infos = this.#stored.map(({ name, bytes, described }) => ({
      name,
      bytes,
      messages: described.types.length,
      services: new Set(described.methods.map(({ path }) => path.replace(/\/.*$/, ''))).size,
      missing: notes.get(name)?.missing ?? [],
      unresolved: notes.get(name)?.unresolved ?? [],
      conflicts: notes.get(name)?.conflicts ?? [],
    }));
    return infos.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Takes a file; one of the same name is replaced.
   *
   * @param name a checked name (`protoFileName`)
   * @throws ContractError `bad-input` when it cannot be used, `conflict` past a bound, `unavailable` when it cannot be stored
   */
  async add(name: string, bytes: Uint8Array): Promise<void> {
    let described: DescribedFile;
    try {
      described = await this.#read(name, bytes);
    } catch (error: unknown) {
      if (!(error instanceof ProtoFileError)) throw error;
      const place = error.line === null ? name : `${name}, line ${String(error.line)}`;
      throw new ContractError('bad-input', `${place}: ${error.message}`);
    }
    const before = this.#stored.find((stored) => stored.name === name);
    const source = Buffer.from(bytes).toString('base64');
    this.#put({ version: 1, name, addedAt: before?.addedAt ?? Date.now(), bytes: bytes.length, source, described });
  }

  /** @throws ContractError `not-found`, or `unavailable` when that cannot be stored */
  remove(name: string): void {
    const removed = this.#stored.find((stored) => stored.name === name);
    if (removed === undefined) throw new ContractError('not-found', `There is no schema file ${name}.`);
    this.#attempt(() => {
      rmSync(this.#pathOf(name), { force: true });
    });
    this.#removed.set(name, removed);
    const [oldest] = this.#removed.keys();
    if (this.#removed.size > MOST_REMOVED && oldest !== undefined) this.#removed.delete(oldest);
    this.#change(this.#stored.filter((stored) => stored !== removed));
  }

  /** Brings back what was removed. @throws ContractError `not-found`, `conflict` or `unavailable` */
  restore(name: string): void {
    const removed = this.#removed.get(name);
    if (removed === undefined) throw new ContractError('not-found', `${name} cannot be brought back. Add it again.`);
    this.#put(removed);
  }

  #put(next: Stored): void {
    const others = this.#stored.filter(({ name }) => name !== next.name);
    if (others.length >= MAX_PROTO_FILES) {
      throw new ContractError(
        'conflict',
        `At most ${String(MAX_PROTO_FILES)} schema files are kept. Remove some first.`,
      );
    }
    if (others.reduce((sum, { bytes }) => sum + bytes, next.bytes) > MOST_BYTES) {
      throw new ContractError('conflict', 'At most 32 MiB of schema files are kept. Remove some first.');
    }
    if (others.reduce((sum, { described }) => sum + fieldsOf(described), fieldsOf(next.described)) > MOST_FIELDS) {
      throw new ContractError(
        'conflict',
        'At most 200,000 fields are described by all schema files. Remove some first.',
      );
    }
    this.#attempt(() => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writePrivateFile(this.#pathOf(next.name), JSON.stringify(next));
    });
    this.#removed.delete(next.name);
    this.#change([...others, next].toSorted(byAge));
  }

  #change(stored: readonly Stored[]): void {
    this.#stored = stored;
    this.#combined = null;
    this.#revision += 1;
  }

  #together(): Combined {
    this.#combined ??= combineFiles(this.#stored);
    return this.#combined;
  }

  /** A name is never a path here: the file's own name is its digest. */
  #pathOf(name: string): string {
    return join(this.#folder, `${createHash('sha256').update(name).digest('hex').slice(0, 32)}.json`);
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error: unknown) {
      throw new ContractError('unavailable', `The schema file cannot be stored: ${messageOf(error)}.`);
    }
  }
}

function load(folder: string, report: (message: string) => void): readonly Stored[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  const stored: Stored[] = [];
  for (const name of names) {
    const path = join(folder, name);
    try {
      stored.push(v.parse(STORED, JSON.parse(readFileSync(path, 'utf8'))));
    } catch (error: unknown) {
      report(`The schema file in ${path} is not usable (${messageOf(error)}) and is left out.`);
    }
  }
  return stored.toSorted(byAge);
}

function byAge(a: Stored, b: Stored): number {
  return a.addedAt - b.addedAt || (a.name < b.name ? -1 : 1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
