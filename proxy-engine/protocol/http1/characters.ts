/** Byte classes of the HTTP/1 grammar (RFC 9110 §5.6.2, §5.5; RFC 3986 §3.2.2), one entry per byte value: 1 is a member. */

const HTAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SP = 0x20;
export const COLON = 0x3a;

function table(isMember: (byte: number) => boolean): Uint8Array {
  const members = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte++) members[byte] = isMember(byte) ? 1 : 0;
  return members;
}

function listed(characters: string): (byte: number) => boolean {
  return (byte) => characters.includes(String.fromCharCode(byte));
}

function isAlphanumeric(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}

const isTokenPunctuation = listed("!#$%&'*+-.^_`|~");
const isHostPunctuation = listed("-._~!$&'()*+;=%");

/** Members of a token: field names, methods, connection options. */
export const TOKEN = table((byte) => isAlphanumeric(byte) || isTokenPunctuation(byte));

/** Members of a field value or a reason phrase: visible characters, SP, HTAB and bytes above 0x7F. */
export const FIELD_VALUE = table((byte) => byte === HTAB || (byte >= SP && byte !== 0x7f));

/** Members of a request line: as a field value, but without HTAB. */
export const REQUEST_LINE = table((byte) => byte >= SP && byte !== 0x7f);

/**
 * Members of a host name as we accept it: a reg-name without comma (which would make it a list), and bytes above 0x7F
 * (names that nobody has converted to A-labels yet).
 */
export const HOST_NAME = table((byte) => isAlphanumeric(byte) || isHostPunctuation(byte) || byte >= 0x80);

/** Value of each hexadecimal digit, 255 for every other byte. */
export const HEX_DIGIT = Uint8Array.from({ length: 256 }, (_unused, byte) => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : 255;
});

/** True for the two bytes that may surround a field value (OWS). */
export function isBlank(byte: number | undefined): boolean {
  return byte === SP || byte === HTAB;
}
