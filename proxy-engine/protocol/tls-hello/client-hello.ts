/**
 * What a ClientHello says (RFC 8446 §4.1.2, RFC 5246 §7.4.1.2), as numbers of the IANA registries. Lists are in the order
 * of the wire and keep GREASE values (RFC 8701); `isGrease` tells them apart.
 */
export interface ClientHello {
  /** Version field of the message itself; `versions` rules when it is not empty. */
  readonly legacyVersion: number;
  readonly random: Buffer;
  readonly sessionId: Buffer;
  readonly cipherSuites: readonly number[];
  readonly compressionMethods: readonly number[];
  /** Extension types. */
  readonly extensions: readonly number[];
  /** Host name of the server_name extension as sent (latin1, not validated); null when it is absent or empty. */
  readonly sni: string | null;
  /** Protocol names of the ALPN extension, latin1. */
  readonly alpn: readonly string[];
  /** supported_versions. */
  readonly versions: readonly number[];
  /** supported_groups. */
  readonly groups: readonly number[];
  readonly pointFormats: readonly number[];
  /** signature_algorithms. */
  readonly signatureAlgorithms: readonly number[];
  /** Groups for which a key share was sent. */
  readonly keyShareGroups: readonly number[];
  /** An encrypted_client_hello extension came along (also a GREASE one: the two look alike by design). */
  readonly encryptedClientHello: boolean;
  /** Handshake message with its four-byte header, bytes. */
  readonly byteLength: number;
}

/**
 * - `incomplete`: so far it is a ClientHello; more bytes are needed
 * - `not-tls`: the bytes are no TLS handshake record that begins a ClientHello: relay or parse them as something else
 * - `malformed`: TLS, but no readable ClientHello (or a longer one than the bound); a TLS server would answer an alert
 */
export type ClientHelloResult =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'not-tls' }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'hello'; readonly hello: ClientHello };

/** Extension types that are read (IANA "TLS ExtensionType Values"). */
export const EXTENSION = {
  serverName: 0x0000,
  supportedGroups: 0x000a,
  pointFormats: 0x000b,
  signatureAlgorithms: 0x000d,
  alpn: 0x0010,
  supportedVersions: 0x002b,
  keyShare: 0x0033,
  encryptedClientHello: 0xfe0d,
} as const;

/** True for the reserved values 0x0A0A, 0x1A1A … 0xFAFA that clients mix in to keep servers tolerant (RFC 8701 §2). */
export function isGrease(value: number): boolean {
  return (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff);
}

/**
 * True when the client can be served with an ECDSA leaf on P-256. Clients that cannot (old ones, or ones that were told to
 * use RSA suites) need an RSA leaf. In TLS 1.3 the signature scheme alone decides; before it a suite and the curve count
 * as well (RFC 8422 §5.1).
 */
export function acceptsEcdsa(hello: ClientHello): boolean {
  const { signatureAlgorithms, groups, versions, cipherSuites } = hello;
  if (versions.includes(TLS_1_3)) return signatureAlgorithms.includes(ECDSA_P256_SHA256);
  const schemeFits =
    signatureAlgorithms.length === 0 || signatureAlgorithms.some((scheme) => ECDSA_SCHEMES.has(scheme));
  const curveFits = groups.length === 0 || groups.includes(P256);
  return schemeFits && curveFits && cipherSuites.some((suite) => ECDSA_SUITES.has(suite));
}

const TLS_1_3 = 0x0304;
const P256 = 0x0017;
const ECDSA_P256_SHA256 = 0x0403;

/** ecdsa_sha1, SHA-224, SHA-256, SHA-384, SHA-512: before TLS 1.3 a scheme names no curve. */
const ECDSA_SCHEMES: ReadonlySet<number> = new Set([0x0203, 0x0303, ECDSA_P256_SHA256, 0x0503, 0x0603]);

/** Suites of TLS 1.2 and below that authenticate with ECDSA (RFC 8422, 5289, 7905, 7251). */
const ECDSA_SUITES: ReadonlySet<number> = new Set([
  0xc006, 0xc007, 0xc008, 0xc009, 0xc00a, 0xc023, 0xc024, 0xc02b, 0xc02c, 0xc0ac, 0xc0ad, 0xc0ae, 0xc0af, 0xcca9,
]);
