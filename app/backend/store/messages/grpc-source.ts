import type { AnomalyCode, MessageKind, MessageMark, MessageSide } from '#contract';
import {
  Base64Pieces,
  GrpcReader,
  type GrpcDialect,
  type GrpcSink,
  type GrpcStart,
} from '../../../../proxy-engine/batches.ts';
import { decodeWhole } from '../decode/decode-whole.ts';
import { INFLATED_BYTES } from './message-inflater.ts';
import type { MessageLog, MessageSource } from './message-log.ts';
import type { PayloadKeeper } from './message-payload.ts';

/** What a call's heads say about its messages. */
export interface GrpcTerms {
  readonly dialect: GrpcDialect;
  /** What the messages are; `grpc` is protobuf. */
  readonly kind: Extract<MessageKind, 'grpc' | 'text' | 'binary'>;
  /** `grpc-encoding` or `connect-content-encoding` of the side; null for `identity` or none. */
  readonly encoding: string | null;
  /** The body is base64: `application/grpc-web-text`. */
  readonly isText: boolean;
  /** The body stands in the store as it is read here. */
  readonly isPlain: boolean;
}

/** What the last message of a stream says about the call. */
export interface CallEnd {
  readonly facts: Readonly<Record<string, string>>;
  readonly isBroken: boolean;
}

const MESSAGE_ANOMALIES = { grpc: 'grpc-message', connect: 'connect-message' } as const satisfies Record<
  GrpcDialect,
  AnomalyCode
>;

/** One direction of a gRPC call, or of a stream of Connect. */
export class GrpcSource implements MessageSource {
  readonly isBusy = false;
  readonly #reader: GrpcReader;
  readonly #messages: GrpcMessages;
  readonly #base64: Base64Pieces | null;

  /** @param readLast reads the last message of gRPC-Web, a trailer section, or of Connect */
  constructor(log: MessageLog, side: MessageSide, terms: GrpcTerms, readLast: (payload: Buffer) => CallEnd) {
    this.#reader = new GrpcReader(terms.dialect);
    this.#base64 = terms.isText ? new Base64Pieces() : null;
    const plain = { ...terms, isPlain: terms.isPlain && !terms.isText };
    this.#messages = new GrpcMessages(log, side, plain, readLast);
  }

  receive(bytes: Buffer, time: number): void {
    this.#messages.time = time;
    this.#reader.receive(this.#base64?.decode(bytes) ?? bytes, this.#messages);
  }

  skip(time: number): void {
    this.end(time);
  }

  end(time: number): void {
    this.#messages.time = time;
    this.#reader.receiveEof(this.#messages);
  }

  close(): void {
    // Nothing goes on elsewhere.
  }
}

class GrpcMessages implements GrpcSink {
  time = 0;
  readonly #log: MessageLog;
  readonly #side: MessageSide;
  readonly #terms: GrpcTerms;
  readonly #readLast: (payload: Buffer) => CallEnd;
  readonly #keeper: PayloadKeeper;
  readonly #anomaly: AnomalyCode;
  #start: GrpcStart['kind'] = 'message';
  /** Pieces of a message that is needed whole: a compressed one, or the last; null for any other. */
  #held: Buffer[] | null = null;
  #isCompressed = false;
  #isOver = false;

  constructor(log: MessageLog, side: MessageSide, terms: GrpcTerms, readLast: (payload: Buffer) => CallEnd) {
    this.#log = log;
    this.#side = side;
    this.#terms = terms;
    this.#readLast = readLast;
    this.#anomaly = MESSAGE_ANOMALIES[terms.dialect];
    this.#keeper = log.makeKeeper(side);
  }

  begin({ kind, compressed, payloadBytes, position }: GrpcStart): void {
    this.#start = kind;
    this.#isCompressed = compressed;
    const isHeld = (compressed || kind !== 'message') && payloadBytes <= INFLATED_BYTES;
    this.#held = isHeld ? [] : null;
    this.#keeper.begin(this.#terms.isPlain && !isHeld ? position : null);
  }

  payload(bytes: Buffer): void {
    // A copy: it may take many commits until the message is whole.
    if (this.#held === null) this.#keeper.add(bytes);
    else this.#held.push(Buffer.from(bytes));
  }

  end(wireBytes: number, cut: boolean): void {
    const marks: MessageMark[] = cut ? ['cut'] : [];
    const anomalies = new Set<AnomalyCode>();
    let kind: MessageKind = this.#start === 'message' ? this.#terms.kind : this.#start;
    let facts: CallEnd['facts'] = {};
    if (this.#held !== null) {
      const held = Buffer.concat(this.#held);
      this.#held = null;
      const inflated = this.#isCompressed && !cut ? this.#inflate(held) : null;
      if (inflated !== null && 'bytes' in inflated) marks.push('compressed');
      else if (this.#isCompressed) {
        marks.push(inflated?.failure === 'bomb' ? 'bomb' : 'not-inflated');
        if (inflated?.failure === 'damaged') anomalies.add(this.#anomaly);
        kind = this.#packedKind;
      }
      const bytes = inflated !== null && 'bytes' in inflated ? inflated.bytes : held;
      this.#keeper.add(bytes);
      if (kind === this.#start && !cut) {
        const last = this.#readLast(bytes);
        facts = last.facts;
        if (last.isBroken) anomalies.add(this.#anomaly);
      }
    } else if (this.#isCompressed) {
      marks.push('bomb');
      kind = this.#packedKind;
    }
    if (this.#isMisplaced()) anomalies.add(this.#anomaly);
    const payload = this.#keeper.finish(kind);
    this.#log.add(this.#side, { kind, time: this.time, wireBytes, payload, marks, anomalies: [...anomalies], facts });
  }

  broken(): void {
    this.#log.anomalies.add(this.#anomaly);
  }

  /** What a message is that stays compressed. */
  get #packedKind(): MessageKind {
    return this.#terms.dialect === 'grpc' ? 'grpc' : 'binary';
  }

  /** Only the last message of an answer of Connect is an end of the stream. */
  #isMisplaced(): boolean {
    const wasOver = this.#isOver;
    if (this.#start === 'end-stream') this.#isOver = true;
    return wasOver || (this.#isOver && this.#side === 'request');
  }

  #inflate(bytes: Buffer): { readonly bytes: Buffer } | { readonly failure: 'damaged' | 'bomb' | 'unsupported' } {
    if (this.#terms.encoding === null) return { failure: 'damaged' };
    const { bytes: decoded, stopped } = decodeWhole(bytes, [this.#terms.encoding], INFLATED_BYTES);
    if (stopped === null) return { bytes: decoded };
    if (stopped === 'budget') return { failure: 'bomb' };
    return { failure: stopped === 'unsupported' ? 'unsupported' : 'damaged' };
  }
}
