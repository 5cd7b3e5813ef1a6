import type { MessageSide, ProtoFileInfo, ProtoSchema } from '#contract';
import {
  MAX_PROTO_BYTES,
  MAX_PROTO_PIECE_BYTES,
  NO_SCHEMA,
  PROTO_FILE_ENDS,
  protobufTypeOf,
  ProtoTypes,
} from '#contract';
import { formatBytes } from '../text/format.ts';
import { PROTO_TEXT } from '../text/protos.ts';
import type { Backend } from './connection.svelte.ts';
import type { ImportSource } from './imports.svelte.ts';
import { Remembered } from './remembered.svelte.ts';
import type { KeyValueStore } from './remembered.svelte.ts';

/** What a person chose for a body, instead of what the exchange says: the full name of a type, or the wire format. */
export type DecodeChoice = { readonly type: string } | 'wire' | null;

/** Where something was chosen. */
export interface DecodePlace {
  readonly host: string;
  /** A query is no part of it. */
  readonly path: string;
  readonly side: MessageSide;
}

/** Choices that are remembered; the oldest go first. */
const MOST_CHOICES = 200;
const WIRE = '';

type Choices = readonly (readonly [place: string, type: string])[];

/** Whether a file is a description of messages, by its name. */
export function isProtoFile(name: string): boolean {
  return PROTO_FILE_ENDS.some((end) => name.toLowerCase().endsWith(end));
}

/** Schemas of Protocol Buffers: read when something is to be decoded by them, and again whenever they have changed. */
export class Protos {
  readonly #backend: Backend;
  readonly #choices: Remembered<Choices>;
  #schema = $state.raw<ProtoSchema>(NO_SCHEMA);
  readonly #types = $derived(new ProtoTypes(this.#schema));
  /** Number of the status that is wanted, and that of what is here. */
  #wanted = 0;
  #present = 0;
  #isNeeded = false;
  #isReading = false;

  constructor(backend: Backend, store: KeyValueStore = localStorage) {
    this.#backend = backend;
    this.#choices = new Remembered<Choices>('decode-as', [], isChoices, store);
  }

  get types(): ProtoTypes {
    return this.#types;
  }

  get schema(): ProtoSchema {
    return this.#schema;
  }

  /** The status says which schemas there are. */
  follow(revision: number): void {
    this.#wanted = revision;
    this.#read();
  }

  /** Something is shown that is decoded by them. */
  need(): void {
    this.#isNeeded = true;
    this.#read();
  }

  choiceAt(place: DecodePlace): DecodeChoice {
    const key = keyOf(place);
    const type = this.#choices.value.find(([at]) => at === key)?.[1];
    if (type === undefined) return null;
    // A type whose file was removed is no choice any more.
    if (type === WIRE) return 'wire';
    return this.#types.type(type) === undefined ? null : { type };
  }

  /**
   * The type of a message: as chosen, else as the exchange says.
   * @param contentType with its parameters
   * @returns a full name that the schemas know; null for the wire format
   */
  typeAt(place: DecodePlace, contentType: string | null): string | null {
    const choice = this.choiceAt(place);
    if (choice === 'wire') return null;
    return choice?.type ?? protobufTypeOf(this.#types, { ...place, contentType });
  }

  choose(place: DecodePlace, choice: DecodeChoice): void {
    const key = keyOf(place);
    const others = this.#choices.value.filter(([at]) => at !== key);
    const chosen: Choices = choice === null ? [] : [[key, choice === 'wire' ? WIRE : choice.type]];
    this.#choices.value = [...others, ...chosen].slice(-MOST_CHOICES);
  }

  /**
   * Adds a file, piece by piece.
   * @throws ContractError, or an Error for a person
   */
  async add(source: ImportSource): Promise<readonly ProtoFileInfo[]> {
    try {
      if (source.size === 0) throw new Error(PROTO_TEXT.empty(source.name));
      if (source.size > MAX_PROTO_BYTES) throw new Error(PROTO_TEXT.tooLong(source.name, formatBytes(MAX_PROTO_BYTES)));
      let files: readonly ProtoFileInfo[] = [];
      let offset = 0;
      while (offset < source.size) {
        const bytes = await source.read(offset, MAX_PROTO_PIECE_BYTES);
        if (bytes.length === 0) break;
        const piece = { name: source.name, bytes, offset, size: source.size };
        ({ files } = await this.#backend.call('protos.add', piece));
        offset += bytes.length;
      }
      return files;
    } finally {
      source.close(false);
    }
  }

  #read(): void {
    if (!this.#isNeeded || this.#isReading || this.#present >= this.#wanted) return;
    this.#isReading = true;
    this.#backend.call('protos.schema', {}).then(
      ({ schema, revision }) => {
        this.#schema = schema;
        this.#present = revision;
        this.#isReading = false;
        this.#read();
      },
      () => {
        // The connection says so; the next status asks again.
        this.#isReading = false;
      },
    );
  }
}

function keyOf({ host, path, side }: DecodePlace): string {
  return `${side} ${host}${path.replace(/[?#].*$/s, '')}`;
}

function isChoices(value: unknown): value is Choices {
  const isText = (part: unknown): boolean => typeof part === 'string';
  return Array.isArray(value) && value.every((one) => Array.isArray(one) && one.length === 2 && one.every(isText));
}
