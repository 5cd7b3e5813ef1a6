import type { ProtobufEntry, ProtobufNode } from './node.ts';
import { defaultNode } from './scalars.ts';
import { literal, object } from './node.ts';
import type { ProtoScalar } from './schema.ts';

const PACKAGE = 'google.protobuf.';

const WRAPPERS: ReadonlyMap<string, ProtoScalar> = new Map([
  ['DoubleValue', 'double'],
  ['FloatValue', 'float'],
  ['Int64Value', 'int64'],
  ['UInt64Value', 'uint64'],
  ['Int32Value', 'int32'],
  ['UInt32Value', 'uint32'],
  ['BoolValue', 'bool'],
  ['StringValue', 'string'],
  ['BytesValue', 'bytes'],
]);

/** From the year 1 to the year 9999, as the type itself is bounded; seconds since the Unix epoch. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
const NANOS = 1_000_000_000n;

/** Reads the message in an Any; null when its type is not known. */
export type ReadPacked = (name: string, bytes: Uint8Array) => ProtobufNode | null;

/**
 * A message of a well-known type in the form in which people write it, as its JSON has it.
 *
 * @param entries its fields
 * @returns null when the type is none of those, or the fields say something that this form cannot
 * @see https://protobuf.dev/programming-guides/json/
 */
export function readableNode(
  name: string,
  entries: readonly ProtobufEntry[],
  readPacked: ReadPacked,
): ProtobufNode | null {
  if (!name.startsWith(PACKAGE)) return null;
  const short = name.slice(PACKAGE.length);
  // An unknown field would be lost.
  if (entries.some(([field]) => /^\d+$/.test(field))) return null;
  const fields = new Map(entries);
  const wrapped = WRAPPERS.get(short);
  if (wrapped !== undefined) return fields.get('value') ?? defaultNode(wrapped);
  switch (short) {
    case 'Timestamp':
      return timestamp(whole(fields.get('seconds')), whole(fields.get('nanos')));
    case 'Duration':
      return duration(whole(fields.get('seconds')), whole(fields.get('nanos')));
    case 'FieldMask':
      return mask(fields.get('paths'));
    case 'Struct':
      return fields.get('fields') ?? object([]);
    case 'ListValue':
      return fields.get('values') ?? { kind: 'list', items: [] };
    case 'Value':
      return fields.has('null_value') ? literal(null) : ([...fields.values()].at(-1) ?? literal(null));
    case 'Any':
      return any(entries, readPacked);
    default:
      return null;
  }
}

function whole(node: ProtobufNode | undefined): bigint {
  return node?.kind === 'literal' ? BigInt(node.json) : 0n;
}

function timestamp(seconds: bigint, nanos: bigint): ProtobufNode | null {
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanos < 0n || nanos >= NANOS) return null;
  const date = new Date(Number(seconds) * 1_000).toISOString().slice(0, 19);
  return literal(`${date}${fractionOf(nanos)}Z`);
}

function duration(seconds: bigint, nanos: bigint): ProtobufNode | null {
  const isOdd = (seconds > 0n && nanos < 0n) || (seconds < 0n && nanos > 0n);
  const size = nanos < 0n ? -nanos : nanos;
  if (isOdd || size >= NANOS) return null;
  const sign = seconds < 0n || nanos < 0n ? '-' : '';
  return literal(`${sign}${String(seconds < 0n ? -seconds : seconds)}${fractionOf(size)}s`);
}

/** `.5`, `.000000001`, or nothing. */
function fractionOf(nanos: bigint): string {
  return nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}

function mask(paths: ProtobufNode | undefined): ProtobufNode | null {
  if (paths === undefined) return literal('');
  const items = paths.kind === 'list' ? paths.items : [];
  const texts = items.flatMap((item) => (item.kind === 'literal' ? [String(JSON.parse(item.json))] : []));
  return texts.length === items.length ? literal(texts.join(',')) : null;
}

/** `{"@type": …}` with the fields of what is packed; with `value` where those have no names. */
function any(entries: readonly ProtobufEntry[], readPacked: ReadPacked): ProtobufNode | null {
  const fields = new Map(entries);
  const url = fields.get('type_url');
  if (url?.kind !== 'literal') return null;
  const type = String(JSON.parse(url.json)).replace(/^.*\//s, '');
  const value = fields.get('value');
  const bytes = value?.kind === 'bytes' ? value.bytes : new Uint8Array();
  const packed = readPacked(type, bytes) ?? { kind: 'bytes', bytes };
  const isPlain = packed.kind === 'object' && !type.startsWith(PACKAGE);
  return object([['@type', url], ...(isPlain ? packed.entries : ([['value', packed]] as const))]);
}
