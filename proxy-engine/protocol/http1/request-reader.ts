import type { AnomalyCode } from '../../model/anomaly-code.ts';
import { parseAuthority } from './authority.ts';
import { HOST_NAME, SP, TOKEN } from './characters.ts';
import { connectionOptions, persists } from './connection-options.ts';
import { failure } from './failure.ts';
import { equalsIgnoreCase, FIELD } from './field-kind.ts';
import { fieldValue, fieldValues, listMembers } from './field-value.ts';
import { parseLength, requestFraming } from './framing.ts';
import type { BodyFraming, FieldTable, Http1Failure } from './message.ts';
import { ParsedRequestHead } from './parsed-head.ts';
import { IRREGULAR, SPAN } from './section-scanner.ts';
import { parseTarget } from './target.ts';
import type { RequestTarget } from './target.ts';

const NO_ANOMALIES: readonly AnomalyCode[] = [];
const CONTINUE = Buffer.from('100-continue');
const VERSION = Buffer.from('HTTP/1.');
const VERSION_BYTES = 'HTTP/1.1'.length;
const SLASH = 0x2f;

/**
 * Makes a request head of the bytes that the scanner went through, or says why it is refused: the start line (RFC 9112
 * §3), the target against the method and Host (§3.2), the framing (§6), Connection (RFC 9110 §7.6.1).
 * @param bytes exactly the head, to be kept
 */
export function readRequestHead(
  bytes: Buffer,
  table: FieldTable,
  skippedEmptyLines: boolean,
): ParsedRequestHead | Http1Failure {
  // The start line: method SP target SP version.
  const lineEnd = table.startLineEnd;
  let methodEnd = 0;
  while (methodEnd < lineEnd && TOKEN[bytes[methodEnd] ?? 0] === 1) methodEnd++;
  const targetStart = methodEnd + 1;
  const targetEnd = lineEnd - VERSION_BYTES - 1;
  if (methodEnd === 0 || bytes[methodEnd] !== SP || targetEnd <= targetStart || bytes[targetEnd] !== SP) {
    return badRequestLine();
  }
  for (let position = targetStart; position < targetEnd; position++)
    if (bytes[position] === SP) return badRequestLine();
  const minorVersion = readVersion(bytes, targetEnd + 1);
  if (typeof minorVersion !== 'number') return minorVersion;

  // The fields that mean something to a proxy.
  let hostIndex = -1;
  let hostCount = 0;
  let connectionIndex = -1;
  let connectionCount = 0;
  let lengthIndex = -1;
  let lengthCount = 0;
  const { kinds, spans, count } = table;
  if (kinds !== 0) {
    for (let index = 0, at: number = SPAN.kind; index < count; index++, at += SPAN.size) {
      const kind = spans[at] ?? 0;
      if (kind === FIELD.host) {
        hostIndex = index;
        hostCount++;
      } else if (kind === FIELD.connection) {
        connectionIndex = index;
        connectionCount++;
      } else if (kind === FIELD.contentLength) {
        lengthIndex = index;
        lengthCount++;
      }
    }
  }

  const method = methodName(bytes, methodEnd);
  let anomalies: AnomalyCode[] | null = null;
  if (skippedEmptyLines) anomalies = ['empty-lines-before-start'];
  if ((table.irregular & IRREGULAR.bareLineFeed) !== 0) anomalies = [...(anomalies ?? []), 'bare-line-feed'];

  // Host, and the target where it names one too.
  if (hostCount > 1) return failure('http1.host', 'The request has more than one Host field.');
  if (hostCount === 0) {
    if (minorVersion === 1 && method !== 'CONNECT') return failure('http1.host', 'The request has no Host field.');
    if (minorVersion === 1) anomalies = [...(anomalies ?? []), 'connect-without-host'];
  } else if (!isHost(bytes, table, hostIndex)) {
    return failure('http1.host', 'The Host field is not one host and port (userinfo, path and lists are not allowed).');
  }
  let destination: RequestTarget | null = null;
  if (bytes[targetStart] !== SLASH || method === 'CONNECT') {
    const host = hostCount === 0 ? null : fieldValue(bytes, table, hostIndex);
    destination = parseTarget(method, bytes.toString('latin1', targetStart, targetEnd), host);
    if (destination === null) return failure('http1.target', targetMessage(method));
    if (destination.differsFromHost) anomalies = [...(anomalies ?? []), 'host-differs-from-target'];
  }

  // How the body is delimited. What follows CONNECT is the tunnel's (RFC 9110 §9.3.6).
  let framing: BodyFraming = 'none';
  let contentLength = 0;
  if ((kinds & (FIELD.contentLength | FIELD.transferEncoding)) !== 0) {
    const length =
      lengthCount === 1 && (kinds & FIELD.transferEncoding) === 0 ? singleLength(bytes, table, lengthIndex) : -1;
    if (length >= 0) {
      framing = 'length';
      contentLength = length;
    } else {
      const found = requestFraming(bytes, table, minorVersion);
      if ('code' in found) return found;
      framing = found.framing;
      contentLength = found.contentLength;
      if (found.anomalies.length > 0) anomalies = [...(anomalies ?? []), ...found.anomalies];
    }
    if (method === 'CONNECT') framing = 'none';
  }

  const options = connectionOptions(bytes, table, connectionIndex, connectionCount);
  const isDoubtful = framing === 'chunked' && ((kinds & FIELD.contentLength) !== 0 || minorVersion === 0);
  return new ParsedRequestHead(
    bytes,
    table,
    {
      minorVersion,
      framing,
      contentLength: framing === 'length' ? contentLength : 0,
      keepAlive: !isDoubtful && persists(options, minorVersion),
      anomalies: anomalies ?? NO_ANOMALIES,
      connectionOptions: options,
    },
    {
      method,
      targetStart,
      targetEnd,
      destination,
      expectsContinue: minorVersion === 1 && (kinds & FIELD.expect) !== 0 && expectsContinue(bytes, table),
      upgrade: minorVersion === 1 && (kinds & FIELD.upgrade) !== 0 ? requestedUpgrade(bytes, table, options) : null,
    },
  );
}

function badRequestLine(): Http1Failure {
  return failure(
    'http1.request-line',
    'The request line is not a method, a target and a version with single spaces between.',
  );
}

/** 1.1 stands for every later minor version too (RFC 9110 §2.5). */
function readVersion(bytes: Buffer, start: number): 0 | 1 | Http1Failure {
  const minor = (bytes[start + VERSION_BYTES - 1] ?? 0) - 0x30;
  const isDigit = minor >= 0 && minor <= 9;
  for (let index = 0; index < VERSION.length; index++) {
    if (bytes[start + index] === VERSION[index]) continue;
    const text = bytes.toString('latin1', start, start + VERSION_BYTES);
    if (!/^HTTP\/[0-9]\.[0-9]$/.test(text)) return badRequestLine();
    return failure('http1.version', `${text} is not spoken here; HTTP/1.0 and HTTP/1.1 are.`);
  }
  if (!isDigit) return badRequestLine();
  return minor === 0 ? 0 : 1;
}

/** The method as a string; the common ones without making one. */
function methodName(bytes: Buffer, end: number): string {
  switch (bytes[0]) {
    case 0x47:
      if (end === 3 && bytes[1] === 0x45 && bytes[2] === 0x54) return 'GET';
      break;
    case 0x50:
      if (end === 4 && bytes[1] === 0x4f && bytes[2] === 0x53 && bytes[3] === 0x54) return 'POST';
      break;
    default:
  }
  return bytes.toString('latin1', 0, end);
}

/** The usual host names and ports are told by their bytes; the rest by the grammar. An empty Host is legal. */
function isHost(bytes: Buffer, table: FieldTable, index: number): boolean {
  const at = index * SPAN.size;
  const start = table.spans[at + SPAN.valueStart] ?? 0;
  const end = table.spans[at + SPAN.valueEnd] ?? 0;
  let position = start;
  while (position < end && HOST_NAME[bytes[position] ?? 0] === 1 && (bytes[position] ?? 0) < 0x80) position++;
  if (position === end) return true;
  return parseAuthority(fieldValue(bytes, table, index)) !== null;
}

function singleLength(bytes: Buffer, table: FieldTable, index: number): number {
  const at = index * SPAN.size;
  return parseLength(bytes, table.spans[at + SPAN.valueStart] ?? 0, table.spans[at + SPAN.valueEnd] ?? 0);
}

function expectsContinue(bytes: Buffer, table: FieldTable): boolean {
  return fieldValues(bytes, table, FIELD.expect).some(
    (value) => value.length === CONTINUE.length && equalsIgnoreCase(Buffer.from(value, 'latin1'), 0, CONTINUE),
  );
}

function requestedUpgrade(bytes: Buffer, table: FieldTable, options: readonly string[]): string | null {
  if (!options.includes('upgrade')) return null;
  const protocols = listMembers(fieldValues(bytes, table, FIELD.upgrade)).filter(
    (protocol) => protocol !== '' && protocol.toLowerCase() !== 'h2c',
  );
  return protocols.length === 0 ? null : protocols.join(', ');
}

function targetMessage(method: string): string {
  return method === 'CONNECT'
    ? 'The target of CONNECT is not a host and a port.'
    : 'The request target is neither a path nor an http or https URL without userinfo.';
}
