import { createPrivateKey, generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { readCertificateFields } from './certificate-fields.ts';
import { AUTHORITY_CONSTRAINTS, AUTHORITY_USAGE, keyIdentifier, subjectKeyIdentifier } from './extensions.ts';
import { PkiError } from './pki-error.ts';
import { signatureAlgorithm } from './signature-algorithm.ts';
import { distinguishedName, randomSerialNumber, signCertificate, toPem } from './sign-certificate.ts';

const DAY = 86_400_000;
/** Clocks of clients differ; certificates of ours are valid a little before they exist. */
export const BACK_DATED = 2 * DAY;
const AUTHORITY_LIFETIME = 3_652 * DAY;

/** PEM texts, as they stand in files and cross into the engine's thread. */
export interface CertificateAuthorityPem {
  readonly certificate: string;
  /** PKCS#8. */
  readonly key: string;
}

/** An authority that can sign. */
export interface CertificateAuthority {
  readonly certificate: X509Certificate;
  readonly pem: string;
  readonly key: KeyObject;
  /** Subject Name, DER: the issuer of its leaves. */
  readonly subject: Buffer;
  readonly keyIdentifier: Buffer;
  /** ms since 1970. */
  readonly notAfter: number;
}

/**
 * Makes a new self-signed authority that lives ten years. Its name carries a part of its key's identifier, so that two
 * of ours in one trust store can be told apart.
 * @param keyType ECDSA is P-256, RSA has 2,048 bits
 * @param now ms since 1970
 */
export function createCertificateAuthority(keyType: 'ecdsa' | 'rsa', now: number): CertificateAuthorityPem {
  const { publicKey, privateKey } = generateLeafKeys(keyType);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const identifier = keyIdentifier(spki);
  const name = distinguishedName(`Weir CA ${identifier.toString('hex', 0, 4)}`, 'Weir');
  const certificate = signCertificate(
    {
      serialNumber: randomSerialNumber(),
      issuer: name,
      subject: name,
      notBefore: now - BACK_DATED,
      notAfter: now + AUTHORITY_LIFETIME,
      publicKey: spki,
      extensions: [AUTHORITY_CONSTRAINTS, AUTHORITY_USAGE, subjectKeyIdentifier(identifier)],
    },
    privateKey,
  );
  return {
    certificate: toPem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/**
 * Loads an authority of ours or one that the user brought; EC and RSA keys.
 * @throws PkiError with every code but `pki.files`; the message says what is wrong with it
 */
export function loadCertificateAuthority(pem: CertificateAuthorityPem): CertificateAuthority {
  const certificate = parseCertificate(pem.certificate);
  const key = parseKey(pem.key);
  if (!certificate.ca) {
    throw new PkiError(
      'pki.not-an-authority',
      'The certificate is not a certificate authority (basicConstraints CA is missing).',
    );
  }
  if (!certificate.checkPrivateKey(key)) {
    throw new PkiError('pki.key-mismatch', 'The key does not belong to the certificate.');
  }
  signatureAlgorithm(key);
  const fields = readCertificateFields(certificate.raw);
  return {
    certificate,
    pem: toPem('CERTIFICATE', certificate.raw),
    key,
    subject: fields.subject,
    keyIdentifier: fields.subjectKeyIdentifier ?? keyIdentifier(fields.publicKey),
    notAfter: Date.parse(certificate.validTo),
  };
}

/** A key pair for an authority or its leaves. RSA takes tens of milliseconds, P-256 well under one. */
export function generateLeafKeys(keyType: 'ecdsa' | 'rsa'): { publicKey: KeyObject; privateKey: KeyObject } {
  return keyType === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function parseCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error: unknown) {
    throw new PkiError('pki.unreadable', 'The certificate is not readable as PEM.', { cause: error });
  }
}

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error: unknown) {
    throw new PkiError(
      'pki.unreadable',
      'The private key is not readable as PEM; an encrypted key must be decrypted first.',
      {
        cause: error,
      },
    );
  }
}
