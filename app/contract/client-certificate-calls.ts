/** A certificate that Weir shows to origins which ask for one. Its key never leaves the backend. */
export interface ClientCertificateInfo {
  /** Stable for the life of the data folder. */
  readonly id: string;
  /** Hosts that it is for, as in the setting `passthroughHosts`. */
  readonly host: string;
  readonly subject: string;
  /** ISO 8601; empty where it cannot be told. */
  readonly notAfter: string;
  /** SHA-256 of the DER, upper-case hex with colons; empty where it cannot be told. */
  readonly fingerprint: string;
}

/** Longest file of a certificate or a key that is taken, bytes. */
export const MAX_CERTIFICATE_BYTES = 262_144;

interface Certificates {
  readonly certificates: readonly ClientCertificateInfo[];
}

export interface ClientCertificateCalls {
  'clientCertificates.list': { input: Record<string, never>; output: Certificates };
  /**
   * Takes PEM (certificate and key in one file or two) or PKCS #12. Fails with `bad-input` and what is wrong with it. One
   * that is there for the same host is replaced.
   */
  'clientCertificates.add': {
    input: { host: string; certificate: Uint8Array; key: Uint8Array | null; passphrase: string };
    output: Certificates;
  };
  'clientCertificates.remove': { input: { id: string }; output: Certificates };
}
