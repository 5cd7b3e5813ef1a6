import { generateKeyPairSync } from 'node:crypto';
import { loadCertificateAuthority, type CertificateAuthorityPem } from './certificate-authority.ts';
import * as extensions from './extensions.ts';
import { leafName } from './leaf-name.ts';
import { distinguishedName, randomSerialNumber, signCertificate, toPem } from './sign-certificate.ts';

const DAY = 86_400_000;

/**
 * A server certificate with a key of its own (ECDSA P-256), for a program that serves TLS itself, such as the origins of a
 * benchmark.
 *
 * @param name host name or address
 * @param now ms since 1970; it is valid from a day before until 30 days after
 * @returns PEM
 * @throws PkiError when the authority is unusable
 */
export function issueCertificate(
  authority: CertificateAuthorityPem,
  name: string,
  now: number,
): { readonly certificate: string; readonly key: string } {
  const issuer = loadCertificateAuthority(authority);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const subject = leafName(name);
  const second = Math.floor(now / 1_000) * 1_000;
  const certificate = signCertificate(
    {
      serialNumber: randomSerialNumber(),
      issuer: issuer.subject,
      subject: distinguishedName(subject.commonName),
      notBefore: second - DAY,
      notAfter: second + 30 * DAY,
      publicKey: spki,
      extensions: [
        extensions.LEAF_CONSTRAINTS,
        extensions.ECDSA_LEAF_USAGE,
        extensions.SERVER_AUTHENTICATION,
        extensions.subjectKeyIdentifier(extensions.keyIdentifier(spki)),
        extensions.authorityKeyIdentifier(issuer.keyIdentifier),
        extensions.subjectAltName([subject.generalName], subject.commonName === null),
      ],
    },
    issuer.key,
  );
  return {
    certificate: toPem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
