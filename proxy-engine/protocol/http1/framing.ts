import type { AnomalyCode } from '../../model/anomaly-code.ts';
import { failure } from './failure.ts';
import { FIELD } from './field-kind.ts';
import { fieldValues, listMembers } from './field-value.ts';
import type { BodyFraming, FieldTable, Http1Failure } from './message.ts';

/** How a body is delimited, or why nobody can tell (RFC 9112 §6). */
export interface Framing {
  readonly framing: BodyFraming;
  readonly contentLength: number;
  readonly anomalies: readonly AnomalyCode[];
}

/** Transfer codings that HTTP names (RFC 9112 §7), beside `chunked`; we pass none of them on in requests. */
const REGISTERED_CODINGS = new Set(['compress', 'deflate', 'gzip', 'identity', 'x-compress', 'x-gzip']);

const MAXIMUM_LENGTH = Number.MAX_SAFE_INTEGER;

/** Parses a Content-Length: digits only, at most 2^53−1 whatever zeros lead; -1 for anything else. */
export function parseLength(bytes: Buffer, start: number, end: number): number {
  if (start === end) return -1;
  let length = 0;
  for (let position = start; position < end; position++) {
    const digit = (bytes[position] ?? 0) - 0x30;
    if (digit < 0 || digit > 9 || length > (MAXIMUM_LENGTH - digit) / 10) return -1;
    length = length * 10 + digit;
  }
  return length;
}

/** Framing of a request that has Content-Length or Transfer-Encoding fields. */
export function requestFraming(bytes: Buffer, table: FieldTable, minorVersion: 0 | 1): Framing | Http1Failure {
  const length = contentLength(bytes, table);
  if ('code' in length) return length;
  if ((table.kinds & FIELD.transferEncoding) === 0) return length;

  const codings = transferCodings(bytes, table);
  if (codings.length !== 1 || codings[0] !== 'chunked') return refusedCodings(codings);
  return chunked(length, minorVersion, []);
}

/** Framing of a response that may have a body and has Content-Length or Transfer-Encoding fields. */
export function responseFraming(bytes: Buffer, table: FieldTable, minorVersion: 0 | 1): Framing | Http1Failure {
  const length = contentLength(bytes, table);
  if ('code' in length) return length;
  if ((table.kinds & FIELD.transferEncoding) === 0) return length;

  const codings = transferCodings(bytes, table);
  if (codings.includes('')) {
    return failure('http1.transfer-encoding', 'Transfer-Encoding has an empty member.');
  }
  if (codings.at(-1) !== 'chunked') {
    const anomalies: AnomalyCode[] = ['unframed-coding'];
    if (length.framing === 'length') anomalies.push('length-with-chunked');
    return { framing: 'until-close', contentLength: 0, anomalies };
  }
  const others = withoutFinalChunked(codings);
  if (others.includes('chunked')) {
    return failure('http1.transfer-encoding', 'Transfer-Encoding names chunked before another coding and after it.');
  }
  return chunked(length, minorVersion, others.length === codings.length - 1 ? [] : ['repeated-chunked']);
}

/** The codings before the run of `chunked` that ends the list. */
export function withoutFinalChunked(codings: readonly string[]): readonly string[] {
  return codings.slice(0, codings.findLastIndex((coding) => coding !== 'chunked') + 1);
}

/** Members of all Transfer-Encoding fields in lower case. */
export function transferCodings(bytes: Buffer, table: FieldTable): string[] {
  return listMembers(fieldValues(bytes, table, FIELD.transferEncoding)).map((coding) => coding.toLowerCase());
}

/** Rule: equal lengths collapse, anything else is refused (RFC 9112 §6.3, item 5). */
function contentLength(bytes: Buffer, table: FieldTable): Framing | Http1Failure {
  if ((table.kinds & FIELD.contentLength) === 0) return { framing: 'none', contentLength: 0, anomalies: [] };
  const members = listMembers(fieldValues(bytes, table, FIELD.contentLength));
  const lengths = new Set(members.map((member) => parseLength(Buffer.from(member, 'latin1'), 0, member.length)));
  const [first = -1] = lengths;
  if (lengths.has(-1)) {
    return failure('http1.content-length', 'Content-Length is not a decimal number of at most 2^53−1.');
  }
  if (lengths.size > 1)
    return failure('http1.content-length', 'Content-Length came several times with different values.');
  return { framing: 'length', contentLength: first, anomalies: members.length > 1 ? ['equal-lengths'] : [] };
}

function chunked(length: Framing, minorVersion: 0 | 1, anomalies: AnomalyCode[]): Framing {
  if (length.framing === 'length') anomalies.push('length-with-chunked');
  if (minorVersion === 0) anomalies.push('chunked-on-http-1.0');
  return { framing: 'chunked', contentLength: 0, anomalies };
}

/**
 * A request whose codings are not exactly one `chunked`. Chunked elsewhere than last, or a known coding without it,
 * leaves the body without an end (400, RFC 9112 §6.3 item 4); a coding that we do not speak is 501 (§6.1).
 */
function refusedCodings(codings: readonly string[]): Http1Failure {
  const last = codings.at(-1);
  const others = codings.filter((coding) => coding !== 'chunked');
  const misplaced =
    codings.indexOf('chunked') !== -1 && (codings.indexOf('chunked') !== codings.length - 1 || last === '');
  const isUnknown = others.some((coding) => coding !== '' && (last === 'chunked' || !REGISTERED_CODINGS.has(coding)));
  if (!misplaced && !others.includes('') && isUnknown) {
    return failure('http1.unknown-coding', `Weir does not know the transfer coding ${others.join(', ')}.`);
  }
  return failure('http1.transfer-encoding', 'Transfer-Encoding of a request must be exactly one chunked.');
}
