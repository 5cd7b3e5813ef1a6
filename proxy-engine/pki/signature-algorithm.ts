import type { KeyObject } from 'node:crypto';
import { NULL, objectIdentifier, sequence, type Der } from './der.ts';
import { OID } from './object-identifiers.ts';
import { PkiError } from './pki-error.ts';

/** How a key signs certificates. */
export interface SignatureAlgorithm {
  /** Digest name for `node:crypto`. */
  readonly digest: string;
  /** AlgorithmIdentifier. */
  readonly identifier: Der;
}

const ECDSA = new Map<string, SignatureAlgorithm>([
  ['prime256v1', { digest: 'sha256', identifier: sequence(objectIdentifier(OID.ecdsaWithSha256)) }],
  ['secp384r1', { digest: 'sha384', identifier: sequence(objectIdentifier(OID.ecdsaWithSha384)) }],
  ['secp521r1', { digest: 'sha512', identifier: sequence(objectIdentifier(OID.ecdsaWithSha512)) }],
]);

const RSA: SignatureAlgorithm = { digest: 'sha256', identifier: sequence(objectIdentifier(OID.sha256WithRsa), NULL) };

/**
 * The algorithm that a key signs with: SHA-256 for RSA, the hash of the curve's strength for ECDSA (RFC 5480 §4).
 * @throws PkiError `pki.unsupported-key` for other keys
 */
export function signatureAlgorithm(key: KeyObject): SignatureAlgorithm {
  const type = key.asymmetricKeyType ?? 'secret';
  if (type === 'rsa') return RSA;
  const curve = key.asymmetricKeyDetails?.namedCurve ?? '';
  const algorithm = type === 'ec' ? ECDSA.get(curve) : undefined;
  if (algorithm !== undefined) return algorithm;
  const what = type === 'ec' ? `EC ${curve}` : type;
  throw new PkiError(
    'pki.unsupported-key',
    `A key of kind ${what} cannot sign certificates here; use EC P-256, P-384, P-521 or RSA.`,
  );
}
