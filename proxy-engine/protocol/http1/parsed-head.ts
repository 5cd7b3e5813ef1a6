import type { AnomalyCode } from '../../model/anomaly-code.ts';
import { equalsIgnoreCase } from './field-kind.ts';
import { fieldValue } from './field-value.ts';
import type { BodyFraming, FieldTable, MessageHead, RequestHead, ResponseHead } from './message.ts';
import { SPAN } from './section-scanner.ts';
import { originTarget } from './target.ts';
import type { RequestTarget } from './target.ts';

/** What a head says beside its start line and its fields. */
export interface HeadFacts {
  readonly minorVersion: 0 | 1;
  readonly framing: BodyFraming;
  readonly contentLength: number;
  readonly keepAlive: boolean;
  readonly anomalies: readonly AnomalyCode[];
  readonly connectionOptions: readonly string[];
}

/** Bytes of names that were asked for: the few that code names. */
const names = new Map<string, Buffer>();
const MOST_NAMES = 256;

function nameBytes(lowerName: string): Buffer {
  let bytes = names.get(lowerName);
  if (bytes !== undefined) return bytes;
  bytes = Buffer.from(lowerName, 'latin1');
  if (names.size < MOST_NAMES) names.set(lowerName, bytes);
  return bytes;
}

/** Bytes and field table of a head, and the strings that are made of them when somebody asks. */
class ParsedHead implements MessageHead {
  readonly bytes: Buffer;
  readonly table: FieldTable;
  readonly minorVersion: 0 | 1;
  readonly framing: BodyFraming;
  readonly contentLength: number;
  readonly keepAlive: boolean;
  readonly anomalies: readonly AnomalyCode[];
  readonly connectionOptions: readonly string[];

  constructor(bytes: Buffer, table: FieldTable, facts: HeadFacts) {
    this.bytes = bytes;
    this.table = table;
    this.minorVersion = facts.minorVersion;
    this.framing = facts.framing;
    this.contentLength = facts.contentLength;
    this.keepAlive = facts.keepAlive;
    this.anomalies = facts.anomalies;
    this.connectionOptions = facts.connectionOptions;
  }

  get fieldCount(): number {
    return this.table.count;
  }

  fieldName(index: number): string {
    const at = index * SPAN.size;
    return this.bytes.toString('latin1', this.table.spans[at + SPAN.nameStart], this.table.spans[at + SPAN.nameEnd]);
  }

  fieldValue(index: number): string {
    return fieldValue(this.bytes, this.table, index);
  }

  get(lowerName: string): string | null {
    const index = this.#indexOf(lowerName);
    return index < 0 ? null : this.fieldValue(index);
  }

  has(lowerName: string): boolean {
    return this.#indexOf(lowerName) >= 0;
  }

  #indexOf(lowerName: string): number {
    const { spans, count } = this.table;
    const wanted = nameBytes(lowerName);
    for (let index = 0; index < count; index++) {
      const at = index * SPAN.size;
      const start = spans[at + SPAN.nameStart] ?? 0;
      const end = spans[at + SPAN.nameEnd] ?? 0;
      if (end - start === wanted.length && equalsIgnoreCase(this.bytes, start, wanted)) return index;
    }
    return -1;
  }
}

/** What a request head says beside what every head does. */
export interface RequestFacts {
  readonly method: string;
  readonly targetStart: number;
  readonly targetEnd: number;
  /** Already read where it had to be checked; null for a path, which is read when somebody asks. */
  readonly destination: RequestTarget | null;
  readonly expectsContinue: boolean;
  readonly upgrade: string | null;
}

/** A request head as the request decoder makes it. */
export class ParsedRequestHead extends ParsedHead implements RequestHead {
  readonly method: string;
  readonly expectsContinue: boolean;
  readonly upgrade: string | null;
  readonly #targetStart: number;
  readonly #targetEnd: number;
  #target: string | null = null;
  #destination: RequestTarget | null;

  constructor(bytes: Buffer, table: FieldTable, facts: HeadFacts, request: RequestFacts) {
    super(bytes, table, facts);
    this.method = request.method;
    this.expectsContinue = request.expectsContinue;
    this.upgrade = request.upgrade;
    this.#targetStart = request.targetStart;
    this.#targetEnd = request.targetEnd;
    this.#destination = request.destination;
  }

  get target(): string {
    this.#target ??= this.bytes.toString('latin1', this.#targetStart, this.#targetEnd);
    return this.#target;
  }

  get destination(): RequestTarget {
    this.#destination ??= originTarget(this.target, this.get('host'));
    return this.#destination;
  }
}

/** A response head as the response decoder makes it. */
export class ParsedResponseHead extends ParsedHead implements ResponseHead {
  readonly status: number;
  rewritten: ResponseHead['rewritten'] = null;

  constructor(bytes: Buffer, table: FieldTable, facts: HeadFacts, status: number) {
    super(bytes, table, facts);
    this.status = status;
  }

  get reason(): string {
    return this.bytes.toString('latin1', 'HTTP/1.1 200 '.length, this.table.startLineEnd);
  }
}
