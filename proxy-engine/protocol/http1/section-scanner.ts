import { COLON, CR, FIELD_VALUE, isBlank, LF, REQUEST_LINE, TOKEN } from './characters.ts';
import { failure } from './failure.ts';
import { fieldKind } from './field-kind.ts';
import type { Http1Failure, Http1Limits } from './message.ts';

/** Numbers that `SectionScanner.spans` holds for each field, all offsets relative to the section's first byte. */
export const SPAN = { nameStart: 0, nameEnd: 1, valueStart: 2, valueEnd: 3, kind: 4, size: 5 } as const;

/** Irregularities that were tolerated; the forwarded head is written anew where one of them stands. */
export const IRREGULAR = { bareLineFeed: 1, folded: 2, spaceBeforeColon: 4 } as const;

/** What a section is and which of its irregularities are tolerated instead of refused. */
export interface SectionRules {
  readonly startLine: 'request' | 'response' | 'none';
  readonly bareLineFeed: boolean;
  /** Obs-fold and white space before a colon (RFC 9112 §5.1, §5.2). */
  readonly irregularFields: boolean;
}

// States, each named after what comes next.
const START_LINE = 0;
const START_LINE_LF = 1;
const FIELD_START = 2;
const NAME = 3;
const NAME_COLON = 4;
const VALUE_START = 5;
const VALUE = 6;
const VALUE_LF = 7;
const LAST_LF = 8;
const COMPLETE = 9;
const FAILED = 10;

/**
 * Finds the start line and the fields of a head, or the fields of a trailer section, in one pass over the bytes. It may
 * be stopped at any byte and go on with the next segment, so that a peer that drips its head costs no more than one
 * that sends it whole. What it decides depends on the bytes alone, never on how they were split.
 *
 *   START_LINE → FIELD_START → NAME → VALUE_START → VALUE → FIELD_START … → COMPLETE
 */
export class SectionScanner {
  /** `SPAN.size` numbers a field. */
  readonly spans: number[] = [];
  fieldCount = 0;
  /** Union of the fields' `FIELD` bits. */
  kinds = 0;
  /** Union of `IRREGULAR` bits. */
  irregular = 0;
  /** Offset after the start line's last byte, without its line end. */
  startLineEnd = 0;
  /** Offset of the empty line that ends the section. */
  fieldsEnd = 0;
  fault: Http1Failure | null = null;

  readonly #rules: SectionRules;
  readonly #headBytes: number;
  readonly #requestLineBytes: number;
  readonly #fields: number;
  readonly #lineTable: Uint8Array;
  #state = START_LINE;
  #nameStart = 0;
  #nameEnd = 0;
  #valueStart = 0;

  constructor(limits: Http1Limits, rules: SectionRules) {
    this.#rules = rules;
    this.#headBytes = limits.headBytes;
    this.#requestLineBytes = rules.startLine === 'request' ? limits.requestLineBytes : limits.headBytes;
    this.#fields = limits.fields;
    this.#lineTable = rules.startLine === 'request' ? REQUEST_LINE : FIELD_VALUE;
    this.begin();
  }

  get complete(): boolean {
    return this.#state === COMPLETE;
  }

  /** Forgets the last section. */
  begin(): void {
    this.fieldCount = 0;
    this.kinds = 0;
    this.irregular = 0;
    this.startLineEnd = 0;
    this.fieldsEnd = 0;
    this.fault = null;
    this.#state = this.#rules.startLine === 'none' ? FIELD_START : START_LINE;
  }

  /**
   * Reads on at `position`; the section began at `base` in the same buffer.
   * @returns the offset after the last byte read; see `complete` and `fault` for what that means
   */
  scan(bytes: Buffer, from: number, end: number, base: number): number {
    const stop = Math.min(end, base + this.#headBytes);
    let position = from;
    let state = this.#state;
    while (position < stop) {
      switch (state) {
        case START_LINE: {
          const lineStop = Math.min(stop, base + this.#requestLineBytes + 1);
          const table = this.#lineTable;
          while (position < lineStop && table[bytes[position] ?? 0] === 1) position++;
          if (position < lineStop) {
            this.startLineEnd = position - base;
            state = this.#endStartLine(bytes[position] ?? 0);
            position++;
          } else if (position - base > this.#requestLineBytes) {
            this.fault = requestLineTooLong(this.#requestLineBytes);
            state = FAILED;
          }
          break;
        }
        case START_LINE_LF:
          state = this.#afterReturn(bytes[position++] ?? 0, FIELD_START);
          break;
        case FIELD_START: {
          const byte = bytes[position] ?? 0;
          if (TOKEN[byte] === 1) {
            this.#nameStart = position - base;
            state = NAME;
          } else {
            this.fieldsEnd = position - base;
            state = this.#beginIrregularLine(byte);
          }
          position++;
          break;
        }
        case NAME: {
          while (position < stop && TOKEN[bytes[position] ?? 0] === 1) position++;
          if (position === stop) break;
          this.#nameEnd = position - base;
          if (bytes[position] === COLON) state = VALUE_START;
          else state = this.#beginGap(bytes[position] ?? 0);
          position++;
          break;
        }
        case NAME_COLON: {
          const byte = bytes[position++] ?? 0;
          if (byte === COLON) state = VALUE_START;
          else if (!isBlank(byte)) state = this.#fail(noColon());
          break;
        }
        case VALUE_START: {
          while (position < stop && isBlank(bytes[position])) position++;
          if (position === stop) break;
          this.#valueStart = position - base;
          state = VALUE;
          break;
        }
        case VALUE: {
          position = skipValue(bytes, position, stop);
          if (position === stop) break;
          const byte = bytes[position] ?? 0;
          if (byte === CR) state = VALUE_LF;
          else if (byte === LF) state = this.#bareLineFeed(FIELD_START);
          else state = this.#fail(controlInValue(byte));
          if (state === FAILED || !this.#endField(bytes, base, position)) state = FAILED;
          position++;
          break;
        }
        case VALUE_LF:
          state = this.#afterReturn(bytes[position++] ?? 0, FIELD_START);
          break;
        case LAST_LF:
          state = this.#afterReturn(bytes[position++] ?? 0, COMPLETE);
          break;
        default:
          this.#state = state;
          return position;
      }
      if (state >= COMPLETE) break;
    }
    if (state < COMPLETE && position - base >= this.#headBytes) state = this.#fail(headTooLarge(this.#headBytes));
    this.#state = state;
    return position;
  }

  #endStartLine(byte: number): number {
    if (byte === CR) return START_LINE_LF;
    if (byte === LF) return this.#bareLineFeed(FIELD_START);
    return this.#fail(failure('http1.request-line', `The start line holds the control character ${hex(byte)}.`));
  }

  /** What follows a line's first byte that begins no field name. */
  #beginIrregularLine(byte: number): number {
    if (byte === CR) return LAST_LF;
    if (byte === LF) return this.#bareLineFeed(COMPLETE);
    if (!isBlank(byte)) {
      return this.#fail(failure('http1.field-name', `A field name begins with the character ${hex(byte)}.`));
    }
    if (!this.#rules.irregularFields || this.fieldCount === 0) {
      return this.#fail(failure('http1.obs-fold', 'A line of the head begins with white space (obs-fold).'));
    }
    // The last field goes on: take its span back and read the rest of its value.
    this.irregular |= IRREGULAR.folded;
    this.fieldCount--;
    const at = this.fieldCount * SPAN.size;
    this.#nameStart = this.spans[at + SPAN.nameStart] ?? 0;
    this.#nameEnd = this.spans[at + SPAN.nameEnd] ?? 0;
    this.#valueStart = this.spans[at + SPAN.valueStart] ?? 0;
    return VALUE;
  }

  #beginGap(byte: number): number {
    if (!isBlank(byte)) return this.#fail(byte === CR || byte === LF ? noColon() : badName(byte));
    if (!this.#rules.irregularFields) {
      return this.#fail(
        failure('http1.space-before-colon', 'White space stands between a field name and its colon, or in the name.'),
      );
    }
    this.irregular |= IRREGULAR.spaceBeforeColon;
    return NAME_COLON;
  }

  #afterReturn(byte: number, next: number): number {
    if (byte === LF) return next;
    return this.#fail(failure('http1.line-end', 'A carriage return stands without the line feed that must follow it.'));
  }

  #bareLineFeed(next: number): number {
    if (!this.#rules.bareLineFeed) {
      return this.#fail(
        failure(
          'http1.line-end',
          'A line of the head ends in a line feed without a carriage return (setting tolerateBareLineFeed forwards such heads).',
        ),
      );
    }
    this.irregular |= IRREGULAR.bareLineFeed;
    return next;
  }

  #fail(fault: Http1Failure): number {
    this.fault = fault;
    return FAILED;
  }

  /** Notes the field whose value ends before `end`; false when it is one too many. */
  #endField(bytes: Buffer, base: number, end: number): boolean {
    if (this.fieldCount === this.#fields) {
      this.fault = failure(
        'http1.too-many-fields',
        `The message has more than ${String(this.#fields)} fields (limit fields).`,
      );
      return false;
    }
    const nameStart = this.#nameStart;
    const nameEnd = this.#nameEnd;
    const valueStart = this.#valueStart;
    let valueEnd = end - base;
    while (valueEnd > valueStart && isBlank(bytes[base + valueEnd - 1])) valueEnd--;
    const kind = fieldKind(bytes, base + nameStart, base + nameEnd);
    const spans = this.spans;
    let at = this.fieldCount * SPAN.size;
    spans[at++] = nameStart;
    spans[at++] = nameEnd;
    spans[at++] = valueStart;
    spans[at++] = valueEnd;
    spans[at] = kind;
    this.kinds |= kind;
    this.fieldCount++;
    return true;
  }
}

/** Offset of the first byte that may not stand in a field value. Four at a time: most of a head is values. */
function skipValue(bytes: Buffer, from: number, stop: number): number {
  let position = from;
  while (
    position + 4 <= stop &&
    ((FIELD_VALUE[bytes[position] ?? 0] ?? 0) &
      (FIELD_VALUE[bytes[position + 1] ?? 0] ?? 0) &
      (FIELD_VALUE[bytes[position + 2] ?? 0] ?? 0) &
      (FIELD_VALUE[bytes[position + 3] ?? 0] ?? 0)) ===
      1
  ) {
    position += 4;
  }
  while (position < stop && FIELD_VALUE[bytes[position] ?? 0] === 1) position++;
  return position;
}

function hex(byte: number): string {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}

function noColon(): Http1Failure {
  return failure('http1.field-name', 'A line of the head has no colon after its field name.');
}

function badName(byte: number): Http1Failure {
  return failure('http1.field-name', `A field name holds the character ${hex(byte)}.`);
}

function controlInValue(byte: number): Http1Failure {
  return failure('http1.field-value', `A field value holds the control character ${hex(byte)}.`);
}

function requestLineTooLong(limit: number): Http1Failure {
  return failure(
    'http1.request-line-too-long',
    `The request line is longer than ${String(limit)} bytes (limit requestLineBytes).`,
  );
}

function headTooLarge(limit: number): Http1Failure {
  return failure('http1.head-too-large', `The head is larger than ${String(limit)} bytes (limit headBytes).`);
}
