import { encode, objectIdentifier, readChildren, readElement, type DerElement } from './der.ts';
import { OID } from './object-identifiers.ts';
import { PkiError } from './pki-error.ts';

/** Parts of a certificate that Node does not hand out. */
export interface CertificateFields {
  /** Subject Name exactly as encoded: an issued certificate must repeat it byte by byte. */
  readonly subject: Buffer;
  /** Issuer Name exactly as encoded. */
  readonly issuer: Buffer;
  /** The INTEGER, with its tag. */
  readonly serialNumber: Buffer;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  /** Contents of the subject key identifier extension, or null. */
  readonly subjectKeyIdentifier: Buffer | null;
}

/**
 * Reads fields of a DER certificate (RFC 5280 §4.1).
 * @throws PkiError `pki.unreadable`
 */
export function readCertificateFields(certificate: Buffer): CertificateFields {
  try {
    return read(certificate);
  } catch (error: unknown) {
    throw new PkiError('pki.unreadable', 'The certificate is damaged: its structure does not fit its lengths.', {
      cause: error,
    });
  }
}

function read(bytes: Buffer): CertificateFields {
  const [toBeSigned] = readChildren(bytes, readElement(bytes, 0));
  if (toBeSigned === undefined) throw new RangeError('There is no TBSCertificate.');
  const parts = readChildren(bytes, toBeSigned);
  // The version is left out in version 1 certificates.
  const versioned = parts[0]?.tag === 0xa0 ? 1 : 0;
  const [serialNumber, , issuer, , subject, publicKey] = parts.slice(versioned);
  if (serialNumber === undefined || issuer === undefined || subject === undefined || publicKey === undefined)
    throw new RangeError('Fields are missing.');
  const extensions = parts.find((part) => part.tag === 0xa3);
  return {
    subject: slice(bytes, subject),
    issuer: slice(bytes, issuer),
    serialNumber: slice(bytes, serialNumber),
    publicKey: slice(bytes, publicKey),
    subjectKeyIdentifier: extensions === undefined ? null : findKeyIdentifier(bytes, extensions),
  };
}

const SUBJECT_KEY_IDENTIFIER = encode(objectIdentifier(OID.subjectKeyIdentifier));

function findKeyIdentifier(bytes: Buffer, tagged: DerElement): Buffer | null {
  for (const extension of readChildren(bytes, readElement(bytes, tagged.contentStart))) {
    const parts = readChildren(bytes, extension);
    const [identifier] = parts;
    const value = parts.at(-1);
    if (identifier === undefined || value === undefined) continue;
    if (!slice(bytes, identifier).equals(SUBJECT_KEY_IDENTIFIER)) continue;
    const inner = readElement(bytes, value.contentStart);
    return bytes.subarray(inner.contentStart, inner.end);
  }
  return null;
}

function slice(bytes: Buffer, element: DerElement): Buffer {
  return bytes.subarray(element.start, element.end);
}
