import { createPrivateKey, createHash, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { createCertificateAuthority } from './certificate-authority.ts';
import { authorityFacts, exportAuthority, exportAuthorityWithKey, publicKeyHash } from './export-authority.ts';

const NOW = Date.UTC(2026, 5, 15);
const DAY = 86_400_000;
const authority = createCertificateAuthority('ecdsa', NOW);
const { raw } = new X509Certificate(authority.certificate);
const keyBytes = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' });

describe('without the key', () => {
  test('PEM and DER are the certificate', () => {
    expect(exportAuthority(authority.certificate, 'pem').toString()).toBe(authority.certificate);
    expect(exportAuthority(authority.certificate, 'der')).toEqual(raw);
  });

  test('PKCS#12 holds the certificate and nothing of the key', () => {
    const bytes = exportAuthority(authority.certificate, 'p12');
    expect(bytes.includes(raw)).toBe(true);
    // No shrouded and no plain key bag.
    expect(bytes.includes(Buffer.from('060b2a864886f70d010c0a0102', 'hex'))).toBe(false);
    expect(bytes.includes(Buffer.from('060b2a864886f70d010c0a0101', 'hex'))).toBe(false);
  });
});

describe('with the key', () => {
  test.each(['ecdsa', 'rsa'] as const)('a PKCS#12 file with an %s key opens with its password', (keyType) => {
    const pem = createCertificateAuthority(keyType, NOW);
    const pfx = exportAuthorityWithKey(pem, 'p12', 'pässword');
    expect(() => createSecureContext({ pfx, passphrase: 'pässword' })).not.toThrow();
    expect(() => createSecureContext({ pfx, passphrase: 'password' })).toThrow(/mac verify/i);
  });

  test('no byte of the key stands in the clear', () => {
    const secret = keyBytes.subarray(36, 68);
    expect(keyBytes.includes(secret)).toBe(true);
    expect(exportAuthorityWithKey(authority, 'p12', 'secret').includes(secret)).toBe(false);
  });

  test('PEM has the key under the password', () => {
    const text = exportAuthorityWithKey(authority, 'pem', 'secret').toString();
    expect(text).toContain('-----BEGIN ENCRYPTED PRIVATE KEY-----');
    const key = createPrivateKey({ key: text.slice(text.indexOf('-----BEGIN ENC')), passphrase: 'secret' });
    expect(key.export({ type: 'pkcs8', format: 'der' })).toEqual(keyBytes);
  });

  test('a short password is refused', () => {
    expect(() => exportAuthorityWithKey(authority, 'p12', '')).toThrow(
      expect.objectContaining({ code: 'pki.password' }),
    );
  });
});

describe('facts', () => {
  test('say how long it lives', () => {
    const facts = authorityFacts(authority.certificate, NOW + 3_640.5 * DAY);
    expect(facts.subject).toMatch(/^O=Weir, CN=Weir CA /);
    expect(facts.daysLeft).toBe(11);
    expect(authorityFacts(authority.certificate, NOW + 3_700 * DAY).daysLeft).toBe(-48);
  });

  test('the public key hash is what Chromium compares', () => {
    const { publicKey } = new X509Certificate(authority.certificate);
    const expected = createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64');
    expect(publicKeyHash(authority.certificate)).toBe(expected);
  });
});
