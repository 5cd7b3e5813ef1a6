import type { AnomalyCode, MessageKind, MessageMark, MessageSide } from '#contract';
import { Base64Pieces, GrpcReader, type GrpcSink, type GrpcStart } from '../../../../proxy-engine/batches.ts';
import { decodeWhole } from '../decode/decode-whole.ts';
import { INFLATED_BYTES } from './message-inflater.ts';
import type { MessageLog, MessageSource } from './message-log.ts';
import type { PayloadKeeper } from './message-payload.ts';

/** What a call's heads say about its messages. */
export interface GrpcTerms {
  /** `grpc-encoding` of the side; null for `identity` or none. */
  readonly encoding: string | null;
  /** The body is base64: `application/grpc-web-text`. */
  readonly isText: boolean;
  /** The body stands in the store as it is read here. */
  readonly isPlain: boolean;
}

/** One direction of a gRPC call. */
export class GrpcSource implements MessageSource {
  readonly isBusy = false;
  readonly #reader = new GrpcReader();
  readonly #messages: GrpcMessages;
  readonly #base64: Base64Pieces | null;

  /** @param onTrailers hears of the trailer section that gRPC-Web sends as its last message */
  constructor(log: MessageLog, side: MessageSide, terms: GrpcTerms, onTrailers: (section: Buffer) => void) {
    this.#base64 = terms.isText ? new Base64Pieces() : null;
    const plain = { ...terms, isPlain: terms.isPlain && !terms.isText };
    this.#messages = new GrpcMessages(log, side, plain, onTrailers);
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
  readonly #onTrailers: (section: Buffer) => void;
  readonly #keeper: PayloadKeeper;
  #kind: MessageKind = 'grpc';
  /** Pieces of a message that is needed whole: a compressed one, or trailers; null for any other. */
  #held: Buffer[] | null = null;
  #isCompressed = false;

  constructor(log: MessageLog, side: MessageSide, terms: GrpcTerms, onTrailers: (section: Buffer) => void) {
    this.#log = log;
    this.#side = side;
    this.#terms = terms;
    this.#onTrailers = onTrailers;
    this.#keeper = log.makeKeeper(side);
  }

  begin({ kind, compressed, payloadBytes, position }: GrpcStart): void {
    this.#kind = kind;
    this.#isCompressed = compressed;
    const isHeld = (compressed || kind === 'trailers') && payloadBytes <= INFLATED_BYTES;
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
    const anomalies: AnomalyCode[] = [];
    let kind = this.#kind;
    if (this.#held !== null) {
      const held = Buffer.concat(this.#held);
      this.#held = null;
      const inflated = this.#isCompressed && !cut ? this.#inflate(held) : null;
      if (inflated !== null && 'bytes' in inflated) marks.push('compressed');
      else if (this.#isCompressed) {
        marks.push(inflated?.failure === 'bomb' ? 'bomb' : 'not-inflated');
        if (inflated?.failure === 'damaged') anomalies.push('grpc-message');
        kind = 'grpc';
      }
      const bytes = inflated !== null && 'bytes' in inflated ? inflated.bytes : held;
      this.#keeper.add(bytes);
      if (kind === 'trailers') this.#onTrailers(bytes);
    } else if (this.#isCompressed) marks.push('bomb');
    const payload = this.#keeper.finish(kind);
    this.#log.add(this.#side, { kind, time: this.time, wireBytes, payload, marks, anomalies });
  }

  broken(): void {
    this.#log.anomalies.add('grpc-message');
  }

  #inflate(bytes: Buffer): { readonly bytes: Buffer } | { readonly failure: 'damaged' | 'bomb' | 'unsupported' } {
    if (this.#terms.encoding === null) return { failure: 'damaged' };
    const { bytes: decoded, stopped } = decodeWhole(bytes, [this.#terms.encoding], INFLATED_BYTES);
    if (stopped === null) return { bytes: decoded };
    if (stopped === 'budget') return { failure: 'bomb' };
    return { failure: stopped === 'unsupported' ? 'unsupported' : 'damaged' };
  }
}
