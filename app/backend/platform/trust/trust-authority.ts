import { X509Certificate } from 'node:crypto';
import { splitCertificates } from '../system-roots.ts';
import type { StoredAuthority, TrustAuthority } from './trust-store.ts';

/** Begins the name of every authority that a Weir makes, and every nickname that it gives one. */
export const AUTHORITY_NAME = 'Weir CA';

/** Instead of a fingerprint: whatever its name is, it was put there by a Weir. */
export const EVERY_CERTIFICATE = '*';

/** @param pem the certificate @param file where it lies */
export function trustAuthority(pem: string, file: string): TrustAuthority {
  const certificate = new X509Certificate(pem);
  const name = commonName(certificate);
  const short = certificate.fingerprint256.replaceAll(':', '').slice(0, 8).toLowerCase();
  return {
    pem: certificate.toString(),
    file,
    fingerprint: certificate.fingerprint256,
    sha1: certificate.fingerprint.replaceAll(':', ''),
    // An authority that the person brought has a name of its own.
    nickname: name.startsWith(AUTHORITY_NAME) ? name : `${AUTHORITY_NAME} ${short}`,
  };
}

/**
 * The authorities of a Weir among the certificates of a PEM text: those that are named so, and the given one whatever its
 * name is.
 *
 * @param known its fingerprint; `EVERY_CERTIFICATE` where only authorities of a Weir can stand
 * @param handle what the store removes one by
 */
export function authoritiesIn(
  pem: string,
  known: string | null,
  handle: (certificate: X509Certificate) => string,
): StoredAuthority[] {
  const stored: StoredAuthority[] = [];
  for (const text of splitCertificates(pem)) {
    const certificate = parse(text);
    if (certificate === null) continue;
    const { fingerprint256: fingerprint } = certificate;
    if (known !== EVERY_CERTIFICATE && fingerprint !== known && !commonName(certificate).startsWith(AUTHORITY_NAME))
      continue;
    stored.push({ fingerprint, handle: handle(certificate), trusted: true });
  }
  return stored;
}

function commonName(certificate: X509Certificate): string {
  return /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? '';
}

function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    // Roots with fields that OpenSSL refuses are nobody's of ours.
    return null;
  }
}
