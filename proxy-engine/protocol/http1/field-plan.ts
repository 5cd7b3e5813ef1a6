import { FIELD } from './field-kind.ts';
import { fieldValues, listMembers } from './field-value.ts';
import { transferCodings, withoutFinalChunked } from './framing.ts';
import type { MessageHead } from './message.ts';

/** Leaves the fields of one kind as they came. */
export const KEEP = 0;
/** Leaves them out. */
export const DROP = 1;
/** A string goes into the first field of the kind, and further ones are left out. */
export type Treatment = typeof KEEP | typeof DROP | string;

/** What is done with the fields that a proxy must understand; all others stay unless Connection names them. */
export interface FieldPlan {
  readonly host: Treatment;
  readonly connection: Treatment;
  readonly contentLength: Treatment;
  readonly transferEncoding: Treatment;
  readonly te: Treatment;
  readonly upgrade: Treatment;
  readonly proxyAuthorization: Treatment;
  readonly maxForwards: Treatment;
  /** Lower-case names that Connection gives and that may be left out. */
  readonly named: ReadonlySet<string>;
}

/**
 * Fields that do not go because Connection names them: the message would mean something else to the next hop without
 * them, or (`te`, `upgrade`) they have a treatment of their own.
 */
const NEVER_NAMED = new Set([
  'authorization',
  'content-length',
  'cookie',
  'host',
  'te',
  'transfer-encoding',
  'upgrade',
]);
const NOTHING_NAMED: ReadonlySet<string> = new Set();
const USUAL_OPTIONS = new Set(['close', 'keep-alive', 'te', 'upgrade', 'http2-settings']);

/** Fields that Connection names beside its usual options (RFC 9110 §7.6.1). */
export function namedFields(options: readonly string[]): ReadonlySet<string> {
  if (options.length === 0) return NOTHING_NAMED;
  if (options.every((option) => USUAL_OPTIONS.has(option))) return NOTHING_NAMED;
  return new Set(options.filter((option) => !NEVER_NAMED.has(option)));
}

/**
 * Replaces the peer's Connection options by ours, and leaves the bytes alone where they already say the same.
 * @param wanted our options in the order in which they are to be written
 * @param isRelayed an upgrade is passed on: a handshake stays as it came, even with a needless `keep-alive`
 */
export function connectionTreatment(head: MessageHead, wanted: readonly string[], isRelayed: boolean): Treatment {
  if (wanted.length > 0 && (head.table.kinds & FIELD.connection) !== 0) {
    const received = head.connectionOptions;
    const lower = wanted.map((option) => option.toLowerCase());
    const isSame =
      lower.every((option) => received.includes(option)) &&
      received.every((option) => lower.includes(option) || (isRelayed && option === 'keep-alive'));
    if (isSame) return KEEP;
  }
  return wanted.length === 0 ? DROP : wanted.join(', ');
}

/** A length beside a transfer coding goes (RFC 9112 §6.3); several equal ones become one. */
export function lengthTreatment(head: MessageHead): Treatment {
  if ((head.table.kinds & FIELD.contentLength) === 0) return KEEP;
  if ((head.table.kinds & FIELD.transferEncoding) !== 0) return DROP;
  if (!head.anomalies.includes('equal-lengths')) return KEEP;
  return listMembers(fieldValues(head.bytes, head.table, FIELD.contentLength))[0] ?? DROP;
}

/** Transfer codings of a response towards a client: a repeated `chunked` becomes one, HTTP/1.0 gets none. */
export function codingTreatment(head: MessageHead, clientMinorVersion: 0 | 1): Treatment {
  if ((head.table.kinds & FIELD.transferEncoding) === 0) return KEEP;
  const isRepeated = head.anomalies.includes('repeated-chunked');
  if (clientMinorVersion === 1 && !isRepeated) return KEEP;
  const others = withoutFinalChunked(transferCodings(head.bytes, head.table));
  const codings = clientMinorVersion === 1 ? [...others, 'chunked'] : others;
  return codings.length === 0 ? DROP : codings.join(', ');
}

/** `TE: trailers` is the one member that may pass (RFC 9110 §10.1.4). */
export function teTreatment(head: MessageHead): Treatment {
  if ((head.table.kinds & FIELD.te) === 0) return DROP;
  const members = listMembers(fieldValues(head.bytes, head.table, FIELD.te));
  const trailers = members.find((member) => member.toLowerCase() === 'trailers');
  return trailers ?? DROP;
}

/** Protocols of an Upgrade that is passed on: all but h2c, which we never relay (RFC 9113 §3.1 deprecates it). */
export function upgradeTreatment(head: MessageHead): Treatment {
  if ((head.table.kinds & FIELD.upgrade) === 0) return DROP;
  const protocols = listMembers(fieldValues(head.bytes, head.table, FIELD.upgrade));
  const relayed = protocols.filter((protocol) => protocol.toLowerCase() !== 'h2c');
  if (relayed.length === protocols.length) return KEEP;
  return relayed.length === 0 ? DROP : relayed.join(', ');
}
