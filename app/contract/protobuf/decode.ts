import type { ProtobufEntry, ProtobufNode } from './node.ts';
import { numeric, object } from './node.ts';
import type { KnownType, ProtoTypes } from './proto-types.ts';
import { defaultNode, scalarNode, textNode, utf8, wireOf } from './scalars.ts';
import { isProtoScalar } from './schema.ts';
import type { ProtoField, ProtoScalar } from './schema.ts';
import { readableNode } from './readable.ts';
import { readWireField } from './wire-fields.ts';
import type { ProtobufField } from './wire-fields.ts';
import { WireReader } from './wire-reader.ts';
import type { WireField } from './wire-reader.ts';

/** Messages in messages that are followed, as the compilers of Google have it. */
const MOST_DEPTH = 100;
/** Values of one message, all depths together. */
const MOST_VALUES = 200_000;
const NOTHING = new Uint8Array();

/** A message by its schema, or why it is none of that type, in a few words. */
export type DecodedProtobuf = { readonly node: ProtobufNode } | { readonly problem: string };

/**
 * Decodes a message by its type: names instead of numbers. What the schema does not know keeps its number; a field that stands
 * several times counts as a receiver counts it (the last one; messages are merged). Never throws, whatever the bytes are.
 *
 * @param name full name of the type
 * @param isBeginning the bytes are the beginning of a message: what they break off in is shown as far as it goes, or left out
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export function decodeProtobuf(
  types: ProtoTypes,
  name: string,
  bytes: Uint8Array,
  isBeginning = false,
): DecodedProtobuf {
  const type = types.type(name);
  if (type === undefined) return { problem: `${name} is described by none of the schemas` };
  try {
    return { node: new Decoding(types).message(type, bytes, 0, isBeginning) };
  } catch (error: unknown) {
    if (error instanceof Mismatch) return { problem: error.message };
    throw error;
  }
}

/** The bytes are no message of the type. */
class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

/** What was read of one field so far. */
interface Slot {
  readonly name: string;
  readonly field: ProtoField | null;
  /** Values of a repeated or an unknown field; the one value of any other. */
  items: ProtobufNode[];
  /** Of a map. */
  readonly entries: Map<string, ProtobufNode>;
  /** Pieces of a message that is merged at the end. */
  pieces: Uint8Array[];
  isCut: boolean;
}

class Decoding {
  readonly #types: ProtoTypes;
  /** Values that may still be read. */
  readonly #budget = { left: MOST_VALUES };

  constructor(types: ProtoTypes) {
    this.#types = types;
  }

  message(type: KnownType, bytes: Uint8Array, depth: number, isBeginning: boolean): ProtobufNode {
    if (depth > MOST_DEPTH) throw new Mismatch(`it is nested deeper than ${String(MOST_DEPTH)} messages`);
    const slots = new Map<number, Slot>();
    const reader = new WireReader(bytes);
    while (!reader.atEnd) {
      const wire = reader.field();
      if (wire === null) throw new Mismatch('its bytes are not in the wire format');
      if (wire === 'cut' || wire.isCut) {
        if (!isBeginning) throw new Mismatch('its bytes end inside of a field');
        if (wire === 'cut') break;
      }
      this.#take(type, slots, wire, depth);
    }
    const entries: ProtobufEntry[] = [];
    for (const slot of slots.values()) {
      const value = this.#finish(slot, depth);
      if (value !== null) entries.push([slot.name, value]);
    }
    return readableNode(type.name, entries, (name, value) => this.#packed(name, value, depth)) ?? object(entries);
  }

  #take(type: KnownType, slots: Map<number, Slot>, wire: WireField, depth: number): void {
    this.#spend();
    const field = type.fields.get(wire.number) ?? null;
    const slot = slotOf(slots, field, wire.number);
    if (field === null || field.type === 'unknown') {
      if (!wire.isCut) slot.items.push(wireNode(readWireField(wire, depth, this.#budget)));
      return;
    }
    if (field.oneof !== undefined) forgetOthers(type, slots, field);
    if (field.key !== undefined) this.#takeEntry(slot, field, field.key, wire, depth);
    else if (field.type === 'message') this.#takeMessage(slot, field, wire, depth);
    else this.#takeScalars(slot, field, wire);
  }

  #takeMessage(slot: Slot, field: ProtoField, wire: WireField, depth: number): void {
    if (wire.wire !== 2 && wire.wire !== 3) throw unlike(field, wire);
    if (field.repeated === true) slot.items.push(this.#nested(field, wire.bytes, depth, wire.isCut));
    else {
      slot.pieces.push(wire.bytes);
      slot.isCut ||= wire.isCut;
    }
  }

  #takeScalars(slot: Slot, field: ProtoField, wire: WireField): void {
    const scalar = field.type === 'enum' ? 'int32' : (field.type as ProtoScalar);
    const single = wireOf(scalar);
    if (wire.wire === single) {
      const node = wire.isCut ? cutNode(scalar, wire.bytes) : this.#scalar(field, scalar, wire.varint, wire.bytes);
      if (node === null) return;
      if (field.repeated === true) slot.items.push(node);
      else slot.items = [node];
    } else if (wire.wire === 2 && field.repeated === true) this.#takePacked(slot, field, scalar, wire);
    else throw unlike(field, wire);
  }

  #takePacked(slot: Slot, field: ProtoField, scalar: ProtoScalar, { bytes, isCut }: WireField): void {
    const reader = new WireReader(bytes);
    const size = wireOf(scalar) === 1 ? 8 : 4;
    while (!reader.atEnd) {
      this.#spend();
      const varint = wireOf(scalar) === 0 ? reader.varint() : 0n;
      const fixed = wireOf(scalar) === 0 ? NOTHING : reader.take(size);
      if (varint === null || fixed === null) {
        if (isCut) return;
        throw new Mismatch(`${field.name} ends inside of a value`);
      }
      slot.items.push(this.#scalar(field, scalar, varint, fixed));
    }
  }

  #takeEntry(slot: Slot, field: ProtoField, key: ProtoScalar, wire: WireField, depth: number): void {
    if (wire.wire !== 2) throw unlike(field, wire);
    const value: ProtoField = {
      number: 2,
      name: 'value',
      type: field.type,
      ...(field.ref === undefined ? {} : { ref: field.ref }),
    };
    const fields = new Map<number, ProtoField>([
      [1, { number: 1, name: 'key', type: key }],
      [2, value],
    ]);
    const entry = this.message({ name: '', fields }, wire.bytes, depth + 1, wire.isCut);
    if (entry.kind !== 'object') return;
    const read = new Map(entry.entries);
    const name = read.get('key') ?? defaultNode(key);
    const text = name.kind === 'literal' ? name.json : JSON.stringify(wireText(name));
    slot.entries.set(
      text.startsWith('"') ? (JSON.parse(text) as string) : text,
      read.get('value') ?? this.#absent(value, depth),
    );
  }

  /** What a receiver reads for an entry without a value. */
  #absent(field: ProtoField, depth: number): ProtobufNode {
    if (isProtoScalar(field.type)) return defaultNode(field.type);
    if (field.type === 'message') return this.#nested(field, NOTHING, depth, false);
    return field.type === 'enum' ? this.#scalar(field, 'int32', 0n, NOTHING) : object([]);
  }

  #scalar(field: ProtoField, scalar: ProtoScalar, varint: bigint, bytes: Uint8Array): ProtobufNode {
    const node = scalarNode(scalar, varint, bytes);
    if (field.type !== 'enum') return node;
    const name = this.#types.enum(field.ref ?? '')?.get(Number(BigInt.asIntN(32, varint)));
    return name === undefined ? node : { kind: 'literal', json: JSON.stringify(name) };
  }

  #nested(field: ProtoField, bytes: Uint8Array, depth: number, isCut: boolean): ProtobufNode {
    const type = this.#types.type(field.ref ?? '');
    if (type === undefined) return { kind: 'bytes', bytes };
    return this.message(type, bytes, depth + 1, isCut);
  }

  /** The message in an Any; null when its type is not known or it is none of that type. */
  #packed(name: string, bytes: Uint8Array, depth: number): ProtobufNode | null {
    const type = this.#types.type(name);
    if (type === undefined) return null;
    try {
      return this.message(type, bytes, depth + 1, false);
    } catch (error: unknown) {
      if (error instanceof Mismatch && this.#budget.left > 0) return null;
      throw error;
    }
  }

  #finish(slot: Slot, depth: number): ProtobufNode | null {
    const { field, items, entries, pieces, isCut } = slot;
    if (field?.key !== undefined) return object([...entries]);
    if (field !== null && pieces.length > 0) return this.#nested(field, joined(pieces), depth, isCut);
    if (field?.repeated === true) return { kind: 'list', items };
    const [first] = items;
    return items.length > 1 ? { kind: 'list', items } : (first ?? null);
  }

  #spend(): void {
    this.#budget.left -= 1;
    if (this.#budget.left < 0) throw new Mismatch(`it has more than ${String(MOST_VALUES)} values`);
  }
}

function slotOf(slots: Map<number, Slot>, field: ProtoField | null, number: number): Slot {
  const known = slots.get(number);
  if (known !== undefined) return known;
  const name = field?.name ?? String(number);
  const slot: Slot = { name, field, items: [], entries: new Map(), pieces: [], isCut: false };
  slots.set(number, slot);
  return slot;
}

/** Of a oneof, the last field counts. */
function forgetOthers(type: KnownType, slots: Map<number, Slot>, { number, oneof }: ProtoField): void {
  for (const other of slots.keys()) {
    if (other !== number && type.fields.get(other)?.oneof === oneof) slots.delete(other);
  }
}

const WIRE_NAMES = {
  0: 'a varint',
  1: 'of eight bytes',
  2: 'of a length',
  3: 'a group',
  5: 'of four bytes',
} as const;

function unlike({ name, number, type }: ProtoField, { wire }: WireField): Mismatch {
  return new Mismatch(`field ${String(number)} is ${WIRE_NAMES[wire]}, and ${name} of type ${type} cannot be`);
}

/** The beginning of a value that the bytes break off in. */
function cutNode(type: ProtoScalar, bytes: Uint8Array): ProtobufNode | null {
  if (type !== 'string') return null;
  // A character may have been cut in two.
  for (let length = bytes.length; length > Math.max(0, bytes.length - 4); length -= 1) {
    const text = utf8(bytes.subarray(0, length));
    if (text !== null) return textNode(bytes.subarray(0, length));
  }
  return null;
}

/** A value without a description, in the same form as one with it. */
function wireNode(value: ProtobufField['value']): ProtobufNode {
  switch (value.kind) {
    case 'text':
      return { kind: 'literal', json: JSON.stringify(value.text) };
    case 'bytes':
      return value;
    case 'message':
      return wireObject(value.fields);
    default:
      return numeric(value.text);
  }
}

function wireObject(fields: readonly ProtobufField[]): ProtobufNode {
  const values = new Map<number, ProtobufNode[]>();
  for (const { number, value } of fields) {
    const known = values.get(number);
    if (known === undefined) values.set(number, [wireNode(value)]);
    else known.push(wireNode(value));
  }
  const entries = [...values].map(([number, nodes]): ProtobufEntry => {
    const [first] = nodes;
    return [String(number), nodes.length > 1 || first === undefined ? { kind: 'list', items: nodes } : first];
  });
  return object(entries);
}

/** A key that is no UTF-8. */
function wireText(node: ProtobufNode): string {
  return node.kind === 'bytes'
    ? [...node.bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
    : '';
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = NOTHING] = pieces;
  if (pieces.length <= 1) return first;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
