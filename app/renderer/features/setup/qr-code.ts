/*
 * QR codes for short texts (ISO/IEC 18004): bytes, error correction level M, versions 1 to 6, which is 106 bytes. That is
 * what an address of this computer needs; nothing else is made here.
 */

/** Dark modules by row and column. */
export type QrCode = readonly (readonly boolean[])[];

/** Codewords of each version at level M: data in a block, error correction in a block, blocks. */
const VERSIONS: readonly (readonly [data: number, correction: number, blocks: number])[] = [
  [16, 10, 1],
  [28, 16, 1],
  [44, 26, 1],
  [32, 18, 2],
  [43, 24, 2],
  [27, 16, 4],
];

/** Level M as the format information names it. */
const LEVEL_M = 0;
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/**
 * @param text at most 106 bytes of UTF-8
 * @throws RangeError when it is longer
 */
export function encodeQrCode(text: string): QrCode {
  const bytes = new TextEncoder().encode(text);
  const at = VERSIONS.findIndex(([data, , blocks]) => bytes.length + 2 <= data * blocks);
  const layout = VERSIONS[at];
  if (layout === undefined) throw new RangeError(`A QR code here holds 106 bytes, not ${bytes.length}.`);
  const version = at + 1;
  const bits = toBits(interleave(dataCodewords(bytes, layout[0] * layout[2]), layout));
  const codes = MASKS.map((_, mask) => draw(version, bits, mask));
  const penalties = codes.map(penaltyOf);
  return codes[penalties.indexOf(Math.min(...penalties))] ?? [];
}

/** Mode "bytes", count, the bytes, an end, and alternating padding (§7.4). */
function dataCodewords(bytes: Uint8Array, capacity: number): number[] {
  const nibbles = [4, bytes.length >> 4, bytes.length & 15];
  for (const byte of bytes) nibbles.push(byte >> 4, byte & 15);
  nibbles.push(0);
  const words: number[] = [];
  for (let index = 0; index + 1 < nibbles.length; index += 2) {
    words.push(((nibbles[index] ?? 0) << 4) | (nibbles[index + 1] ?? 0));
  }
  for (let pad = 0xec; words.length < capacity; pad ^= 0xec ^ 0x11) words.push(pad);
  return words;
}

/** Splits into blocks, adds error correction, and takes one codeword of each block in turn (§7.6). */
function interleave(words: readonly number[], [data, correction, blocks]: readonly [number, number, number]): number[] {
  const parts = Array.from({ length: blocks }, (_, block) => words.slice(block * data, (block + 1) * data));
  const corrections = parts.map((part) => remainder(part, correction));
  const result: number[] = [];
  for (let index = 0; index < data; index += 1) for (const part of parts) result.push(part[index] ?? 0);
  for (let index = 0; index < correction; index += 1) for (const part of corrections) result.push(part[index] ?? 0);
  return result;
}

/** Reed–Solomon over GF(256) with the polynomial 0x11d (§7.5). */
function remainder(words: readonly number[], degree: number): number[] {
  const generator = generatorOf(degree);
  const rest = new Array<number>(degree).fill(0);
  for (const word of words) {
    const factor = word ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [index, coefficient] of generator.entries())
      rest[index] = (rest[index] ?? 0) ^ multiply(coefficient, factor);
  }
  return rest;
}

/** Coefficients below the leading one of (x - 1)(x - 2)(x - 4)… */
function generatorOf(degree: number): number[] {
  let coefficients = new Array<number>(degree).fill(0);
  coefficients[degree - 1] = 1;
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    const factor = root;
    coefficients = coefficients.map((value, index) => multiply(value, factor) ^ (coefficients[index + 1] ?? 0));
    root = multiply(root, 2);
  }
  return coefficients;
}

function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((other >> bit) & 1) product ^= one;
  }
  return product;
}

function toBits(words: readonly number[]): boolean[] {
  return words.flatMap((word) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => ((word >> bit) & 1) === 1));
}

/** One code with one mask: patterns first, then the data in its zigzag around them (§7.7). */
function draw(version: number, bits: readonly boolean[], mask: number): QrCode {
  const size = 17 + 4 * version;
  const fixed = fixedModules(version, size, mask);
  const inverts = MASKS[mask] ?? (() => false);
  const code = fixed.map((row) => row.map((module) => module === true));
  let next = 0;
  let upwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    // The vertical timing pattern takes a column of its own.
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const row = upwards ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        const line = code[row];
        if (line === undefined || fixed[row]?.[column] !== null) continue;
        line[column] = (bits[next] ?? false) !== inverts(row, column);
        next += 1;
      }
    }
    upwards = !upwards;
  }
  return code;
}

/** Everything that is no data; null stands where data goes. */
function fixedModules(version: number, size: number, mask: number): (boolean | null)[][] {
  const modules = Array.from({ length: size }, () => new Array<boolean | null>(size).fill(null));
  const set = (row: number, column: number, dark: boolean): void => {
    const line = modules[row];
    if (line !== undefined && column >= 0 && column < size) line[column] = dark;
  };
  for (let index = 0; index < size; index += 1) {
    set(6, index, index % 2 === 0);
    set(index, 6, index % 2 === 0);
  }
  const square = (row: number, column: number, reach: number, dark: (distance: number) => boolean): void => {
    for (let down = -reach; down <= reach; down += 1) {
      for (let across = -reach; across <= reach; across += 1) {
        set(row + down, column + across, dark(Math.max(Math.abs(down), Math.abs(across))));
      }
    }
  };
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const) {
    square(row, column, 4, (distance) => distance !== 2 && distance !== 4);
  }
  if (version > 1) square(size - 7, size - 7, 2, (distance) => distance !== 1);
  const format = formatBits(mask);
  for (let bit = 0; bit < 15; bit += 1) {
    const dark = ((format >> bit) & 1) === 1;
    // Around the upper left finder, and once more split between the two others (§7.9).
    if (bit < 6) set(bit, 8, dark);
    else if (bit < 8) set(bit + 1, 8, dark);
    else if (bit === 8) set(8, 7, dark);
    else set(8, 14 - bit, dark);
    if (bit < 8) set(8, size - 1 - bit, dark);
    else set(size - 15 + bit, 8, dark);
  }
  set(size - 8, 8, true);
  return modules;
}

/** Level and mask with their BCH code and the standard's own mask (§7.9). */
function formatBits(mask: number): number {
  const data = (LEVEL_M << 3) | mask;
  let rest = data;
  for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  return ((data << 10) | rest) ^ 0x5412;
}

/** How hard a code is to read (§7.8.3): runs, blocks, what looks like a finder, and too much of one colour. */
function penaltyOf(code: QrCode): number {
  const columns = code.map((_, column) => code.map((row) => row[column] ?? false));
  let penalty = 0;
  for (const line of [...code, ...columns]) {
    const text = line.map((dark) => (dark ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/1{5,}|0{5,}/g)) penalty += run.length - 2;
    penalty += 40 * [...text.matchAll(/(?=10111010000|00001011101)/g)].length;
  }
  for (const [row, line] of code.entries()) {
    for (const [column, dark] of line.entries()) {
      const others = [line[column + 1], code[row + 1]?.[column], code[row + 1]?.[column + 1]];
      if (others.every((other) => other === dark)) penalty += 3;
    }
  }
  const share = code.flat().filter(Boolean).length / code.length ** 2;
  return penalty + 10 * Math.floor(Math.abs(share * 100 - 50) / 5);
}
