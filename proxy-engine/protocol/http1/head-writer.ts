import type { RequestHeadChanges, ResponseHeadChanges } from './changes.ts';
import { COLON, CR } from './characters.ts';
import { FIELD, HOP_BY_HOP } from './field-kind.ts';
import {
  codingTreatment,
  connectionTreatment,
  DROP,
  KEEP,
  lengthTreatment,
  namedFields,
  teTreatment,
  upgradeTreatment,
} from './field-plan.ts';
import type { FieldPlan, Treatment } from './field-plan.ts';
import { fieldValue, isFolded } from './field-value.ts';
import { HeadEditor } from './head-editor.ts';
import type { MessageHead, RequestHead, ResponseHead } from './message.ts';
import { IRREGULAR, SPAN } from './section-scanner.ts';

/** One for all: a head is written in one go, and nothing of it outlives the call. */
const editor = new HeadEditor();

const VERSION_BYTES = 'HTTP/1.1'.length;
/** Where the minor version stands in a status line. */
const STATUS_MINOR = 7;
const DIGIT_ONE = 0x31;

/** The bytes of a request head to forward: `head.bytes` itself when nothing differs, else a new buffer. */
export function writeRequestHead(head: RequestHead, changes: RequestHeadChanges): Buffer {
  const { bytes, table } = head;
  const lineEnd = table.startLineEnd;
  if (
    changes.target === null &&
    changes.host === null &&
    !changes.close &&
    changes.maxForwards === null &&
    changes.appendedLines === '' &&
    bytes[lineEnd - 1] === DIGIT_ONE &&
    passesUntouched(head)
  ) {
    return bytes;
  }

  editor.begin(bytes);
  if (changes.target !== null) {
    editor.replace(head.method.length + 1, lineEnd - VERSION_BYTES - 1, changes.target);
  }
  if (bytes[lineEnd - 1] !== DIGIT_ONE) editor.replace(lineEnd - 1, lineEnd, '1');

  const te = teTreatment(head);
  const upgrade = changes.relayUpgrade && head.upgrade !== null ? upgradeTreatment(head) : DROP;
  const options: string[] = [];
  if (changes.close) options.push('close');
  if (upgrade !== DROP) options.push('Upgrade');
  if (te !== DROP) options.push('TE');
  return writeFields(
    head,
    {
      host: changes.host ?? KEEP,
      connection: connectionTreatment(head, options, upgrade !== DROP),
      contentLength: lengthTreatment(head),
      transferEncoding: KEEP,
      te,
      upgrade,
      proxyAuthorization: changes.keepProxyAuthorization ? KEEP : DROP,
      maxForwards: changes.maxForwards === null ? KEEP : String(changes.maxForwards),
      named: namedFields(head.connectionOptions),
    },
    changes.appendedLines,
  );
}

/** The bytes of a response head to forward: `head.bytes` itself when nothing differs, else a new buffer. */
export function writeResponseHead(head: ResponseHead, changes: ResponseHeadChanges): Buffer {
  const { bytes } = head;
  if (
    changes.keepAlive &&
    changes.clientMinorVersion === 1 &&
    changes.appendedLines === '' &&
    bytes[STATUS_MINOR] === DIGIT_ONE &&
    passesUntouched(head)
  ) {
    return bytes;
  }
  const { rewritten } = head;
  if (rewritten !== null && isSame(rewritten.changes, changes)) return rewritten.bytes;

  editor.begin(bytes);
  if (bytes[STATUS_MINOR] !== DIGIT_ONE) editor.replace(STATUS_MINOR, STATUS_MINOR + 1, '1');

  const isFinal = head.status >= 200;
  const upgrade = changes.relayUpgrade ? upgradeTreatment(head) : DROP;
  const options: string[] = [];
  if (isFinal && !changes.keepAlive) options.push('close');
  if (isFinal && changes.keepAlive && changes.clientMinorVersion === 0) options.push('keep-alive');
  if (upgrade !== DROP) options.push('Upgrade');
  const written = writeFields(
    head,
    {
      host: KEEP,
      connection: connectionTreatment(head, options, upgrade !== DROP),
      contentLength: lengthTreatment(head),
      transferEncoding: codingTreatment(head, changes.clientMinorVersion),
      te: DROP,
      upgrade,
      proxyAuthorization: KEEP,
      maxForwards: KEEP,
      named: namedFields(head.connectionOptions),
    },
    changes.appendedLines,
  );
  head.rewritten = { changes, bytes: written };
  return written;
}

function isSame(one: ResponseHeadChanges, other: ResponseHeadChanges): boolean {
  return (
    one.keepAlive === other.keepAlive &&
    one.clientMinorVersion === other.clientMinorVersion &&
    one.relayUpgrade === other.relayUpgrade &&
    one.appendedLines === other.appendedLines
  );
}

/** Most heads: no field ends at this hop, no framing is doubtful, no line irregular (all of these are flagged). */
function passesUntouched(head: MessageHead): boolean {
  return (head.table.kinds & HOP_BY_HOP) === 0 && head.anomalies.length === 0;
}

/** Edits the fields in wire order and ends the section. */
function writeFields(head: MessageHead, plan: FieldPlan, appendedLines: string): Buffer {
  const { table } = head;
  const { spans, count, kinds, fieldsEnd } = table;
  const isIrregular = table.irregular !== 0;
  const fieldsStart = count === 0 ? fieldsEnd : (spans[0] ?? 0);
  if (isIrregular) mendLineEnd(head.bytes, fieldsStart);
  if (typeof plan.host === 'string' && (kinds & FIELD.host) === 0) {
    editor.replace(fieldsStart, fieldsStart, `Host: ${plan.host}\r\n`);
  }

  /** Kinds of which a field was written. */
  let written = 0;
  if (kinds !== 0 || isIrregular || plan.named.size > 0) {
    for (let index = 0, at = 0; index < count; index++, at += SPAN.size) {
      const kind = spans[at + SPAN.kind] ?? 0;
      if (kind === 0 && !isIrregular && plan.named.size === 0) continue;
      const lineStart = spans[at] ?? 0;
      const lineEnd = index + 1 < count ? (spans[at + SPAN.size] ?? 0) : fieldsEnd;
      let treatment = treatmentOf(kind, plan);
      if (plan.named.size > 0 && treatment === KEEP && plan.named.has(head.fieldName(index).toLowerCase())) {
        treatment = DROP;
      }
      if (treatment === DROP || (typeof treatment === 'string' && (written & kind) !== 0)) {
        editor.replace(lineStart, lineEnd, '');
        continue;
      }
      written |= kind;
      if (isIrregular) mendName(head, at);
      writeValue(head, index, treatment);
      if (isIrregular) mendLineEnd(head.bytes, lineEnd);
    }
  }

  let ending = appendedLines;
  if (typeof plan.connection === 'string' && (written & FIELD.connection) === 0) {
    ending = `Connection: ${plan.connection}\r\n${ending}`;
  }
  if (ending !== '') editor.replace(fieldsEnd, fieldsEnd, ending);
  if (isIrregular) mendLineEnd(head.bytes, head.bytes.length);
  return editor.finish();
}

function treatmentOf(kind: number, plan: FieldPlan): Treatment {
  switch (kind) {
    case FIELD.host:
      return plan.host;
    case FIELD.connection:
      return plan.connection;
    case FIELD.contentLength:
      return plan.contentLength;
    case FIELD.transferEncoding:
      return plan.transferEncoding;
    case FIELD.te:
      return plan.te;
    case FIELD.upgrade:
      return plan.upgrade;
    case FIELD.proxyAuthorization:
      return plan.proxyAuthorization;
    case FIELD.maxForwards:
      return plan.maxForwards;
    case FIELD.keepAlive:
    case FIELD.proxyConnection:
    case FIELD.http2Settings:
      return DROP;
    default:
      return KEEP;
  }
}

/** Replaces a value that is to differ, and one that is folded by its joined lines. */
function writeValue(head: MessageHead, index: number, treatment: Treatment): void {
  const { bytes, table } = head;
  const isJoined = (table.irregular & IRREGULAR.folded) !== 0 && isFolded(bytes, table, index);
  if (typeof treatment !== 'string' && !isJoined) return;
  const at = index * SPAN.size;
  const start = table.spans[at + SPAN.valueStart] ?? 0;
  const end = table.spans[at + SPAN.valueEnd] ?? 0;
  const value = typeof treatment === 'string' ? treatment : fieldValue(bytes, table, index);
  if (!isJoined && end - start === value.length && bytes.toString('latin1', start, end) === value) return;
  editor.replace(start, end, value);
}

/** Leaves out the white space between a name and its colon. */
function mendName(head: MessageHead, at: number): void {
  const nameEnd = head.table.spans[at + SPAN.nameEnd] ?? 0;
  if (head.bytes[nameEnd] !== COLON) editor.replace(nameEnd, head.bytes.indexOf(COLON, nameEnd), '');
}

/** Makes the line end before `lineEnd` a CRLF. */
function mendLineEnd(bytes: Buffer, lineEnd: number): void {
  if (bytes[lineEnd - 2] !== CR) editor.replace(lineEnd - 1, lineEnd, '\r\n');
}
