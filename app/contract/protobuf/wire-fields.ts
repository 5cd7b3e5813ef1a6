import { WireReader } from './wire-reader.ts';
import type { WireField } from './wire-reader.ts';

/** Nested messages are looked for this deep. */
const MOST_DEPTH = 24;
const MOST_FIELDS = 20_000;

/** One field by the wire format: its number and what its bytes can be read as. */
export interface ProtobufField {
  readonly number: number;
  readonly value:
    | { readonly kind: 'varint' | 'fixed32' | 'fixed64'; readonly text: string }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
    | { readonly kind: 'message'; readonly fields: readonly ProtobufField[] };
}

/**
 * Takes bytes apart by the wire format alone, without a description of the message. A length-delimited field is text when it
 * is printable, a message when it reads as one, else bytes. Null when the bytes are not in this format.
 *
 * @param isBeginning the bytes are the beginning of a message: what they break off in is left out
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export function readProtobuf(bytes: Uint8Array, isBeginning = false): readonly ProtobufField[] | null {
  return readFields(bytes, 0, { left: MOST_FIELDS }, isBeginning);
}

/** As lines of text, nested fields indented. */
export function protobufText(fields: readonly ProtobufField[], indent = ''): string {
  return fields
    .map(({ number, value }) => {
      const name = `${indent}${String(number)}`;
      switch (value.kind) {
        case 'message':
          return value.fields.length === 0
            ? `${name} {}`
            : `${name} {\n${protobufText(value.fields, `${indent}  `)}\n${indent}}`;
        case 'text':
          return `${name}: ${JSON.stringify(value.text)}`;
        case 'bytes':
          return `${name}: <${hexOf(value.bytes)}>`;
        default:
          return `${name}: ${value.text}`;
      }
    })
    .join('\n');
}

/** On one line, for a row. */
export function protobufSummary(fields: readonly ProtobufField[]): string {
  return fields
    .map(({ number, value }) => {
      switch (value.kind) {
        case 'message':
          return `${String(number)} {${protobufSummary(value.fields)}}`;
        case 'text':
          return `${String(number)}: ${JSON.stringify(value.text)}`;
        case 'bytes':
          return `${String(number)}: ${String(value.bytes.length)} B`;
        default:
          return `${String(number)}: ${value.text}`;
      }
    })
    .join(', ');
}

function readFields(
  bytes: Uint8Array,
  depth: number,
  budget: { left: number },
  isBeginning: boolean,
): readonly ProtobufField[] | null {
  const fields: ProtobufField[] = [];
  const reader = new WireReader(bytes);
  while (!reader.atEnd) {
    budget.left -= 1;
    if (budget.left < 0) return null;
    const field = reader.field();
    if (field !== null && (field === 'cut' || field.isCut) && isBeginning) return fields;
    if (field === null || field === 'cut' || field.isCut) return null;
    const value = valueOf(field, depth, budget);
    if (value === null) return null;
    fields.push({ number: field.number, value });
  }
  return fields;
}

/** Null when it is a group whose content is not in this format. */
function valueOf(
  { wire, varint, bytes }: WireField,
  depth: number,
  budget: { left: number },
): ProtobufField['value'] | null {
  switch (wire) {
    case 0:
      return { kind: 'varint', text: String(varint) };
    case 1:
      return { kind: 'fixed64', text: fixed64(bytes) };
    case 2:
      return delimited(bytes, depth, budget);
    case 3: {
      const fields = depth >= MOST_DEPTH ? null : readFields(bytes, depth + 1, budget, false);
      return fields === null ? null : { kind: 'message', fields };
    }
    case 5:
      return { kind: 'fixed32', text: fixed32(bytes) };
  }
}

function delimited(content: Uint8Array, depth: number, budget: { left: number }): ProtobufField['value'] {
  const text = printable(content);
  if (text !== null) return { kind: 'text', text };
  const fields = depth >= MOST_DEPTH ? null : readFields(content, depth + 1, budget, false);
  return fields === null ? { kind: 'bytes', bytes: content } : { kind: 'message', fields };
}

/**
 * What one field can be read as, without a description.
 * @param budget fields that may still be read; counted down
 */
export function readWireField(field: WireField, depth: number, budget: { left: number }): ProtobufField['value'] {
  return valueOf(field, depth, budget) ?? { kind: 'bytes', bytes: field.bytes };
}

/** Null: it is no text that a person wrote. */
function printable(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return /[^\t\n\r\x20-\x7e\u00a0-\u{10ffff}]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}

function fixed64(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  return numberText(view.getFloat64(0, true), view.getBigUint64(0, true));
}

function fixed32(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 4);
  return numberText(view.getFloat32(0, true), BigInt(view.getUint32(0, true)));
}

/** A fraction when the bits make a sensible one, else a whole number. */
function numberText(fraction: number, whole: bigint): string {
  const size = Math.abs(fraction);
  if (whole === 0n || (size > 1e-6 && size < 1e12)) return String(Number(fraction.toPrecision(9)));
  return String(whole);
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes.subarray(0, 256)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}
