import type { KeyObject, X509Certificate } from 'node:crypto';
import type { CertificateFacts } from '../model/tls-facts.ts';

/** Longest chain that is followed; peers may send certificates that name each other. */
const MAX_CHAIN = 10;

/**
 * What a person wants to know of a certificate. Never throws on odd contents: what cannot be read is an empty text.
 * @param certificate as Node parsed it
 */
export function certificateFacts(certificate: X509Certificate): CertificateFacts {
  return {
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    names: alternativeNames(certificate.subjectAltName),
    serialNumber: certificate.serialNumber,
    notBefore: isoTime(certificate.validFrom),
    notAfter: isoTime(certificate.validTo),
    fingerprint: certificate.fingerprint256,
    key: publicKeyText(certificate),
  };
}

/**
 * Facts of a peer's chain, leaf first, as far as it was sent or is known.
 * @param leaf from `TLSSocket.getPeerX509Certificate()`
 */
export function chainFacts(leaf: X509Certificate): CertificateFacts[] {
  const chain: CertificateFacts[] = [];
  let certificate: X509Certificate | undefined = leaf;
  while (certificate !== undefined && chain.length < MAX_CHAIN) {
    const facts = certificateFacts(certificate);
    if (chain.some((known) => known.fingerprint === facts.fingerprint)) break;
    chain.push(facts);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

/** For example `EC P-256` or `RSA 2048`. */
export function keyText(key: KeyObject): string {
  const details = key.asymmetricKeyDetails;
  switch (key.asymmetricKeyType) {
    case 'ec':
      return `EC ${CURVE_NAMES.get(details?.namedCurve ?? '') ?? details?.namedCurve ?? ''}`.trim();
    case 'rsa':
    case 'rsa-pss':
      return `RSA ${details?.modulusLength ?? ''}`.trim();
    default:
      return (key.asymmetricKeyType ?? '').toUpperCase();
  }
}

const CURVE_NAMES: ReadonlyMap<string, string> = new Map([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
]);

function publicKeyText(certificate: X509Certificate): string {
  try {
    return keyText(certificate.publicKey);
  } catch {
    // Node throws for keys that it does not know.
    return '';
  }
}

/** Node separates the parts of a name by line feeds. */
function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').filter(Boolean).join(', ');
}

/** `DNS:a.example, IP Address:10.0.0.1`: a value that holds odd characters is written as a JSON string. */
function alternativeNames(text: string | undefined): string[] {
  const names: string[] = [];
  for (const [, quoted, plain] of (text ?? '').matchAll(/[A-Za-z0-9 ]+:(?:("(?:[^"\\]|\\.)*")|([^,]*))(?:, |$)/g)) {
    names.push(quoted === undefined ? (plain ?? '') : unquote(quoted));
  }
  return names;
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

function isoTime(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}
