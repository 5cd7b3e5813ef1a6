import { crc32, deflateSync } from 'node:zlib';

/** Packed 24-bit colour, `0xRRGGBB`. */
type Colour = number;

/** A small picture that is painted by a function of its coordinates, each in [0, 1). */
export type Painter = (x: number, y: number) => Colour;

function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/** An 8-bit true-colour PNG of `width` × `height` pixels. */
export function png(width: number, height: number, paint: Painter): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  let at = 0;
  for (let y = 0; y < height; y++) {
    rows[at++] = 0;
    for (let x = 0; x < width; x++) {
      const colour = paint(x / width, y / height);
      rows[at++] = (colour >> 16) & 255;
      rows[at++] = (colour >> 8) & 255;
      rows[at++] = colour & 255;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows, { level: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Collects bits, least significant first, as VP8L wants them. */
class BitWriter {
  readonly #bytes: number[] = [];
  #held = 0;
  #count = 0;

  write(value: number, bits: number): void {
    for (let index = 0; index < bits; index++) {
      this.#held |= ((value >> index) & 1) << this.#count;
      this.#count++;
      if (this.#count === 8) this.flush();
    }
  }

  flush(): void {
    if (this.#count === 0) return;
    this.#bytes.push(this.#held);
    this.#held = 0;
    this.#count = 0;
  }

  toBuffer(): Buffer {
    this.flush();
    return Buffer.from(this.#bytes);
  }
}

function reverseBits(value: number, bits: number): number {
  let reversed = 0;
  for (let index = 0; index < bits; index++) reversed |= ((value >> index) & 1) << (bits - 1 - index);
  return reversed;
}

/** A prefix code of one symbol, which costs no bits in the picture. */
function writeSingleSymbolCode(out: BitWriter, symbol: number): void {
  out.write(1, 1);
  out.write(0, 1);
  out.write(symbol > 1 ? 1 : 0, 1);
  out.write(symbol, symbol > 1 ? 8 : 1);
}

/** A prefix code in which all 256 literals have eight bits; a longer alphabet's other symbols are absent. */
function writeFlatCode(out: BitWriter, alphabet: 256 | 280): void {
  out.write(0, 1);
  // Lengths of the code length codes, in the order 17 18 0 1 2 3 4 5 16 6 7 8: a run of zeros (18) and eight, one bit each.
  out.write(12 - 4, 4);
  for (const length of [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]) out.write(length, 3);
  out.write(0, 1);
  for (let index = 0; index < 256; index++) out.write(0, 1);
  if (alphabet > 256) {
    out.write(1, 1);
    out.write(alphabet - 256 - 11, 7);
  }
}

/**
 * A lossless WebP of `width` × `height` pixels with up to 16 colours (VP8L with colour indexing, two pixels a byte).
 * @throws RangeError when the palette has more than 16 colours
 */
export function webp(
  width: number,
  height: number,
  palette: readonly Colour[],
  paint: (x: number, y: number) => number,
): Buffer {
  if (palette.length < 5 || palette.length > 16) throw new RangeError('The palette needs 5 to 16 colours.');
  const out = new BitWriter();
  out.write(0x2f, 8);
  out.write(width - 1, 14);
  out.write(height - 1, 14);
  out.write(0, 1);
  out.write(0, 3);
  // The colour indexing transform: its table is a picture of one row whose entries are differences.
  out.write(1, 1);
  out.write(3, 2);
  out.write(palette.length - 1, 8);
  out.write(0, 1);
  writeFlatCode(out, 280);
  writeFlatCode(out, 256);
  writeFlatCode(out, 256);
  // Opacity: 255 for the first entry, and no difference afterwards.
  out.write(0b011, 3);
  out.write(0, 1);
  out.write(255, 8);
  writeSingleSymbolCode(out, 0);
  let previous: number | null = null;
  for (const colour of palette) {
    const before = previous ?? 0;
    for (const shift of [8, 16, 0]) {
      out.write(reverseBits((((colour >> shift) & 255) - ((before >> shift) & 255)) & 255, 8), 8);
    }
    out.write(previous === null ? 1 : 0, 1);
    previous = colour;
  }
  out.write(0, 1);
  out.write(0, 1);
  out.write(0, 1);
  writeFlatCode(out, 280);
  for (const symbol of [0, 0, 255, 0]) writeSingleSymbolCode(out, symbol);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x += 2) {
      const left = paint(x / width, y / height) & 15;
      const right = x + 1 < width ? paint((x + 1) / width, y / height) & 15 : 0;
      out.write(reverseBits(left | (right << 4), 8), 8);
    }
  }
  const data = out.toBuffer();
  const padded = data.length + (data.length & 1);
  const file = Buffer.alloc(20 + padded);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(12 + padded, 4);
  file.write('WEBPVP8L', 8, 'latin1');
  file.writeUInt32LE(data.length, 16);
  data.copy(file, 20);
  return file;
}
