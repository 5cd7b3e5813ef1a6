export type PkiErrorCode =
  /** The text is no PEM certificate or key, or is damaged. */
  | 'pki.unreadable'
  /** The certificate may not sign others. */
  | 'pki.not-an-authority'
  /** Certificate and key do not belong together. */
  | 'pki.key-mismatch'
  /** The key's kind cannot sign certificates here. */
  | 'pki.unsupported-key'
  /** Shorter than what programs accept. */
  | 'pki.weak-key'
  /** It ended, or does not begin yet. */
  | 'pki.not-valid-now'
  /** Files of the authority cannot be read or written, or others can read the key. */
  | 'pki.files'
  /** The password of a key or of a PKCS#12 file is missing, wrong or too short. */
  | 'pki.password';

/** Something is wrong with a certificate, a key or their files; the message says what to do. */
export class PkiError extends Error {
  override readonly name = 'PkiError';
  readonly code: PkiErrorCode;

  constructor(code: PkiErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
