/**
 * The Huffman code of HPACK (RFC 7541, Appendix B). The code is canonical: codes of one length are consecutive and in the
 * order of their symbols, so the lengths say everything.
 */
const CODE_LENGTHS = Uint8Array.of(
  13,
  23,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  24,
  30,
  28,
  28,
  30,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  30,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  6,
  10,
  10,
  12,
  13,
  6,
  8,
  11,
  10,
  10,
  8,
  11,
  8,
  6,
  6,
  6,
  5,
  5,
  5,
  6,
  6,
  6,
  6,
  6,
  6,
  6,
  7,
  8,
  15,
  6,
  12,
  10,
  13,
  6,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  8,
  7,
  8,
  13,
  19,
  13,
  14,
  6,
  15,
  5,
  6,
  5,
  6,
  5,
  6,
  6,
  6,
  5,
  7,
  7,
  6,
  6,
  6,
  5,
  6,
  7,
  6,
  5,
  5,
  6,
  7,
  7,
  7,
  7,
  7,
  15,
  11,
  14,
  13,
  28,
  20,
  22,
  20,
  20,
  22,
  22,
  22,
  23,
  22,
  23,
  23,
  23,
  23,
  23,
  24,
  23,
  24,
  24,
  22,
  23,
  24,
  23,
  23,
  23,
  23,
  21,
  22,
  23,
  22,
  23,
  23,
  24,
  22,
  21,
  20,
  22,
  22,
  23,
  23,
  21,
  23,
  22,
  22,
  24,
  21,
  22,
  23,
  23,
  21,
  21,
  22,
  21,
  23,
  22,
  23,
  23,
  20,
  22,
  22,
  22,
  23,
  22,
  22,
  23,
  26,
  26,
  20,
  19,
  22,
  23,
  22,
  25,
  26,
  26,
  26,
  27,
  27,
  26,
  24,
  25,
  19,
  21,
  26,
  27,
  27,
  26,
  27,
  24,
  21,
  21,
  26,
  26,
  28,
  27,
  27,
  27,
  20,
  24,
  20,
  21,
  22,
  21,
  21,
  23,
  22,
  22,
  25,
  25,
  24,
  24,
  26,
  23,
  26,
  27,
  26,
  26,
  27,
  27,
  27,
  27,
  27,
  28,
  27,
  27,
  27,
  27,
  27,
  26,
  30,
);

const SYMBOLS = 257;
const END_OF_STRING = 256;

/** Codes by symbol, right-aligned. */
const CODES = assignCodes();

function assignCodes(): Uint32Array {
  const codes = new Uint32Array(SYMBOLS);
  let code = 0;
  for (let length = 1; length <= 30; length += 1) {
    for (let symbol = 0; symbol < SYMBOLS; symbol += 1) {
      if (CODE_LENGTHS[symbol] === length) codes[symbol] = code++;
    }
    code *= 2;
  }
  return codes;
}

/**
 * The decoder walks the code tree a byte at a time. An entry of its table is
 * `next state | symbols << 8 | first symbol << 16 | second symbol << 24`; `symbols` is 0 to 2, or 3 where the byte spells
 * the end-of-string code, which a valid string never holds.
 */
const STATES = 256;
const FAILED = 3;
let transitions: Uint32Array | null = null;
/** States in which a string may end: less than a byte of ones since the last symbol (RFC 7541 §5.2). */
const mayEnd = new Uint8Array(STATES);

function buildTransitions(): Uint32Array {
  // Child of node `n` for bit `b` at [2n + b]: a node, or -1 - symbol.
  const children = new Int16Array(STATES * 2);
  let nodes = 1;
  for (let symbol = 0; symbol < SYMBOLS; symbol += 1) {
    const length = CODE_LENGTHS[symbol] ?? 0;
    const code = CODES[symbol] ?? 0;
    let node = 0;
    for (let bit = length - 1; bit > 0; bit -= 1) {
      const slot = node * 2 + ((code >>> bit) & 1);
      if (children[slot] === 0) children[slot] = nodes++;
      node = children[slot] ?? 0;
    }
    children[node * 2 + (code & 1)] = -1 - symbol;
  }
  for (let node = 0, depth = 0; depth < 8; depth += 1) {
    mayEnd[node] = 1;
    node = children[node * 2 + 1] ?? 0;
  }
  const table = new Uint32Array(STATES * 256);
  for (let state = 0; state < STATES; state += 1) {
    for (let byte = 0; byte < 256; byte += 1) table[state * 256 + byte] = walk(children, state, byte);
  }
  return table;
}

function walk(children: Int16Array, state: number, byte: number): number {
  let node = state;
  let count = 0;
  let first = 0;
  let second = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    const next = children[node * 2 + ((byte >>> bit) & 1)] ?? 0;
    if (next >= 0) {
      node = next;
      continue;
    }
    const symbol = -1 - next;
    if (symbol === END_OF_STRING) return FAILED << 8;
    if (count === 0) first = symbol;
    else second = symbol;
    count += 1;
    node = 0;
  }
  return (node | (count << 8) | (first << 16) | (second << 24)) >>> 0;
}

/**
 * Decodes a Huffman-coded string.
 *
 * @param out receives the octets from offset 0; must hold `(end - start) * 8 / 5` octets
 * @returns octets written, or -1 for an invalid code (end-of-string inside, or padding that is not ones or too long)
 * @see RFC 7541 §5.2
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number, out: Uint8Array): number {
  const table = (transitions ??= buildTransitions());
  let state = 0;
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const entry = table[state * 256 + (bytes[at] ?? 0)] ?? 0;
    const count = (entry >>> 8) & 3;
    if (count === FAILED) return -1;
    if (count > 0) {
      out[length++] = (entry >>> 16) & 0xff;
      if (count > 1) out[length++] = entry >>> 24;
    }
    state = entry & 0xff;
  }
  return mayEnd[state] === 1 ? length : -1;
}

/** Octets that a latin1 string takes when Huffman-coded. */
export function huffmanLength(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) bits += CODE_LENGTHS[text.charCodeAt(at) & 0xff] ?? 0;
  return (bits + 7) >>> 3;
}

/**
 * Writes a latin1 string Huffman-coded.
 *
 * @returns the offset after the last octet written
 * @see RFC 7541 §5.2
 */
export function encodeHuffman(text: string, out: Uint8Array, start: number): number {
  let at = start;
  // At most 7 bits are pending when a code of at most 30 bits comes: two steps keep within 32 bits.
  let pending = 0;
  let bits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const symbol = text.charCodeAt(index) & 0xff;
    const code = CODES[symbol] ?? 0;
    let left = CODE_LENGTHS[symbol] ?? 0;
    while (left > 0) {
      const take = Math.min(left, 8 - bits);
      pending = (pending << take) | ((code >>> (left - take)) & ((1 << take) - 1));
      bits += take;
      left -= take;
      if (bits === 8) {
        out[at++] = pending;
        pending = 0;
        bits = 0;
      }
    }
  }
  if (bits > 0) out[at++] = (pending << (8 - bits)) | (0xff >>> bits);
  return at;
}
