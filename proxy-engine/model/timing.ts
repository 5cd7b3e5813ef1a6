/**
 * When the phases of an exchange were reached, in whole microseconds since its start; null where a phase did not
 * happen (a reused origin connection has no `dns`, `connect` or `tls`).
 */
export interface Timing {
  /** Name resolution was done. */
  readonly dns: number | null;
  /** The origin's TCP connection stood. */
  readonly connect: number | null;
  /** The origin's TLS handshake was done. */
  readonly tls: number | null;
  /** The last request byte was written. */
  readonly sent: number | null;
  /** The first response byte arrived. */
  readonly firstByte: number | null;
  /** The last response byte arrived, or the failure was known. */
  readonly end: number | null;
}
