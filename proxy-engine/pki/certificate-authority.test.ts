import { generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createCertificateAuthority, loadCertificateAuthority } from './certificate-authority.ts';
import { readCertificateFields } from './certificate-fields.ts';
import type { Der } from './der.ts';
import { AUTHORITY_CONSTRAINTS, keyIdentifier, LEAF_CONSTRAINTS } from './extensions.ts';
import { distinguishedName, randomSerialNumber, signCertificate, toPem } from './sign-certificate.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const DAY = 86_400_000;

/** A self-signed certificate as another program might have made it. */
function foreign(
  keys: { publicKey: KeyObject; privateKey: KeyObject },
  extensions: readonly Der[],
): { certificate: string; key: string } {
  const name = distinguishedName('Somebody’s CA');
  const certificate = signCertificate(
    {
      serialNumber: randomSerialNumber(),
      issuer: name,
      subject: name,
      notBefore: NOW,
      notAfter: NOW + DAY,
      publicKey: keys.publicKey.export({ type: 'spki', format: 'der' }),
      extensions,
    },
    keys.privateKey,
  );
  return {
    certificate: toPem('CERTIFICATE', certificate),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('a new authority', () => {
  test.each(['ecdsa', 'rsa'] as const)('with an %s key signs itself and may sign others', (keyType) => {
    const { certificate } = createCertificateAuthority(keyType, NOW);
    const parsed = new X509Certificate(certificate);
    expect(parsed.ca).toBe(true);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.checkIssued(parsed)).toBe(true);
    expect(parsed.publicKey.asymmetricKeyType).toBe(keyType === 'ecdsa' ? 'ec' : 'rsa');
  });

  test('lives ten years and is back-dated two days', () => {
    const parsed = new X509Certificate(createCertificateAuthority('ecdsa', NOW).certificate);
    expect(parsed.validFromDate.getTime()).toBe(NOW - 2 * DAY);
    expect(parsed.validToDate.getTime() - NOW).toBeGreaterThanOrEqual(3_650 * DAY);
  });

  test('is told apart from others of ours by its name', () => {
    const names = [1, 2].map(() => new X509Certificate(createCertificateAuthority('ecdsa', NOW).certificate).subject);
    expect(names[0]).toMatch(/^O=Weir\nCN=Weir CA [0-9a-f]{8}$/);
    expect(names[0]).not.toBe(names[1]);
  });

  test('has a random serial number of at most 20 octets', () => {
    const serials = [1, 2].map(
      () => new X509Certificate(createCertificateAuthority('ecdsa', NOW).certificate).serialNumber,
    );
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(serials[0]).not.toBe(serials[1]);
  });

  test('carries its key identifier', () => {
    const { certificate, key } = createCertificateAuthority('ecdsa', NOW);
    const fields = readCertificateFields(new X509Certificate(certificate).raw);
    expect(fields.subjectKeyIdentifier).toEqual(keyIdentifier(fields.publicKey));
    expect(loadCertificateAuthority({ certificate, key }).keyIdentifier).toEqual(fields.subjectKeyIdentifier);
  });
});

describe('an authority that the user brings', () => {
  test.each([
    ['EC P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['EC P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['RSA 3072', generateKeyPairSync('rsa', { modulusLength: 3_072 })],
  ])('with %s loads', (_kind, keys) => {
    const loaded = loadCertificateAuthority(foreign(keys, [AUTHORITY_CONSTRAINTS]));
    expect(loaded.certificate.subject).toBe('CN=Somebody’s CA');
    expect(loaded.certificate.verify(keys.publicKey)).toBe(true);
  });

  test('without a key identifier gets the one that its key has', () => {
    const keys = p256();
    const spki = keys.publicKey.export({ type: 'spki', format: 'der' });
    expect(loadCertificateAuthority(foreign(keys, [AUTHORITY_CONSTRAINTS])).keyIdentifier).toEqual(keyIdentifier(spki));
  });

  test('in the older key formats loads too', () => {
    const keys = p256();
    const { certificate } = foreign(keys, [AUTHORITY_CONSTRAINTS]);
    const key = keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString();
    expect(loadCertificateAuthority({ certificate, key }).key.asymmetricKeyType).toBe('ec');
  });

  test('is refused when it may not sign others', () => {
    expect(() => loadCertificateAuthority(foreign(p256(), [LEAF_CONSTRAINTS]))).toThrow(
      expect.objectContaining({ code: 'pki.not-an-authority' }),
    );
  });

  test('is refused with the key of another', () => {
    const { certificate } = foreign(p256(), [AUTHORITY_CONSTRAINTS]);
    const { key } = foreign(p256(), [AUTHORITY_CONSTRAINTS]);
    expect(() => loadCertificateAuthority({ certificate, key })).toThrow(
      expect.objectContaining({ code: 'pki.key-mismatch' }),
    );
  });

  test('is refused with a curve that browsers do not verify', () => {
    const odd = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const { certificate } = foreign(p256(), [AUTHORITY_CONSTRAINTS]);
    const key = odd.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => loadCertificateAuthority({ certificate, key })).toThrow(/does not belong/);
    expect(() => foreign(odd, [AUTHORITY_CONSTRAINTS])).toThrow(
      expect.objectContaining({ code: 'pki.unsupported-key' }),
    );
  });

  test.each([
    ['a text that is no certificate', 'hello', ''],
    ['a key that is no key', createCertificateAuthority('ecdsa', NOW).certificate, 'hello'],
  ])('is refused: %s', (_what, certificate, key) => {
    expect(() => loadCertificateAuthority({ certificate, key })).toThrow(
      expect.objectContaining({ code: 'pki.unreadable' }),
    );
  });
});
