import type { AnomalyCode } from '../../model/anomaly-code.ts';
import { SP } from './characters.ts';
import { connectionOptions, persists } from './connection-options.ts';
import { failure } from './failure.ts';
import { FIELD } from './field-kind.ts';
import { parseLength, responseFraming } from './framing.ts';
import type { BodyFraming, FieldTable, Http1Failure } from './message.ts';
import { ParsedResponseHead } from './parsed-head.ts';
import { IRREGULAR, SPAN } from './section-scanner.ts';

const NO_ANOMALIES: readonly AnomalyCode[] = [];
const VERSION = Buffer.from('HTTP/1.');
/** `HTTP/1.1 200`, after which a space and the reason phrase may follow. */
const STATUS_END = 12;

/**
 * Makes a response head of the bytes that the scanner went through, or says why it is refused: the status line (RFC 9112
 * §4), the framing (§6.3), Connection (RFC 9110 §7.6.1).
 * @param bytes exactly the head, to be kept
 * @param requestMethod method of the request that it answers; HEAD and CONNECT have answers without a body
 */
export function readResponseHead(
  bytes: Buffer,
  table: FieldTable,
  requestMethod: string,
): ParsedResponseHead | Http1Failure {
  for (let index = 0; index < VERSION.length; index++) if (bytes[index] !== VERSION[index]) return badStatusLine();
  const minor = (bytes[7] ?? 0) - 0x30;
  const hundreds = (bytes[9] ?? 0) - 0x30;
  const tens = (bytes[10] ?? 0) - 0x30;
  const ones = (bytes[11] ?? 0) - 0x30;
  const lineEnd = table.startLineEnd;
  if (
    lineEnd < STATUS_END ||
    !isDigit(minor) ||
    bytes[8] !== SP ||
    !isDigit(hundreds) ||
    hundreds === 0 ||
    !isDigit(tens) ||
    !isDigit(ones) ||
    (lineEnd > STATUS_END && bytes[STATUS_END] !== SP)
  ) {
    return badStatusLine();
  }
  const minorVersion = minor === 0 ? 0 : 1;
  const status = hundreds * 100 + tens * 10 + ones;

  let connectionIndex = -1;
  let connectionCount = 0;
  let lengthIndex = -1;
  let lengthCount = 0;
  const { kinds, spans, count } = table;
  if (kinds !== 0) {
    for (let index = 0, at: number = SPAN.kind; index < count; index++, at += SPAN.size) {
      const kind = spans[at] ?? 0;
      if (kind === FIELD.connection) {
        connectionIndex = index;
        connectionCount++;
      } else if (kind === FIELD.contentLength) {
        lengthIndex = index;
        lengthCount++;
      }
    }
  }

  let anomalies = table.irregular === 0 ? null : irregularities(table.irregular);
  let framing: BodyFraming = 'until-close';
  let contentLength = 0;
  if ((kinds & (FIELD.contentLength | FIELD.transferEncoding)) !== 0) {
    const at = lengthIndex * SPAN.size;
    const length =
      lengthCount === 1 && (kinds & FIELD.transferEncoding) === 0
        ? parseLength(bytes, spans[at + SPAN.valueStart] ?? 0, spans[at + SPAN.valueEnd] ?? 0)
        : -1;
    if (length >= 0) {
      framing = 'length';
      contentLength = length;
    } else {
      const found = responseFraming(bytes, table, minorVersion);
      if ('code' in found) return found;
      framing = found.framing;
      contentLength = found.contentLength;
      if (found.anomalies.length > 0) anomalies = [...(anomalies ?? []), ...found.anomalies];
    }
  }
  // No body whatever the fields say (RFC 9112 §6.3, items 1 and 2).
  const isBodyless =
    status < 200 ||
    status === 204 ||
    status === 304 ||
    requestMethod === 'HEAD' ||
    (requestMethod === 'CONNECT' && status < 300);
  if (isBodyless) framing = 'none';

  const options = connectionOptions(bytes, table, connectionIndex, connectionCount);
  const isDoubtful =
    framing === 'until-close' || (framing === 'chunked' && (minorVersion === 0 || (kinds & FIELD.contentLength) !== 0));
  return new ParsedResponseHead(
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
    status,
  );
}

function isDigit(value: number): boolean {
  return value >= 0 && value <= 9;
}

function badStatusLine(): Http1Failure {
  return failure('http1.status-line', 'The answer does not begin with an HTTP/1 status line.');
}

function irregularities(irregular: number): AnomalyCode[] {
  const anomalies: AnomalyCode[] = [];
  if ((irregular & IRREGULAR.bareLineFeed) !== 0) anomalies.push('bare-line-feed');
  if ((irregular & IRREGULAR.folded) !== 0) anomalies.push('folded-field');
  if ((irregular & IRREGULAR.spaceBeforeColon) !== 0) anomalies.push('space-before-colon');
  return anomalies;
}
