/*
 * MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md) as indented text that reads like JSON; what JSON has
 * no word for is written as `bin(12)`, `ext(-1, …)`, `timestamp(…)`.
 */

const MOST_DEPTH = 100;
/** Longest text that is made, UTF-16 units; past it comes an ellipsis. */
const MOST_TEXT = 4_000_000;
const INDENT = '  ';
const MOST_BINARY_SHOWN = 32;

/** The bytes do not follow the format. */
export class MessagePackError extends Error {
  override readonly name = 'MessagePackError';
}

/**
 * Writes a MessagePack value, or several one after the other, as text.
 * @throws MessagePackError naming the place
 */
export function messagePackText(bytes: Uint8Array): string {
  const reader = new Reader(bytes);
  const values: string[] = [];
  while (!reader.ended) values.push(reader.value(0));
  return values.join('\n');
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #length = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get ended(): boolean {
    return this.#at >= this.#bytes.length || this.#length > MOST_TEXT;
  }

  value(depth: number): string {
    if (depth > MOST_DEPTH) throw this.#error('nested too deep');
    const text = this.#value(depth);
    this.#length += text.length;
    return text;
  }

  #value(depth: number): string {
    const tag = this.#unsigned(1);
    if (tag <= 0x7f) return String(tag);
    if (tag >= 0xe0) return String(tag - 0x100);
    if (tag <= 0x8f) return this.#map(tag & 0x0f, depth);
    if (tag <= 0x9f) return this.#array(tag & 0x0f, depth);
    if (tag <= 0xbf) return this.#string(tag & 0x1f);
    switch (tag) {
      case 0xc0:
        return 'null';
      case 0xc2:
        return 'false';
      case 0xc3:
        return 'true';
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#binary(this.#unsigned(1 << (tag - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#extension(this.#unsigned(1 << (tag - 0xc7)));
      case 0xca:
        return this.#float(4);
      case 0xcb:
        return this.#float(8);
      case 0xcc:
      case 0xcd:
      case 0xce:
        return String(this.#unsigned(1 << (tag - 0xcc)));
      case 0xcf:
        return String(this.#view.getBigUint64(this.#take(8)));
      case 0xd0:
        return String(this.#view.getInt8(this.#take(1)));
      case 0xd1:
        return String(this.#view.getInt16(this.#take(2)));
      case 0xd2:
        return String(this.#view.getInt32(this.#take(4)));
      case 0xd3:
        return String(this.#view.getBigInt64(this.#take(8)));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#extension(1 << (tag - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#string(this.#unsigned(1 << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#unsigned(tag === 0xdc ? 2 : 4), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#unsigned(tag === 0xde ? 2 : 4), depth);
      default:
        this.#at -= 1;
        throw this.#error(`no value begins with 0x${tag.toString(16)}`);
    }
  }

  #map(count: number, depth: number): string {
    return this.#items(count, depth, '{}', () => `${this.value(depth + 1)}: ${this.value(depth + 1)}`);
  }

  #array(count: number, depth: number): string {
    return this.#items(count, depth, '[]', () => this.value(depth + 1));
  }

  #items(count: number, depth: number, brackets: string, item: () => string): string {
    const [open = '', close = ''] = brackets;
    if (count === 0) return brackets;
    const indent = INDENT.repeat(depth + 1);
    const lines: string[] = [];
    for (let done = 0; done < count; done += 1) {
      if (this.#length > MOST_TEXT) {
        lines.push(`${indent}…`);
        break;
      }
      lines.push(indent + item());
    }
    return `${open}\n${lines.join(',\n')}\n${INDENT.repeat(depth)}${close}`;
  }

  #string(length: number): string {
    const start = this.#take(length);
    return JSON.stringify(new TextDecoder().decode(this.#bytes.subarray(start, start + length)));
  }

  #binary(length: number): string {
    return `bin(${String(length)})${this.#hex(length)}`;
  }

  /** Type -1 is a timestamp: seconds, or nanoseconds and seconds packed. */
  #extension(length: number): string {
    const type = this.#view.getInt8(this.#take(1));
    if (type !== -1 || ![4, 8, 12].includes(length))
      return `ext(${String(type)}, ${String(length)})${this.#hex(length)}`;
    const at = this.#take(length);
    let seconds: number;
    if (length === 4) seconds = this.#view.getUint32(at);
    else if (length === 8) seconds = Number(this.#view.getBigUint64(at) & 0x3_ffff_ffffn);
    else seconds = Number(this.#view.getBigInt64(at + 4));
    const date = new Date(seconds * 1_000);
    return `timestamp(${Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString()})`;
  }

  #float(size: 4 | 8): string {
    const at = this.#take(size);
    const value = size === 4 ? this.#view.getFloat32(at) : this.#view.getFloat64(at);
    // A whole number keeps its point, so that it is seen to be one.
    return Number.isInteger(value) ? value.toFixed(1) : String(size === 4 ? Number(value.toPrecision(7)) : value);
  }

  #hex(length: number): string {
    const start = this.#take(length);
    const shown = this.#bytes.subarray(start, start + Math.min(length, MOST_BINARY_SHOWN));
    if (shown.length === 0) return '';
    const text = [...shown].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    return ` ${text}${length > MOST_BINARY_SHOWN ? ' …' : ''}`;
  }

  #unsigned(size: number): number {
    const at = this.#take(size);
    if (size === 1) return this.#view.getUint8(at);
    return size === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw this.#error('the value is cut short');
    this.#at += length;
    return at;
  }

  #error(reason: string): MessagePackError {
    return new MessagePackError(`This is no MessagePack: ${reason} at byte ${String(this.#at)}.`);
  }
}
