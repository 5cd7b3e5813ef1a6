import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import type { CertificateFacts } from '../model/tls-facts.ts';
import type { CertificateAuthorityPem } from './certificate-authority.ts';
import { certificateFacts } from './certificate-facts.ts';
import { encodePkcs12 } from './pkcs12.ts';
import { PkiError } from './pki-error.ts';
import { toPem } from './sign-certificate.ts';

const DAY = 86_400_000;
const SHORTEST_PASSWORD = 4;

export type AuthorityFormat = 'pem' | 'der' | 'p12';

/** What a person wants to know of an authority. */
export interface AuthorityFacts extends CertificateFacts {
  /** Whole days until it ends; negative when it has. */
  readonly daysLeft: number;
}

/** @param certificate PEM @param now ms since 1970 */
export function authorityFacts(certificate: string, now: number): AuthorityFacts {
  const facts = certificateFacts(new X509Certificate(certificate));
  return { ...facts, daysLeft: Math.floor((Date.parse(facts.notAfter) - now) / DAY) };
}

/** The certificate without its key, for clients that shall trust it. @param certificate PEM */
export function exportAuthority(certificate: string, format: AuthorityFormat): Buffer {
  const bytes = new X509Certificate(certificate).raw;
  switch (format) {
    case 'pem':
      return Buffer.from(toPem('CERTIFICATE', bytes));
    case 'der':
      return bytes;
    case 'p12':
      return encodePkcs12({ certificates: [{ bytes, name: 'weir-ca' }], key: null, password: '' });
  }
}

/**
 * Certificate and key together, the key under a password: the only way in which it leaves Weir.
 * @throws PkiError `pki.password` when the password is shorter than four characters
 */
export function exportAuthorityWithKey(pem: CertificateAuthorityPem, format: 'pem' | 'p12', password: string): Buffer {
  if (password.length < SHORTEST_PASSWORD) {
    throw new PkiError(
      'pki.password',
      `The key leaves only under a password of at least ${SHORTEST_PASSWORD} characters.`,
    );
  }
  const key = createPrivateKey(pem.key);
  if (format === 'p12') {
    const bytes = new X509Certificate(pem.certificate).raw;
    return encodePkcs12({
      certificates: [{ bytes, name: 'weir-ca' }],
      key: key.export({ type: 'pkcs8', format: 'der' }),
      password,
    });
  }
  const encrypted = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: password });
  return Buffer.from(pem.certificate + encrypted.toString());
}

/**
 * SHA-256 of a certificate's public key, base64: what Chromium's `--ignore-certificate-errors-spki-list` takes.
 * @param certificate PEM
 */
export function publicKeyHash(certificate: string): string {
  const spki = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('base64');
}
