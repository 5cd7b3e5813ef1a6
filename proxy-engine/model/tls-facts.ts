/** One certificate of a chain, as shown to a person. Times are ISO 8601. */
export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly names: readonly string[];
  readonly serialNumber: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** SHA-256 of the DER, upper-case hex with colons. */
  readonly fingerprint: string;
  /** For example `EC P-256` or `RSA 2048`. */
  readonly key: string;
}

/** What one leg's TLS handshake agreed on. */
export interface TlsFacts {
  /** For example `TLSv1.3`. */
  readonly version: string;
  /** IANA name of the cipher suite. */
  readonly cipher: string;
  readonly alpn: string | null;
  readonly sni: string | null;
  readonly resumed: boolean;
  /** Leaf first; the leg's server: the leaf that we forged towards the client, the origin's own chain towards the origin. */
  readonly chain: readonly CertificateFacts[];
  /**
   * False when verification was switched off for this connection (`--insecure`, trusted once); null when nobody knows, as of
   * what another program recorded.
   */
  readonly verified: boolean | null;
  /** Client leg only: fingerprints of the ClientHello. */
  readonly ja3: string | null;
  readonly ja4: string | null;
  /** ALPN names that the client offered; empty on the origin leg. */
  readonly offeredAlpn: readonly string[];
}
