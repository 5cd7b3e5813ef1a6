/**
 * The fields that a proxy must understand. Each is a bit, so that a head can say in one number which of them it has;
 * all others are 0 and only forwarded.
 */
export const FIELD = {
  host: 1 << 0,
  connection: 1 << 1,
  contentLength: 1 << 2,
  transferEncoding: 1 << 3,
  keepAlive: 1 << 4,
  proxyConnection: 1 << 5,
  proxyAuthorization: 1 << 6,
  te: 1 << 7,
  upgrade: 1 << 8,
  http2Settings: 1 << 9,
  expect: 1 << 10,
  maxForwards: 1 << 11,
  alternativeServices: 1 << 12,
} as const;

/** Fields that end at this hop (RFC 9110 §7.6.1), beside those that Connection names. */
export const HOP_BY_HOP =
  FIELD.connection |
  FIELD.keepAlive |
  FIELD.proxyConnection |
  FIELD.proxyAuthorization |
  FIELD.te |
  FIELD.upgrade |
  FIELD.http2Settings;

const ALT_SVC = Buffer.from('alt-svc');
const CONNECTION = Buffer.from('connection');
const CONTENT_LENGTH = Buffer.from('content-length');
const EXPECT = Buffer.from('expect');
const HOST = Buffer.from('host');
const HTTP2_SETTINGS = Buffer.from('http2-settings');
const KEEP_ALIVE = Buffer.from('keep-alive');
const MAX_FORWARDS = Buffer.from('max-forwards');
const PROXY_AUTHORIZATION = Buffer.from('proxy-authorization');
const PROXY_CONNECTION = Buffer.from('proxy-connection');
const TE = Buffer.from('te');
const TRANSFER_ENCODING = Buffer.from('transfer-encoding');
const UPGRADE = Buffer.from('upgrade');

/** Compares a token in `bytes` with a name in lower case; sound for names of letters, digits and hyphens. */
export function equalsIgnoreCase(bytes: Buffer, start: number, lowerName: Buffer): boolean {
  for (let index = 0; index < lowerName.length; index++) {
    const wanted = lowerName[index] ?? 0;
    const byte = bytes[start + index] ?? 0;
    if (byte === wanted) continue;
    // Only a letter may differ, and only by its case bit.
    if (wanted < 0x61 || wanted > 0x7a || (byte | 0x20) !== wanted) return false;
  }
  return true;
}

function kindIf(bytes: Buffer, start: number, lowerName: Buffer, kind: number): number {
  return equalsIgnoreCase(bytes, start, lowerName) ? kind : 0;
}

/** The `FIELD` bit of the name in `bytes` from `start` to `end`, or 0. */
export function fieldKind(bytes: Buffer, start: number, end: number): number {
  const first = (bytes[start] ?? 0) | 0x20;
  switch (end - start) {
    case 2:
      return first === 0x74 ? kindIf(bytes, start, TE, FIELD.te) : 0;
    case 4:
      return first === 0x68 ? kindIf(bytes, start, HOST, FIELD.host) : 0;
    case 6:
      return first === 0x65 ? kindIf(bytes, start, EXPECT, FIELD.expect) : 0;
    case 7:
      if (first === 0x75) return kindIf(bytes, start, UPGRADE, FIELD.upgrade);
      return first === 0x61 ? kindIf(bytes, start, ALT_SVC, FIELD.alternativeServices) : 0;
    case 10:
      if (first === 0x63) return kindIf(bytes, start, CONNECTION, FIELD.connection);
      return first === 0x6b ? kindIf(bytes, start, KEEP_ALIVE, FIELD.keepAlive) : 0;
    case 12:
      return first === 0x6d ? kindIf(bytes, start, MAX_FORWARDS, FIELD.maxForwards) : 0;
    case 14:
      if (first === 0x63) return kindIf(bytes, start, CONTENT_LENGTH, FIELD.contentLength);
      return first === 0x68 ? kindIf(bytes, start, HTTP2_SETTINGS, FIELD.http2Settings) : 0;
    case 16:
      return first === 0x70 ? kindIf(bytes, start, PROXY_CONNECTION, FIELD.proxyConnection) : 0;
    case 17:
      return first === 0x74 ? kindIf(bytes, start, TRANSFER_ENCODING, FIELD.transferEncoding) : 0;
    case 19:
      return first === 0x70 ? kindIf(bytes, start, PROXY_AUTHORIZATION, FIELD.proxyAuthorization) : 0;
    default:
      return 0;
  }
}
