import type forge from 'node-forge';
import asn1 from 'node-forge/lib/asn1.js';

/**
 * Distinguished Encoding Rules (X.690), as far as certificates need them: a typed face of forge's ASN.1 for writing, and a
 * reader that tells where elements stand, because parts of foreign certificates must be repeated octet by octet.
 */

/** One element that is to be written, with all that it holds. */
export type Der = forge.asn1.Asn1;

const { Class, Type } = asn1;

/** Octets of an element. */
export function encode(element: Der): Buffer {
  return Buffer.from(asn1.toDer(element).getBytes(), 'latin1');
}

/** An element that exists in DER already; its contents are not looked at. Throws as `readElement` does. */
export function encoded(bytes: Buffer): Der {
  const { tag, contentStart, end } = readElement(bytes, 0);
  return asn1.create(tag & 0xc0, tag & 0x3f, false, bytes.toString('latin1', contentStart, end));
}

const primitive = (type: forge.asn1.Type, octets: string): Der => asn1.create(Class.UNIVERSAL, type, false, octets);

export const NULL: Der = primitive(Type.NULL, '');

export function sequence(...parts: readonly Der[]): Der {
  return asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, [...parts]);
}

/** A set of one element, or of elements that already stand in DER order. */
export function set(...parts: readonly Der[]): Der {
  return asn1.create(Class.UNIVERSAL, Type.SET, true, [...parts]);
}

/** A non-negative number below 2^31, or big-endian octets of a positive number. */
export function integer(value: number | Buffer): Der {
  if (typeof value === 'number') return primitive(Type.INTEGER, asn1.integerToDer(value).getBytes());
  const needsZero = ((value[0] ?? 0) & 0x80) !== 0;
  return primitive(Type.INTEGER, `${needsZero ? '\0' : ''}${value.toString('latin1')}`);
}

export function boolean(value: boolean): Der {
  return primitive(Type.BOOLEAN, value ? '\xff' : '\0');
}

/** @param unusedBits bits at the end of the last octet that do not count, 0 to 7 */
export function bitString(octets: Buffer, unusedBits = 0): Der {
  return primitive(Type.BITSTRING, String.fromCharCode(unusedBits) + octets.toString('latin1'));
}

export function octetString(octets: Buffer): Der {
  return primitive(Type.OCTETSTRING, octets.toString('latin1'));
}

export function utf8String(text: string): Der {
  return primitive(Type.UTF8, Buffer.from(text, 'utf8').toString('latin1'));
}

/** UTF-16, big-endian; PKCS#12 names are written so. */
export function bmpString(text: string): Der {
  return primitive(Type.BMPSTRING, text);
}

/** @param dotted for example `2.5.29.17` */
export function objectIdentifier(dotted: string): Der {
  return primitive(Type.OID, asn1.oidToDer(dotted).getBytes());
}

/** UTCTime until 2049, GeneralizedTime from 2050 on (RFC 5280 §4.1.2.5). Whole seconds. @param time ms since 1970 */
export function time(time: number): Der {
  const date = new Date(time);
  if (date.getUTCFullYear() < 2050) return primitive(Type.UTCTIME, asn1.dateToUtcTime(date));
  return primitive(Type.GENERALIZEDTIME, asn1.dateToGeneralizedTime(date));
}

/** `[number]` with constructed contents: EXPLICIT, or IMPLICIT of a SEQUENCE or SET. */
export function constructedTag(number: number, ...content: readonly Der[]): Der {
  return asn1.create(Class.CONTEXT_SPECIFIC, number, true, [...content]);
}

/** `[number] IMPLICIT` of a primitive type. */
export function primitiveTag(number: number, content: Buffer): Der {
  return asn1.create(Class.CONTEXT_SPECIFIC, number, false, content.toString('latin1'));
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
