import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateFacts, chainFacts } from './certificate-facts.ts';
import * as der from './der.ts';
import { subjectAltName } from './extensions.ts';
import { distinguishedName, signCertificate } from './sign-certificate.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });

function certificateWith(names: readonly der.Der[]): X509Certificate {
  return new X509Certificate(
    signCertificate(
      {
        serialNumber: Buffer.from([0x4a, 1]),
        issuer: distinguishedName('An Issuer', 'An Organization'),
        subject: distinguishedName('A Subject'),
        notBefore: Date.UTC(2026, 0, 1),
        notAfter: Date.UTC(2026, 1, 1),
        publicKey: keys.publicKey.export({ type: 'spki', format: 'der' }),
        extensions: [subjectAltName(names, false)],
      },
      keys.privateKey,
    ),
  );
}

const dns = (name: string): der.Der => der.primitiveTag(2, Buffer.from(name, 'latin1'));

test('a certificate is described in plain words', () => {
  const facts = certificateFacts(certificateWith([dns('a.example'), der.primitiveTag(7, Buffer.from([10, 0, 0, 1]))]));
  expect(facts).toMatchObject({
    subject: 'CN=A Subject',
    issuer: 'O=An Organization, CN=An Issuer',
    names: ['a.example', '10.0.0.1'],
    serialNumber: '4A01',
    notBefore: '2026-01-01T00:00:00.000Z',
    notAfter: '2026-02-01T00:00:00.000Z',
    key: 'RSA 2048',
  });
  expect(facts.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
});

test('a name that tries to look like two stays one', () => {
  const facts = certificateFacts(certificateWith([dns('a.example, DNS:victim.example'), dns('b.example')]));
  expect(facts.names).toEqual(['a.example, DNS:victim.example', 'b.example']);
});

test('a chain that leads back to itself ends', () => {
  const certificate = certificateWith([dns('a.example')]);
  Object.defineProperty(certificate, 'issuerCertificate', { value: certificate });
  expect(chainFacts(certificate)).toHaveLength(1);
});
