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
    const field = readField(reader, depth, budget);
    if (field === 'cut' && isBeginning) return fields;
    if (field === null || field === 'cut') return null;
    fields.push(field);
  }
  return fields;
}

function readField(reader: WireReader, depth: number, budget: { left: number }): ProtobufField | 'cut' | null {
  const tag = reader.varint();
  if (tag === null) return 'cut';
  const number = Number(tag >> 3n);
  if (number < 1 || number > 536_870_911) return null;
  switch (Number(tag & 7n)) {
    case 0: {
      const value = reader.varint();
      return value === null ? 'cut' : { number, value: { kind: 'varint', text: String(value) } };
    }
    case 1: {
      const view = reader.take(8);
      return view === null ? 'cut' : { number, value: { kind: 'fixed64', text: fixed64(view) } };
    }
    case 2: {
      const length = reader.varint();
      const content = length === null || length > 0xffff_ffffn ? null : reader.take(Number(length));
      return content === null ? 'cut' : { number, value: delimited(content, depth, budget) };
    }
    case 5: {
      const view = reader.take(4);
      return view === null ? 'cut' : { number, value: { kind: 'fixed32', text: fixed32(view) } };
    }
    default:
      return null;
  }
}

function delimited(content: Uint8Array, depth: number, budget: { left: number }): ProtobufField['value'] {
  const text = printable(content);
  if (text !== null) return { kind: 'text', text };
  const fields = depth >= MOST_DEPTH ? null : readFields(content, depth + 1, budget, false);
  return fields === null ? { kind: 'bytes', bytes: content } : { kind: 'message', fields };
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

class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Null when the bytes end in it, or it is longer than ten bytes. */
  varint(): bigint | null {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return null;
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return null;
  }

  take(length: number): Uint8Array | null {
    if (this.#at + length > this.#bytes.length) return null;
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }
}
