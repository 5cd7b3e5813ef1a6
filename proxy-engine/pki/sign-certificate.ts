import { randomBytes, sign, type KeyObject } from 'node:crypto';
import * as der from './der.ts';
import { OID } from './object-identifiers.ts';
import { signatureAlgorithm } from './signature-algorithm.ts';

/** What a certificate says; times are ms since 1970 and cut to seconds. */
export interface CertificateContent {
  /** Big-endian octets, positive, at most 20 (RFC 5280 §4.1.2.2). */
  readonly serialNumber: Buffer;
  /** Name, DER. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  readonly extensions: readonly der.Der[];
}

/** Assembles an X.509 v3 certificate and signs it with the issuer's key. Answers its DER. */
export function signCertificate(content: CertificateContent, issuerKey: KeyObject): Buffer {
  const algorithm = signatureAlgorithm(issuerKey);
  const toBeSigned = der.encode(
    der.sequence(
      VERSION_3,
      der.integer(content.serialNumber),
      algorithm.identifier,
      der.encoded(content.issuer),
      der.sequence(der.time(content.notBefore), der.time(content.notAfter)),
      der.encoded(content.subject),
      der.encoded(content.publicKey),
      der.constructedTag(3, der.sequence(...content.extensions)),
    ),
  );
  const signature = sign(algorithm.digest, toBeSigned, issuerKey);
  return der.encode(der.sequence(der.encoded(toBeSigned), algorithm.identifier, der.bitString(signature)));
}

const VERSION_3 = der.constructedTag(0, der.integer(2));

/** 127 random bits below a set one: positive, never short, 16 octets. */
export function randomSerialNumber(): Buffer {
  const octets = randomBytes(16);
  octets[0] = ((octets[0] ?? 0) & 0x7f) | 0x40;
  return octets;
}

/** A Name of a common name and, if given, an organization; empty without both. DER. */
export function distinguishedName(commonName: string | null, organization: string | null = null): Buffer {
  const parts: der.Der[] = [];
  if (organization !== null) parts.push(attribute(OID.organizationName, organization));
  if (commonName !== null) parts.push(attribute(OID.commonName, commonName));
  return der.encode(der.sequence(...parts));
}

function attribute(identifier: string, value: string): der.Der {
  return der.set(der.sequence(der.objectIdentifier(identifier), der.utf8String(value)));
}

/** PEM text of DER bytes. @param label for example `CERTIFICATE` */
export function toPem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
