import { createHash, hkdfSync, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { EngineCertificates } from '../model/engine-config.ts';
import type { CertificateFacts } from '../model/tls-facts.ts';
import {
  BACK_DATED,
  generateLeafKeys,
  loadCertificateAuthority,
  type CertificateAuthority,
  type CertificateAuthorityPem,
} from './certificate-authority.ts';
import { certificateFacts, keyText } from './certificate-facts.ts';
import type { Der } from './der.ts';
import * as extensions from './extensions.ts';
import { canonicalName, leafName } from './leaf-name.ts';
import { distinguishedName, randomSerialNumber, signCertificate, toPem } from './sign-certificate.ts';

const DAY = 86_400_000;
/** Just under 197 days, back-dating included: what strict clients accept from March 2026 on is 200. */
const LEAF_LIFETIME = 197 * DAY - 1_000;
/** A leaf that ends sooner than this is forged anew. */
const RENEW_BEFORE = 7 * DAY;
/** A TLS context with its certificate takes about 50 KiB, and a new one a fraction of a millisecond. */
const DEFAULT_CAPACITY = 256;

export type LeafKey = EngineCertificates['leafKey'];

/** A certificate with its key, ready to serve a TLS handshake. */
export interface Leaf {
  readonly context: SecureContext;
  /** What is presented: the leaf, then the authority. */
  readonly chain: readonly CertificateFacts[];
}

/** Forges leaves for one authority. */
export interface LeafForge {
  /**
   * The leaf for a host name or address, from the cache or new (about a third of a millisecond). Synchronous, and never
   * throws on a name.
   * @param name SNI, else the CONNECT host, else the listener's address
   * @param key other than the configured kind, for clients that cannot verify it (see `acceptsEcdsa`)
   */
  leafFor(name: string, key?: LeafKey): Leaf;
  /** Signs with another authority from now on; sessions that began under the old one are not resumed. @throws PkiError */
  useAuthority(authority: CertificateAuthorityPem): void;
  /** The user's own certificate for reverse listeners and TLS to the proxy itself; null when none is configured. */
  readonly own: Leaf | null;
}

export interface LeafForgeOptions {
  /**
   * Random text that all workers of one backend share: tickets of one are then resumed by the others. Without it tickets
   * are good for this forge alone.
   */
  readonly instance?: string;
  /** ms since 1970. */
  readonly now?: () => number;
  /** Most leaves kept. */
  readonly capacity?: number;
}

interface CachedLeaf extends Leaf {
  readonly renewAt: number;
}

interface LeafKeys {
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
  readonly pem: string;
  readonly text: string;
  readonly extensions: readonly Der[];
}

/** @throws PkiError when the authority's or the own certificate is unusable */
export function createLeafForge(certificates: EngineCertificates, options: LeafForgeOptions = {}): LeafForge {
  return new CachingLeafForge(certificates, options);
}

class CachingLeafForge implements LeafForge {
  readonly own: Leaf | null;
  #authority: CertificateAuthority;
  #authorityFacts: CertificateFacts;
  readonly #defaultKey: LeafKey;
  readonly #instance: string;
  #ticketKeys: Buffer;
  readonly #now: () => number;
  readonly #capacity: number;
  readonly #keys = new Map<LeafKey, LeafKeys>();
  /** By key kind and name; the order of insertion is the order of use, oldest first. */
  readonly #leaves = new Map<string, CachedLeaf>();

  constructor(certificates: EngineCertificates, options: LeafForgeOptions) {
    this.#authority = loadCertificateAuthority({ certificate: certificates.caCertificate, key: certificates.caKey });
    this.#authorityFacts = certificateFacts(this.#authority.certificate);
    this.#defaultKey = certificates.leafKey;
    this.#instance = options.instance ?? createHash('sha256').update(randomSerialNumber()).digest('hex');
    this.#ticketKeys = ticketKeys(this.#authority.key, this.#instance);
    this.#now = options.now ?? Date.now;
    this.#capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.own = certificates.own === null ? null : this.#ownLeaf(certificates.own.certificate, certificates.own.key);
    // The first key and the first leaf cost several times a later one; better now than in front of a client.
    this.leafFor('weir.test');
  }

  useAuthority(authority: CertificateAuthorityPem): void {
    this.#authority = loadCertificateAuthority(authority);
    this.#authorityFacts = certificateFacts(this.#authority.certificate);
    this.#ticketKeys = ticketKeys(this.#authority.key, this.#instance);
    this.#leaves.clear();
    this.leafFor('weir.test');
  }

  leafFor(name: string, key: LeafKey = this.#defaultKey): Leaf {
    const cacheKey = `${key} ${canonicalName(name)}`;
    const known = this.#leaves.get(cacheKey);
    const now = this.#now();
    if (known !== undefined) {
      this.#leaves.delete(cacheKey);
      if (now < known.renewAt) {
        this.#leaves.set(cacheKey, known);
        return known;
      }
    }
    const leaf = this.#forge(name, key, now);
    this.#leaves.set(cacheKey, leaf);
    if (this.#leaves.size > this.#capacity) {
      const [oldest] = this.#leaves.keys();
      if (oldest !== undefined) this.#leaves.delete(oldest);
    }
    return leaf;
  }

  #forge(wanted: string, keyKind: LeafKey, now: number): CachedLeaf {
    const name = leafName(wanted);
    const keys = this.#keysFor(keyKind);
    const serialNumber = randomSerialNumber();
    // Whole seconds, as the certificate will have them.
    const notBefore = Math.floor((now - BACK_DATED) / 1_000) * 1_000;
    const notAfter = notBefore + LEAF_LIFETIME;
    const certificate = signCertificate(
      {
        serialNumber,
        issuer: this.#authority.subject,
        subject: distinguishedName(name.commonName),
        notBefore,
        notAfter,
        publicKey: keys.spki,
        extensions: [
          ...keys.extensions,
          extensions.authorityKeyIdentifier(this.#authority.keyIdentifier),
          extensions.subjectAltName([name.generalName], name.commonName === null),
        ],
      },
      this.#authority.key,
    );
    const facts: CertificateFacts = {
      subject: name.commonName === null ? '' : `CN=${name.commonName}`,
      issuer: this.#authorityFacts.subject,
      names: [name.text],
      serialNumber: serialNumber.toString('hex').toUpperCase(),
      notBefore: new Date(notBefore).toISOString(),
      notAfter: new Date(notAfter).toISOString(),
      fingerprint: fingerprint(certificate),
      key: keys.text,
    };
    // The authority goes along: a browser that was told to trust its key looks for it among the certificates sent.
    const context = this.#context(toPem('CERTIFICATE', certificate) + this.#authority.pem, keys.pem, name.text);
    return { context, chain: [facts, this.#authorityFacts], renewAt: notAfter - RENEW_BEFORE };
  }

  #keysFor(kind: LeafKey): LeafKeys {
    const known = this.#keys.get(kind);
    if (known !== undefined) return known;
    const { publicKey, privateKey } = generateLeafKeys(kind);
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    const keys: LeafKeys = {
      spki,
      pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      text: keyText(publicKey),
      extensions: [
        extensions.LEAF_CONSTRAINTS,
        kind === 'rsa' ? extensions.RSA_LEAF_USAGE : extensions.ECDSA_LEAF_USAGE,
        extensions.SERVER_AUTHENTICATION,
        extensions.subjectKeyIdentifier(extensions.keyIdentifier(spki)),
      ],
    };
    this.#keys.set(kind, keys);
    return keys;
  }

  #ownLeaf(certificate: string, key: string): Leaf {
    const chain = splitPem(certificate).map((pem) => certificateFacts(new X509Certificate(pem)));
    return { context: this.#context(certificate, key, 'own certificate'), chain };
  }

  /**
   * Contexts share their ticket keys, so that a session survives the eviction and renewal of its leaf; the session id
   * context holds each name's tickets apart, so that none is ever resumed under another name.
   */
  #context(certificate: string, key: string, name: string): SecureContext {
    return createSecureContext({
      cert: certificate,
      key,
      // No client certificates are asked for: an empty list spares each context the system's roots.
      ca: [],
      ticketKeys: this.#ticketKeys,
      sessionIdContext: createHash('sha256').update(name).digest('base64').slice(0, 32),
    });
  }
}

/** 48 bytes from what only this backend's workers know together. */
function ticketKeys(key: KeyObject, instance: string): Buffer {
  const secret = key.export({ type: 'pkcs8', format: 'der' });
  return Buffer.from(hkdfSync('sha256', secret, instance, 'weir session tickets', 48));
}

function fingerprint(certificate: Buffer): string {
  const hex = createHash('sha256').update(certificate).digest('hex').toUpperCase();
  return hex.replace(/..(?=.)/g, '$&:');
}

function splitPem(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
}
