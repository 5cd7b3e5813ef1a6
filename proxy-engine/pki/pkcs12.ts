import { createCipheriv, createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import * as der from './der.ts';
import { OID } from './object-identifiers.ts';

/** One certificate of a PKCS#12 file. */
export interface Pkcs12Certificate {
  /** DER. */
  readonly bytes: Buffer;
  /** Friendly name; Java calls it the alias, and two of a file must differ. */
  readonly name: string;
}

/** What a PKCS#12 file holds. */
export interface Pkcs12Content {
  readonly certificates: readonly Pkcs12Certificate[];
  /** PKCS#8 PrivateKeyInfo of the first certificate, DER; null for a file of certificates alone. */
  readonly key: Buffer | null;
  /** Protects the key and seals the file; may be empty when there is no key. */
  readonly password: string;
}

/** Guessing a password costs this many rounds a try, for the key as for the seal. */
const ROUNDS_WITH_KEY = 100_000;
/** The seal of a file without secrets only tells damage. */
const ROUNDS_WITHOUT_KEY = 2_048;

/**
 * Writes a PKCS#12 file (RFC 7292): certificates in the clear, the key under PBES2 (PBKDF2 with HMAC-SHA-256, AES-256),
 * sealed by HMAC-SHA-256. Certificates carry the attribute by which Java takes them as trusted.
 */
export function encodePkcs12(content: Pkcs12Content): Buffer {
  const rounds = content.key === null ? ROUNDS_WITHOUT_KEY : ROUNDS_WITH_KEY;
  const localKeyId =
    content.key === null
      ? null
      : createHash('sha1')
          .update(content.certificates[0]?.bytes ?? '')
          .digest();
  const bags = content.certificates.map((certificate, index) =>
    certificateBag(certificate, index === 0 ? localKeyId : null),
  );
  const parts = [dataInfo(der.sequence(...bags))];
  if (content.key !== null && localKeyId !== null) {
    const name = content.certificates[0]?.name ?? '';
    parts.push(dataInfo(der.sequence(keyBag(content.key, content.password, rounds, name, localKeyId))));
  }
  const safe = der.sequence(...parts);
  return der.encode(der.sequence(der.integer(3), dataInfo(safe), seal(der.encode(safe), content.password, rounds)));
}

/** ContentInfo of type data (RFC 5652 §4). */
function dataInfo(content: der.Der): der.Der {
  return der.sequence(der.objectIdentifier(OID.data), der.constructedTag(0, der.octetString(der.encode(content))));
}

function certificateBag(certificate: Pkcs12Certificate, localKeyId: Buffer | null): der.Der {
  const value = der.sequence(
    der.objectIdentifier(OID.x509Certificate),
    der.constructedTag(0, der.octetString(certificate.bytes)),
  );
  // Only certificates without a key of ours are there to be trusted.
  const last =
    localKeyId === null
      ? attribute(OID.trustedKeyUsage, der.objectIdentifier(OID.anyExtendedKeyUsage))
      : attribute(OID.localKeyId, der.octetString(localKeyId));
  return bag(OID.certificateBag, value, certificate.name, last);
}

function keyBag(key: Buffer, password: string, rounds: number, name: string, localKeyId: Buffer): der.Der {
  const salt = randomBytes(16);
  const vector = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync(password, salt, rounds, 32, 'sha256'), vector);
  const encrypted = Buffer.concat([cipher.update(key), cipher.final()]);
  const derivation = der.sequence(
    der.objectIdentifier(OID.pbkdf2),
    der.sequence(
      der.octetString(salt),
      der.integer(rounds),
      der.integer(32),
      der.sequence(der.objectIdentifier(OID.hmacWithSha256), der.NULL),
    ),
  );
  const encryption = der.sequence(der.objectIdentifier(OID.aes256Cbc), der.octetString(vector));
  const algorithm = der.sequence(der.objectIdentifier(OID.pbes2), der.sequence(derivation, encryption));
  const value = der.sequence(algorithm, der.octetString(encrypted));
  return bag(OID.shroudedKeyBag, value, name, attribute(OID.localKeyId, der.octetString(localKeyId)));
}

function bag(type: string, value: der.Der, name: string, lastAttribute: der.Der): der.Der {
  const attributes = [attribute(OID.friendlyName, der.bmpString(name)), lastAttribute];
  // DER sorts the members of a set by their encodings.
  attributes.sort((one, other) => Buffer.compare(der.encode(one), der.encode(other)));
  return der.sequence(der.objectIdentifier(type), der.constructedTag(0, value), der.set(...attributes));
}

function attribute(type: string, value: der.Der): der.Der {
  return der.sequence(der.objectIdentifier(type), der.set(value));
}

/** MacData over the authenticated safe (RFC 7292 §4). */
function seal(safe: Buffer, password: string, rounds: number): der.Der {
  const salt = randomBytes(16);
  const digest = createHmac('sha256', sealingKey(password, salt, rounds))
    .update(safe)
    .digest();
  const algorithm = der.sequence(der.objectIdentifier(OID.sha256), der.NULL);
  return der.sequence(der.sequence(algorithm, der.octetString(digest)), der.octetString(salt), der.integer(rounds));
}

/** RFC 7292 appendix B.2 with SHA-256 and purpose 3 (integrity); one block is all that HMAC needs. */
function sealingKey(password: string, salt: Buffer, rounds: number): Buffer {
  const block = 64;
  const secret = Buffer.from(`${password}\0`, 'utf16le').swap16();
  let hash = createHash('sha256')
    .update(Buffer.alloc(block, 3))
    .update(repeated(salt, block))
    .update(repeated(secret, block))
    .digest();
  for (let round = 1; round < rounds; round += 1) hash = createHash('sha256').update(hash).digest();
  return hash;
}

/** As many whole repetitions as fill the next multiple of `block`. */
function repeated(bytes: Buffer, block: number): Buffer {
  return Buffer.alloc(block * Math.ceil(bytes.length / block), bytes);
}
