import { createHash } from 'node:crypto';
import * as der from './der.ts';
import { OID } from './object-identifiers.ts';

/** Certificate extensions (RFC 5280 §4.2.1), each as a whole Extension element. */

/** May sign end-entity certificates only (path length 0). Critical. */
export const AUTHORITY_CONSTRAINTS = extension(
  OID.basicConstraints,
  true,
  der.sequence(der.boolean(true), der.integer(0)),
);

/** Is no authority. Critical. */
export const LEAF_CONSTRAINTS = extension(OID.basicConstraints, true, der.sequence());

/** keyCertSign and cRLSign. Critical. */
export const AUTHORITY_USAGE = extension(OID.keyUsage, true, der.bitString(Buffer.from([0b0000_0110]), 1));

/** digitalSignature. Critical. */
export const ECDSA_LEAF_USAGE = extension(OID.keyUsage, true, der.bitString(Buffer.from([0b1000_0000]), 7));

/** digitalSignature and keyEncipherment (RSA key exchange of TLS 1.2). Critical. */
export const RSA_LEAF_USAGE = extension(OID.keyUsage, true, der.bitString(Buffer.from([0b1010_0000]), 5));

export const SERVER_AUTHENTICATION = extension(
  OID.extendedKeyUsage,
  false,
  der.sequence(der.objectIdentifier(OID.serverAuth)),
);

/** @param keyIdentifier usually 20 octets */
export function subjectKeyIdentifier(keyIdentifier: Buffer): der.Der {
  return extension(OID.subjectKeyIdentifier, false, der.octetString(keyIdentifier));
}

/** @param keyIdentifier the issuer's subject key identifier */
export function authorityKeyIdentifier(keyIdentifier: Buffer): der.Der {
  return extension(OID.authorityKeyIdentifier, false, der.sequence(der.primitiveTag(0, keyIdentifier)));
}

/** @param names GeneralName elements @param critical must be true when the subject is empty (RFC 5280 §4.2.1.6) */
export function subjectAltName(names: readonly der.Der[], critical: boolean): der.Der {
  return extension(OID.subjectAltName, critical, der.sequence(...names));
}

/**
 * Key identifier by RFC 5280 §4.2.1.2 method 1: SHA-1 of the public key's bits.
 * @param spki SubjectPublicKeyInfo, DER
 */
export function keyIdentifier(spki: Buffer): Buffer {
  const [, bits] = der.readChildren(spki, der.readElement(spki, 0));
  // The first octet of a BIT STRING's contents counts its unused bits.
  const key = bits === undefined ? spki : spki.subarray(bits.contentStart + 1, bits.end);
  return createHash('sha1').update(key).digest();
}

function extension(identifier: string, critical: boolean, value: der.Der): der.Der {
  const name = der.objectIdentifier(identifier);
  const content = der.octetString(der.encode(value));
  return critical ? der.sequence(name, der.boolean(true), content) : der.sequence(name, content);
}
