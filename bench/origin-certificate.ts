import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificateAuthority, issueCertificate } from '#engine';

/** PEM files of a certificate for `localhost`, and of the authority that signed it. */
export interface CertificateFiles {
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * Makes an authority and a certificate for the origins and fronts of a run, so that nothing needs to be installed for it.
 *
 * @param folder existing folder that receives the files
 */
export function makeCertificate(folder: string): CertificateFiles {
  const now = Date.now();
  const authority = createCertificateAuthority('ecdsa', now);
  const { certificate, key } = issueCertificate(authority, 'localhost', now);
  const files = {
    caFile: join(folder, 'ca.pem'),
    certificateFile: join(folder, 'origin.pem'),
    keyFile: join(folder, 'origin-key.pem'),
  };
  writeFileSync(files.caFile, authority.certificate);
  writeFileSync(files.certificateFile, certificate);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}
