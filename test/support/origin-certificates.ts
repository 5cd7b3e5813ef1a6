import {
  createCertificateAuthority,
  generateLeafKeys,
  loadCertificateAuthority,
} from '../../proxy-engine/pki/certificate-authority.ts';
import { subjectAltName } from '../../proxy-engine/pki/extensions.ts';
import { leafName } from '../../proxy-engine/pki/leaf-name.ts';
import {
  distinguishedName,
  randomSerialNumber,
  signCertificate,
  toPem,
} from '../../proxy-engine/pki/sign-certificate.ts';

const DAY = 86_400_000;

const pem = createCertificateAuthority('ecdsa', Date.now());
const authority = loadCertificateAuthority(pem);

/** PEM of the authority that the origins of tests are certified by; nobody trusts it unless told. */
export const ORIGIN_CA = pem.certificate;

export interface OriginCertificateOptions {
  /** Begin and end of validity, days from now. */
  readonly days?: readonly [from: number, to: number];
  /** It names and signs itself. */
  readonly selfSigned?: boolean;
}

/** A certificate for a host name or address, with its key; PEM. */
export function originCertificate(
  name: string,
  options: OriginCertificateOptions = {},
): { readonly cert: string; readonly key: string } {
  const [from, to] = options.days ?? [-1, 30];
  const { publicKey, privateKey } = generateLeafKeys('ecdsa');
  const subject = distinguishedName(name);
  const certificate = signCertificate(
    {
      serialNumber: randomSerialNumber(),
      issuer: options.selfSigned === true ? subject : authority.subject,
      subject,
      notBefore: Date.now() + from * DAY,
      notAfter: Date.now() + to * DAY,
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
      extensions: [subjectAltName([leafName(name).generalName], false)],
    },
    options.selfSigned === true ? privateKey : authority.key,
  );
  return {
    cert: toPem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
