import type { CertificateAuthorityInfo } from './calls.ts';

/** An authority that was in use before and lies beside the one in use. */
export interface KeptAuthorityInfo {
  /** Names it in the calls below: its folder in the data folder. */
  readonly name: string;
  readonly subject: string;
  readonly notAfter: string;
  readonly fingerprint: string;
}

/** A store of trust in which an old authority is still trusted. */
export interface LeftTrust {
  readonly store: string;
  readonly name: string;
  /** Weir may change it itself; otherwise a person runs the lines. */
  readonly changeable: boolean;
  /** The line that installs the one in use. */
  readonly trustLine: string;
  /** The line that takes the old one out. */
  readonly untrustLine: string;
}

/** Another authority is in use. */
export interface AuthorityChange {
  readonly authority: CertificateAuthorityInfo;
  readonly kept: KeptAuthorityInfo;
  /** Where the old one is trusted. */
  readonly left: readonly LeftTrust[];
  /** Sentences for a person. */
  readonly notices: readonly string[];
}

/** What became of one store when trust moved. */
export interface MovedTrust {
  readonly name: string;
  /** Null when it trusts the one in use and no longer the old one; else what to do. */
  readonly problem: string | null;
}

/** Calls that change which authority signs. Its key goes in by `ca.import` and never comes out. */
export interface AuthorityCalls {
  /** Makes a new authority; running engines use it from the next connection on. Fails with `unavailable`. */
  'ca.rotate': { input: Record<string, never>; output: AuthorityChange };
  /**
   * Takes an authority that the person brings: PEM (certificate and key in one file or two), DER with a key's file, or
   * PKCS#12. Fails with `bad-input` and what is wrong with it, or with `unavailable`.
   */
  'ca.import': {
    input: { certificate: Uint8Array; key: Uint8Array | null; passphrase: string };
    output: AuthorityChange;
  };
  /** Those that were in use before, the newest last, and where each is still trusted; takes seconds. */
  'ca.kept': {
    input: Record<string, never>;
    output: { kept: readonly (KeptAuthorityInfo & { readonly left: readonly LeftTrust[] })[] };
  };
  /** Lets the stores that trust an old authority trust the one in use instead. Fails with `not-found`. */
  'ca.moveTrust': { input: { name: string }; output: { stores: readonly MovedTrust[] } };
  /** Deletes an old authority with its key. Fails with `not-found`, and with `conflict` while a store trusts it. */
  'ca.forget': { input: { name: string }; output: Record<string, never> };
}
