/** What became of a request, as SOCKS can say it (RFC 1928 §6). */
export type SocksOutcome =
  | 'granted'
  | 'failure'
  | 'not-allowed'
  | 'network-unreachable'
  | 'host-unreachable'
  | 'refused'
  | 'expired'
  | 'command-unsupported'
  | 'address-unsupported';

/** Outcomes by the value of their REP field. */
const REPLIES: readonly SocksOutcome[] = [
  'granted',
  'failure',
  'not-allowed',
  'network-unreachable',
  'host-unreachable',
  'refused',
  'expired',
  'command-unsupported',
  'address-unsupported',
];

const SOCKS4_GRANTED = 90;
const SOCKS4_REJECTED = 91;

/** The REP field of an outcome. */
export function replyCode(outcome: SocksOutcome): number {
  return REPLIES.indexOf(outcome);
}

/** The outcome that a REP field means; null for values that nobody has defined. */
export function replyOutcome(code: number): SocksOutcome | null {
  return REPLIES[code] ?? null;
}

/** The CD field of SOCKS4, which knows only yes and no. */
export function socks4ReplyCode(outcome: SocksOutcome): number {
  return outcome === 'granted' ? SOCKS4_GRANTED : SOCKS4_REJECTED;
}
