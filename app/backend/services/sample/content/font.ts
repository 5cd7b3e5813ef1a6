import { deflateSync } from 'node:zlib';

const UNIT = 128;
const ROWS = 7;

/** A pixel alphabet of our own, so that the sample has a font without a licence. Seven rows of five pixels a glyph. */
const GLYPHS: Readonly<Record<string, string>> = {
  A: '01110 10001 10001 11111 10001 10001 10001',
  B: '11110 10001 10001 11110 10001 10001 11110',
  C: '01111 10000 10000 10000 10000 10000 01111',
  D: '11110 10001 10001 10001 10001 10001 11110',
  E: '11111 10000 10000 11110 10000 10000 11111',
  F: '11111 10000 10000 11110 10000 10000 10000',
  G: '01111 10000 10000 10111 10001 10001 01111',
  H: '10001 10001 10001 11111 10001 10001 10001',
  I: '11111 00100 00100 00100 00100 00100 11111',
  J: '00111 00010 00010 00010 00010 10010 01100',
  K: '10001 10010 10100 11000 10100 10010 10001',
  L: '10000 10000 10000 10000 10000 10000 11111',
  M: '10001 11011 10101 10101 10001 10001 10001',
  N: '10001 11001 10101 10011 10001 10001 10001',
  O: '01110 10001 10001 10001 10001 10001 01110',
  P: '11110 10001 10001 11110 10000 10000 10000',
  Q: '01110 10001 10001 10001 10101 10010 01101',
  R: '11110 10001 10001 11110 10100 10010 10001',
  S: '01111 10000 10000 01110 00001 00001 11110',
  T: '11111 00100 00100 00100 00100 00100 00100',
  U: '10001 10001 10001 10001 10001 10001 01110',
  V: '10001 10001 10001 10001 01010 01010 00100',
  W: '10001 10001 10001 10101 10101 11011 10001',
  X: '10001 01010 00100 00100 00100 01010 10001',
  Y: '10001 01010 00100 00100 00100 00100 00100',
  Z: '11111 00001 00010 00100 01000 10000 11111',
  '0': '01110 10011 10101 10101 10101 11001 01110',
  '1': '00100 01100 00100 00100 00100 00100 01110',
  '2': '01110 10001 00001 00110 01000 10000 11111',
  '3': '11110 00001 00001 01110 00001 00001 11110',
  '4': '10010 10010 10010 11111 00010 00010 00010',
  '5': '11111 10000 11110 00001 00001 00001 11110',
  '6': '01110 10000 11110 10001 10001 10001 01110',
  '7': '11111 00001 00010 00100 00100 00100 00100',
  '8': '01110 10001 10001 01110 10001 10001 01110',
  '9': '01110 10001 10001 01111 00001 00001 01110',
  '.': '00000 00000 00000 00000 00000 01100 01100',
  ',': '00000 00000 00000 00000 00100 00100 01000',
  ' ': '00000 00000 00000 00000 00000 00000 00000',
};

/** Big-endian numbers, one after another. */
class Table {
  readonly #parts: Buffer[] = [];

  u16(...values: readonly number[]): this {
    for (const value of values) {
      const part = Buffer.alloc(2);
      part.writeUInt16BE(value & 0xffff);
      this.#parts.push(part);
    }
    return this;
  }

  u32(...values: readonly number[]): this {
    for (const value of values) this.u16(value >>> 16, value);
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.#parts.push(Buffer.from(bytes));
    return this;
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** The lit runs of one pixel row become rectangles: `[left, right]` in pixels. */
function runs(row: string): readonly (readonly [number, number])[] {
  return [...row.matchAll(/1+/g)].map((match) => [match.index, match.index + match[0].length] as const);
}

function outline(rows: readonly string[]): Buffer {
  const boxes = rows.flatMap((row, y) => runs(row).map(([left, right]) => ({ left, right, top: ROWS - y })));
  if (boxes.length === 0) return Buffer.alloc(0);
  const table = new Table().u16(boxes.length, 0, 0, 5 * UNIT, ROWS * UNIT);
  boxes.forEach((_, index) => table.u16(index * 4 + 3));
  table.u16(0).bytes(new Uint8Array(boxes.length * 4).fill(1));
  const corners = boxes.flatMap(({ left, right, top }) => [
    [left, top - 1],
    [left, top],
    [right, top],
    [right, top - 1],
  ]);
  for (const axis of [0, 1]) {
    let previous = 0;
    for (const corner of corners) {
      const value = (corner[axis] ?? 0) * UNIT;
      table.u16(value - previous);
      previous = value;
    }
  }
  const bytes = table.toBuffer();
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

/** Maps upper and lower case to the same glyphs (OpenType cmap, format 4, one segment a character). */
function characterMap(characters: readonly string[]): Buffer {
  const entries = characters
    .flatMap((character, index) =>
      [...new Set([character, character.toLowerCase()])].map((form) => ({
        code: form.charCodeAt(0),
        glyph: index + 1,
      })),
    )
    .sort((a, b) => a.code - b.code);
  const segments = [...entries, { code: 0xffff, glyph: 0 }];
  const count = segments.length;
  const power = 2 ** Math.floor(Math.log2(count));
  return new Table()
    .u16(0, 1, 3, 1)
    .u32(12)
    .u16(4, 16 + count * 8, 0, count * 2, power * 2, Math.log2(power), count * 2 - power * 2)
    .u16(...segments.map(({ code }) => code), 0)
    .u16(...segments.map(({ code }) => code))
    .u16(...segments.map(({ code, glyph }) => glyph - code))
    .u16(...segments.map(() => 0))
    .toBuffer();
}

function naming(): Buffer {
  const names = [
    [1, 'Weir Pixel'],
    [2, 'Regular'],
    [4, 'Weir Pixel Regular'],
    [6, 'WeirPixel-Regular'],
  ] as const;
  const table = new Table().u16(0, names.length, 6 + names.length * 12);
  let offset = 0;
  for (const [id, text] of names) {
    table.u16(3, 1, 0x409, id, text.length * 2, offset);
    offset += text.length * 2;
  }
  for (const [, text] of names) table.bytes(Buffer.from(text, 'utf16le').swap16());
  return table.toBuffer();
}

/** A small WOFF font (W3C WOFF 1.0 around TrueType outlines) with capitals, digits and a little punctuation. */
export function pixelFont(): Buffer {
  const characters = Object.keys(GLYPHS);
  const outlines = [outline(['11111', '10001', '10001', '10001', '10001', '10001', '11111'])];
  for (const character of characters) outlines.push(outline((GLYPHS[character] ?? '').split(' ')));
  const offsets = [0];
  for (const glyph of outlines) offsets.push((offsets.at(-1) ?? 0) + glyph.length);
  const advance = 6 * UNIT;
  const count = outlines.length;
  const tables: Readonly<Record<string, Buffer>> = {
    'OS/2': new Table()
      .u16(1, advance, 400, 5, 0, 650, 700, 0, 140, 650, 700, 0, 480, 50, 258, 0)
      .bytes(new Uint8Array(10))
      .u32(1, 0, 0, 0)
      .bytes(Buffer.from('WEIR', 'latin1'))
      .u16(0x40, 0x20, 0x7a, ROWS * UNIT, -UNIT, 0, 8 * UNIT, UNIT)
      .u32(1, 0)
      .toBuffer(),
    cmap: characterMap(characters),
    glyf: Buffer.concat(outlines),
    head: new Table()
      .u32(0x00010000, 0x00010000, 0, 0x5f0f3cf5)
      .u16(0x000b, 1024)
      .u32(0, 3_850_000_000, 0, 3_850_000_000)
      .u16(0, 0, 5 * UNIT, ROWS * UNIT, 0, 8, 2, 1, 0)
      .toBuffer(),
    hhea: new Table()
      .u32(0x00010000)
      .u16(8 * UNIT, -UNIT, 0, advance, 0, UNIT, 5 * UNIT, 1, 0, 0, 0, 0, 0, 0, 0, count)
      .toBuffer(),
    hmtx: new Table().u16(...outlines.flatMap(() => [advance, 0])).toBuffer(),
    loca: new Table().u32(...offsets).toBuffer(),
    maxp: new Table().u32(0x00010000).u16(count, 100, 25, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0).toBuffer(),
    name: naming(),
    post: new Table().u32(0x00030000, 0).u16(0, 0).u32(1, 0, 0, 0, 0).toBuffer(),
  };
  return wrap(tables);
}

function checksum(table: Buffer): number {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) {
    const word = Buffer.alloc(4);
    table.copy(word, 0, at, Math.min(at + 4, table.length));
    sum = (sum + word.readUInt32BE()) >>> 0;
  }
  return sum;
}

function wrap(tables: Readonly<Record<string, Buffer>>): Buffer {
  const tags = Object.keys(tables).sort();
  const directory = new Table();
  const bodies: Buffer[] = [];
  let offset = 44 + tags.length * 20;
  let plainSize = 12 + tags.length * 16;
  for (const tag of tags) {
    const plain = tables[tag] ?? Buffer.alloc(0);
    const packed = deflateSync(plain, { level: 9 });
    const stored = packed.length < plain.length ? packed : plain;
    directory.bytes(Buffer.from(tag.padEnd(4), 'latin1')).u32(offset, stored.length, plain.length, checksum(plain));
    const padded = Buffer.concat([stored, Buffer.alloc((4 - (stored.length % 4)) % 4)]);
    bodies.push(padded);
    offset += padded.length;
    plainSize += Math.ceil(plain.length / 4) * 4;
  }
  const header = new Table()
    .bytes(Buffer.from('wOFF', 'latin1'))
    .u32(0x00010000, offset)
    .u16(tags.length, 0)
    .u32(plainSize)
    .u16(1, 0)
    .u32(0, 0, 0, 0, 0);
  return Buffer.concat([header.toBuffer(), directory.toBuffer(), ...bodies]);
}
