import type { ProtobufNode } from './node.ts';
import { literal, numeric } from './node.ts';
import type { ProtoScalar } from './schema.ts';
import type { WireType } from './wire-reader.ts';

const WIRES: Readonly<Record<ProtoScalar, WireType>> = {
  double: 1,
  float: 5,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  sint32: 0,
  sint64: 0,
  fixed32: 5,
  fixed64: 1,
  sfixed32: 5,
  sfixed64: 1,
  bool: 0,
  string: 2,
  bytes: 2,
};

/** How a scalar stands on the wire, one by one. */
export function wireOf(type: ProtoScalar): WireType {
  return WIRES[type];
}

/**
 * Reads one scalar.
 *
 * @param varint of the types whose wire is a varint
 * @param bytes of the others: four, eight or all of them
 */
export function scalarNode(type: ProtoScalar, varint: bigint, bytes: Uint8Array): ProtobufNode {
  switch (type) {
    case 'int32':
      return numeric(String(BigInt.asIntN(32, varint)));
    case 'int64':
      return numeric(String(BigInt.asIntN(64, varint)));
    case 'uint32':
      return numeric(String(BigInt.asUintN(32, varint)));
    case 'uint64':
      return numeric(String(BigInt.asUintN(64, varint)));
    case 'sint32':
      return numeric(String(zigZag(BigInt.asUintN(32, varint))));
    case 'sint64':
      return numeric(String(zigZag(varint)));
    case 'bool':
      return literal(varint !== 0n);
    case 'string':
      return textNode(bytes);
    case 'bytes':
      return { kind: 'bytes', bytes };
    default:
      return fixedNode(type, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }
}

/** What a receiver reads where a field of this type is not on the wire. */
export function defaultNode(type: ProtoScalar): ProtobufNode {
  return scalarNode(type, 0n, new Uint8Array(WIRES[type] === 2 ? 0 : 8));
}

/** Text; what is no UTF-8 stays bytes. */
export function textNode(bytes: Uint8Array): ProtobufNode {
  const text = utf8(bytes);
  return text === null ? { kind: 'bytes', bytes } : literal(text);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null when it is none. */
export function utf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function zigZag(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n);
}

function fixedNode(
  type: 'double' | 'float' | 'fixed32' | 'fixed64' | 'sfixed32' | 'sfixed64',
  view: DataView,
): ProtobufNode {
  switch (type) {
    case 'double':
      return fraction(view.getFloat64(0, true), String);
    case 'float':
      return fraction(view.getFloat32(0, true), shortestFloat);
    case 'fixed32':
      return numeric(String(view.getUint32(0, true)));
    case 'fixed64':
      return numeric(String(view.getBigUint64(0, true)));
    case 'sfixed32':
      return numeric(String(view.getInt32(0, true)));
    case 'sfixed64':
      return numeric(String(view.getBigInt64(0, true)));
  }
}

/** JSON has no word for what is no number. */
function fraction(value: number, text: (value: number) => string): ProtobufNode {
  if (!Number.isFinite(value)) return literal(String(value));
  return numeric(Object.is(value, -0) ? '-0' : text(value));
}

/** The shortest digits that mean this number of 32 bits: 0.1 and not 0.10000000149011612. */
function shortestFloat(value: number): string {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
