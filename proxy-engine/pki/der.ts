/**
 * Distinguished Encoding Rules (X.690), as far as certificates need them. Every function answers one whole element.
 */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

export const NULL: Buffer = Buffer.from([TAG.null, 0]);

/** @param tag identifier octet @param content its contents, in pieces */
function element(tag: number, ...content: readonly Buffer[]): Buffer {
  const length = content.reduce((sum, piece) => sum + piece.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(length)]), ...content]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return element(TAG.sequence, ...parts);
}

/** A set of one element, or of elements that already stand in DER order. */
export function set(...parts: readonly Buffer[]): Buffer {
  return element(TAG.set, ...parts);
}

/** A non-negative number below 2^31, or big-endian octets of a positive number. */
export function integer(value: number | Buffer): Buffer {
  const octets = typeof value === 'number' ? numberOctets(value) : value;
  const needsZero = ((octets[0] ?? 0) & 0x80) !== 0;
  return needsZero ? element(TAG.integer, Buffer.from([0]), octets) : element(TAG.integer, octets);
}

export function boolean(value: boolean): Buffer {
  return element(TAG.boolean, Buffer.from([value ? 0xff : 0]));
}

/** @param unusedBits bits at the end of the last octet that do not count, 0 to 7 */
export function bitString(octets: Buffer, unusedBits = 0): Buffer {
  return element(TAG.bitString, Buffer.from([unusedBits]), octets);
}

export function octetString(octets: Buffer): Buffer {
  return element(TAG.octetString, octets);
}

export function utf8String(text: string): Buffer {
  return element(TAG.utf8String, Buffer.from(text, 'utf8'));
}

/** UTF-16, big-endian; PKCS#12 names are written so. */
export function bmpString(text: string): Buffer {
  return element(TAG.bmpString, Buffer.from(text, 'utf16le').swap16());
}

/** @param dotted for example `2.5.29.17` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(TAG.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** UTCTime until 2049, GeneralizedTime from 2050 on (RFC 5280 §4.1.2.5). Whole seconds. @param time ms since 1970 */
export function time(time: number): Buffer {
  const date = new Date(time);
  const digits = date.toISOString().slice(0, 19).replace(/[-:T]/g, '');
  if (date.getUTCFullYear() < 2050) return element(TAG.utcTime, Buffer.from(`${digits.slice(2)}Z`, 'latin1'));
  return element(TAG.generalizedTime, Buffer.from(`${digits}Z`, 'latin1'));
}

/** `[number]` with constructed contents: EXPLICIT, or IMPLICIT of a SEQUENCE or SET. */
export function constructedTag(number: number, ...content: readonly Buffer[]): Buffer {
  return element(0xa0 | number, ...content);
}

/** `[number] IMPLICIT` of a primitive type. */
export function primitiveTag(number: number, content: Buffer): Buffer {
  return element(0x80 | number, content);
}

/** One element inside a larger encoding; offsets into the buffer that was read. */
export interface DerElement {
  readonly tag: number;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
}

/**
 * Reads the element at `start`. Lengths are definite, tags one octet, as DER certificates have them.
 * @throws RangeError when it does not fit into `bytes`
 */
export function readElement(bytes: Buffer, start: number): DerElement {
  const tag = bytes.readUInt8(start);
  const first = bytes.readUInt8(start + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4)
    throw new RangeError('The length of a DER element is not definite or too long.');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(start + 2, lengthBytes);
  const contentStart = start + 2 + lengthBytes;
  const end = contentStart + length;
  if (end > bytes.length) throw new RangeError('A DER element is longer than its surroundings.');
  return { tag, start, contentStart, end };
}

/** The elements directly inside a constructed one, in order. Throws as `readElement` does. */
export function readChildren(bytes: Buffer, parent: DerElement): DerElement[] {
  const children: DerElement[] = [];
  let at = parent.contentStart;
  while (at < parent.end) {
    const child = readElement(bytes, at);
    children.push(child);
    at = child.end;
  }
  return children;
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets = [...numberOctets(length)];
  return [0x80 | octets.length, ...octets];
}

function numberOctets(value: number): Buffer {
  const octets: number[] = [];
  for (let rest = value; rest > 0 || octets.length === 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.from(octets);
}

function base128(value: number): number[] {
  const octets = [value & 0x7f];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128))
    octets.unshift(0x80 | (rest & 0x7f));
  return octets;
}
