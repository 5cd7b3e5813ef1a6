import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { loadCertificateAuthority, type CertificateAuthorityPem } from './certificate-authority.ts';
import { encode, objectIdentifier, readChildren, readElement, type DerElement } from './der.ts';
import { OID } from './object-identifiers.ts';
import { PkiError } from './pki-error.ts';
import { toPem } from './sign-certificate.ts';

const DAY = 86_400_000;
/** Programs refuse shorter ones, whatever they sign. */
const LEAST_RSA_BITS = 2_048;
/** One that ends sooner is of no use to anybody. */
const LEAST_LIFETIME = 7 * DAY;

/** The files that a person gives. */
export interface GivenAuthority {
  /** PEM, DER, or PKCS#12 with the key. */
  readonly certificate: Buffer;
  /** The key, PEM or DER, where it is in a file of its own. */
  readonly key: Buffer | null;
  /** Opens an encrypted key or a PKCS#12 file; empty for none. */
  readonly passphrase: string;
}

/** An authority that may be used, and what there is to say of it. */
export interface ImportedAuthority {
  readonly pem: CertificateAuthorityPem;
  /** Sentences for a person. */
  readonly notices: readonly string[];
}

/**
 * Reads an authority that a person brings, and looks whether it can be used.
 *
 * @param now ms since 1970
 * @throws PkiError with every code but `pki.files`; the message says what is wrong and what to do
 */
export function importAuthority(given: GivenAuthority, now: number): ImportedAuthority {
  const { certificate, key } = isPem(given.certificate) ? readPem(given) : readBinary(given);
  const pem = {
    certificate: toPem('CERTIFICATE', certificate.raw),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  loadCertificateAuthority(pem);
  checkStrength(key);
  return { pem, notices: checkTime(certificate, now) };
}

interface Pair {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

function isPem(bytes: Buffer): boolean {
  return bytes.includes('-----BEGIN ');
}

function readPem({ certificate: bytes, key, passphrase }: GivenAuthority): Pair {
  const text = bytes.toString('latin1');
  const certificate = parseCertificate(text);
  return { certificate, key: parseKey(key ?? bytes, passphrase) };
}

/** A DER certificate beside a key's file, or PKCS#12. */
function readBinary({ certificate: bytes, key, passphrase }: GivenAuthority): Pair {
  if (key !== null) return { certificate: parseCertificate(bytes), key: parseKey(key, passphrase) };
  if (isCertificate(bytes)) {
    throw new PkiError('pki.unreadable', 'The file holds a certificate alone. Name the file of its key too.');
  }
  return readPkcs12(bytes, passphrase);
}

function parseCertificate(source: string | Buffer): X509Certificate {
  try {
    return new X509Certificate(source);
  } catch (error: unknown) {
    throw new PkiError('pki.unreadable', 'The certificate is readable neither as PEM nor as DER.', { cause: error });
  }
}

function isCertificate(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).raw.length > 0;
  } catch {
    return false;
  }
}

function parseKey(bytes: Buffer, passphrase: string): KeyObject {
  const secret = passphrase === '' ? {} : { passphrase };
  const tries = isPem(bytes)
    ? [() => createPrivateKey({ key: privateKeyBlock(bytes), ...secret })]
    : (['pkcs8', 'sec1', 'pkcs1'] as const).map(
        (type) => () => createPrivateKey({ key: bytes, format: 'der', type, ...secret }),
      );
  let cause: unknown = null;
  for (const attempt of tries) {
    try {
      return attempt();
    } catch (error: unknown) {
      if (error instanceof PkiError) throw error;
      cause ??= error;
    }
  }
  throw keyError(cause, bytes.includes('ENCRYPTED'), passphrase);
}

/** A file may hold certificates and parameters around the key. */
function privateKeyBlock(bytes: Buffer): string {
  const found = /-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----[^]*?-----END \1-----/.exec(bytes.toString('latin1'));
  if (found === null) {
    throw new PkiError('pki.unreadable', 'There is no private key in the file. Name the file of the key too.');
  }
  return found[0];
}

function keyError(cause: unknown, encrypted: boolean, passphrase: string): PkiError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (encrypted || /passphrase|password|bad decrypt|interrupted or cancelled/i.test(message)) {
    const what = passphrase === '' ? 'The key is encrypted: give its password.' : 'The password of the key is wrong.';
    return new PkiError('pki.password', what, { cause });
  }
  return new PkiError('pki.unreadable', 'The private key is readable neither as PEM nor as DER.', { cause });
}

/**
 * Certificate and key of a PKCS#12 file. OpenSSL checks its seal and opens its certificates; its key lies in a bag of its own
 * (RFC 7292 §4.2.2), which is an encrypted PKCS#8 key.
 */
function readPkcs12(bytes: Buffer, passphrase: string): Pair {
  let certificate: X509Certificate;
  try {
    certificate = parseCertificate(certificateOfPkcs12(bytes, passphrase));
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    if (/mac verify|password/i.test(message)) {
      const what = passphrase === '' ? 'The file wants a password.' : 'The password of the file is wrong.';
      throw new PkiError('pki.password', what, { cause: error });
    }
    if (/unsupported/i.test(message)) {
      throw new PkiError(
        'pki.unreadable',
        'The file is encrypted in a way that is no longer supported. Convert it: openssl pkcs12 -legacy -in OLD.p12 -nodes -out NEW.pem',
        { cause: error },
      );
    }
    throw new PkiError('pki.unreadable', 'The file is neither PEM nor a certificate nor PKCS#12.', { cause: error });
  }
  const bag = findBag(bytes, readElement(bytes, 0), 0);
  if (bag === null) {
    throw new PkiError(
      'pki.unreadable',
      'The key of the PKCS#12 file is not where it usually is. Convert it: openssl pkcs12 -in OLD.p12 -nodes -out NEW.pem',
    );
  }
  return { certificate, key: parseKey(bag, passphrase) };
}

/** Node reads PKCS#12 into a context and shows the certificate only there, outside of its documented interface. */
function certificateOfPkcs12(bytes: Buffer, passphrase: string): Buffer {
  const { context } = createSecureContext({ pfx: bytes, passphrase }) as {
    readonly context?: { getCertificate?(): unknown };
  };
  const der = context?.getCertificate?.();
  if (!Buffer.isBuffer(der)) throw new Error('no certificate');
  return der;
}

const KEY_BAGS = [OID.shroudedKeyBag, OID.keyBag].map((oid) => encode(objectIdentifier(oid)));
const CONSTRUCTED = 0x20;
const OCTET_STRING = 0x04;
/** A file nests about ten levels deep down to a bag. */
const MOST_DEPTH = 24;

/** The value of the first bag of a key: what stands behind its type. Octet strings hold further structures. */
function findBag(bytes: Buffer, element: DerElement, depth: number): Buffer | null {
  if (depth > MOST_DEPTH) return null;
  const children = childrenOf(bytes, element);
  for (const [at, child] of children.entries()) {
    const type = bytes.subarray(child.start, child.end);
    const value = children[at + 1];
    if (value === undefined || !KEY_BAGS.some((bag) => bag.equals(type))) continue;
    return bytes.subarray(value.contentStart, value.end);
  }
  for (const child of children) {
    const found = findBag(bytes, child, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function childrenOf(bytes: Buffer, element: DerElement): readonly DerElement[] {
  try {
    if ((element.tag & CONSTRUCTED) !== 0) return readChildren(bytes, element);
    return element.tag === OCTET_STRING ? [readElement(bytes, element.contentStart)] : [];
  } catch {
    // Octets that are no structure.
    return [];
  }
}

function checkStrength(key: KeyObject): void {
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (key.asymmetricKeyType !== 'rsa' || bits === undefined || bits >= LEAST_RSA_BITS) return;
  throw new PkiError(
    'pki.weak-key',
    `The RSA key has ${String(bits)} bits; programs refuse fewer than ${String(LEAST_RSA_BITS)}.`,
  );
}

function checkTime(certificate: X509Certificate, now: number): string[] {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
  if (to < now) throw new PkiError('pki.not-valid-now', `The certificate ended on ${day(to)}.`);
  if (from > now) throw new PkiError('pki.not-valid-now', `The certificate is not valid before ${day(from)}.`);
  if (to < now + LEAST_LIFETIME) {
    throw new PkiError('pki.not-valid-now', `The certificate ends on ${day(to)}, within a week. Make a new one.`);
  }
  const notices: string[] = [];
  if (certificate.subject !== certificate.issuer) {
    notices.push(
      'It was issued by another authority. Programs accept its leaves where they trust it itself; that they trust its issuer is enough only if they know both.',
    );
  }
  if (to < now + 30 * DAY) notices.push(`It ends on ${day(to)}.`);
  return notices;
}
