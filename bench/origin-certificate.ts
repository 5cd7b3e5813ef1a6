import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificateAuthority, issueCertificate } from '#engine';
import { NEW_NAMES_DOMAIN } from './origin-names.ts';

/** PEM files of a certificate for `localhost`, of one for made-up hosts, and of the authority that signed them. */
export interface CertificateFiles {
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly newNamesCertificateFile: string;
  readonly newNamesKeyFile: string;
}

/**
 * Makes an authority and certificates for the origins and fronts of a run, so that nothing needs to be installed for it.
 *
 * @param folder existing folder that receives the files
 */
export function makeCertificate(folder: string): CertificateFiles {
  const now = Date.now();
  const authority = createCertificateAuthority('ecdsa', now);
  const own = issueCertificate(authority, 'localhost', now);
  const made = issueCertificate(authority, `*.${NEW_NAMES_DOMAIN}`, now);
  const files = {
    caFile: join(folder, 'ca.pem'),
    certificateFile: join(folder, 'origin.pem'),
    keyFile: join(folder, 'origin-key.pem'),
    newNamesCertificateFile: join(folder, 'new-names.pem'),
    newNamesKeyFile: join(folder, 'new-names-key.pem'),
  };
  writeFileSync(files.caFile, authority.certificate);
  writeFileSync(files.certificateFile, own.certificate);
  writeFileSync(files.keyFile, own.key, { mode: 0o600 });
  writeFileSync(files.newNamesCertificateFile, made.certificate);
  writeFileSync(files.newNamesKeyFile, made.key, { mode: 0o600 });
  return files;
}
