import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a certificate for `localhost` and the loopback addresses, and of the authority that signed it. PEM. */
export interface OriginCertificate {
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * Makes an authority and a server certificate with OpenSSL, so that what origins present does not come from the code that
 * is measured or tested.
 *
 * @param folder existing folder that receives the files
 * @throws when `openssl` is not installed
 */
export function createOriginCertificate(folder: string): OriginCertificate {
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const caFile = file('origin-ca.pem');
  const certificateFile = file('origin.pem');
  const keyFile = file('origin-key.pem');
  const caKey = file('origin-ca-key.pem');
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    caKey,
    '-out',
    caFile,
    '-days',
    '30',
    '-subj',
    '/CN=Origin test authority',
  );
  openssl('req', ...newKey, '-keyout', keyFile, '-out', file('origin.csr'), '-subj', '/CN=localhost');
  writeFileSync(
    file('origin.ext'),
    'subjectAltName=DNS:localhost,DNS:*.origin.test,IP:127.0.0.1,IP:::1\nbasicConstraints=CA:FALSE\n',
  );
  const signer = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial', '-extfile', file('origin.ext')];
  openssl('x509', '-req', '-in', file('origin.csr'), ...signer, '-out', certificateFile, '-days', '30');
  return { caFile, certificateFile, keyFile };
}
