import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';

/** Where distributions keep the certificates that the machine trusts, as one file. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Ubuntu, Arch, Alpine
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem', // Fedora, RHEL
  '/etc/ssl/ca-bundle.pem', // openSUSE
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/cert.pem',
];

/**
 * The root certificates that this machine trusts, PEM, one text each: the distribution's bundle on Linux, the keychain or
 * certificate store elsewhere; Mozilla's list as Node carries it when the machine has none.
 *
 * @param platform as `process.platform`
 */
export async function systemRoots(platform: string): Promise<string[]> {
  if (platform !== 'darwin' && platform !== 'win32') {
    for (const bundle of BUNDLES) {
      const roots = await readCertificates(bundle);
      if (roots.length > 0) return roots;
    }
    return getCACertificates('bundled');
  }
  const roots = getCACertificates('system');
  return roots.length > 0 ? roots : getCACertificates('bundled');
}

/** The certificates in a PEM file; none when it cannot be read. */
export async function readCertificates(path: string): Promise<string[]> {
  return splitCertificates(await readFile(path, 'utf8').catch(() => ''));
}

/** The certificates of a PEM text, each with its frame and nothing around it. */
export function splitCertificates(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}
