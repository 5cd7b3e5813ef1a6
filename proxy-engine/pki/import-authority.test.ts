import { createPrivateKey, generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCertificateAuthority, type CertificateAuthorityPem } from './certificate-authority.ts';
import { exportAuthorityWithKey } from './export-authority.ts';
import { AUTHORITY_CONSTRAINTS } from './extensions.ts';
import { importAuthority } from './import-authority.ts';
import { issueCertificate } from './issue-certificate.ts';
import { distinguishedName, randomSerialNumber, signCertificate, toPem } from './sign-certificate.ts';

const NOW = Date.parse('2026-03-03T09:41:00Z');
const DAY = 86_400_000;
const authority = createCertificateAuthority('ecdsa', NOW);

function read(certificate: string | Buffer, key: string | Buffer | null = null, passphrase = '', now = NOW) {
  const bytes = (given: string | Buffer): Buffer => (typeof given === 'string' ? Buffer.from(given) : given);
  return importAuthority({ certificate: bytes(certificate), key: key === null ? null : bytes(key), passphrase }, now);
}

function same(pem: CertificateAuthorityPem, other: CertificateAuthorityPem): void {
  expect(new X509Certificate(pem.certificate).fingerprint256).toBe(
    new X509Certificate(other.certificate).fingerprint256,
  );
  expect(createPrivateKey(pem.key).equals(createPrivateKey(other.key))).toBe(true);
}

test('certificate and key are read from two PEM files, from one, and as DER', () => {
  same(read(authority.certificate, authority.key).pem, authority);
  same(read(`${authority.key}\n${authority.certificate}`).pem, authority);
  const der = createPrivateKey(authority.key).export({ type: 'sec1', format: 'der' });
  same(read(new X509Certificate(authority.certificate).raw, der).pem, authority);
});

test.each(['ecdsa', 'rsa'] as const)('an encrypted key and PKCS#12 open with their password alone (%s)', (kind) => {
  const pair = createCertificateAuthority(kind, NOW);
  for (const format of ['pem', 'p12'] as const) {
    const file = exportAuthorityWithKey(pair, format, 'open sesame');
    same(read(file, null, 'open sesame').pem, pair);
    expect(() => read(file, null, 'wrong one')).toThrow(/password .* wrong/);
    expect(() => read(file)).toThrow(/password/);
  }
});

test('what may not or cannot sign is refused, each with its reason', () => {
  const other = createCertificateAuthority('ecdsa', NOW);
  const leaf = issueCertificate(authority, 'example.test', NOW);
  expect(() => read(authority.certificate, other.key)).toThrow('does not belong');
  expect(() => read(leaf.certificate, leaf.key)).toThrow('not a certificate authority');
  expect(() => read(authority.certificate)).toThrow('no private key in the file');
  expect(() => read(new X509Certificate(authority.certificate).raw)).toThrow('certificate alone');
  expect(() => read('hello', authority.key)).toThrow('readable neither');
  expect(() => read(Buffer.from([0x30, 0x03, 0x02, 0x01, 0x03]))).toThrow('neither PEM');
  expect(() => read(authority.certificate, authority.key, '', NOW + 4_000 * DAY)).toThrow('ended on 2036-');
  expect(() => read(authority.certificate, authority.key, '', NOW - 10 * DAY)).toThrow('not valid before');
  expect(() => read(authority.certificate, authority.key, '', NOW + 3_650 * DAY)).toThrow('within a week');
});

test('a weak key is refused, and one that ends soon or was issued by another is told about', () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  expect(() => read(...signed(weak, 'A', 'A', 100 * DAY))).toThrow('1024 bits');
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  expect(read(...signed(pair, 'A', 'B', 20 * DAY)).notices).toHaveLength(2);
  expect(read(authority.certificate, authority.key).notices).toEqual([]);
});

function signed(
  { publicKey, privateKey }: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  subject: string,
  issuer: string,
  lifetime: number,
): [string, string] {
  const certificate = signCertificate(
    {
      serialNumber: randomSerialNumber(),
      issuer: distinguishedName(issuer),
      subject: distinguishedName(subject),
      notBefore: NOW - DAY,
      notAfter: NOW + lifetime,
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
      extensions: [AUTHORITY_CONSTRAINTS],
    },
    privateKey,
  );
  return [toPem('CERTIFICATE', certificate), privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()];
}
