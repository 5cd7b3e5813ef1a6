import { isUtf8 } from 'node:buffer';
import type { AnomalyCode, MessageKind, MessageMark, MessageSide } from '#contract';
import {
  MessageReader,
  type ControlFrame,
  type MessageEnd,
  type MessageSink,
  type MessageStart,
  type NegotiatedExtensions,
} from '../../../../proxy-engine/batches.ts';
import { INFLATED_BYTES, MessageInflater } from './message-inflater.ts';
import type { MessageLog, MessageSource } from './message-log.ts';
import { payloadInRow, previewOf, type PayloadKeeper } from './message-payload.ts';

/** The code of a close frame stands in front of its reason. */
const CLOSE_CODE_BYTES = 2;

/** One direction of a WebSocket. */
export class WebSocketSource implements MessageSource {
  readonly isBusy = false;
  readonly #reader: MessageReader;
  readonly #messages: WebSocketMessages;

  constructor(log: MessageLog, side: MessageSide, extensions: NegotiatedExtensions) {
    this.#reader = new MessageReader(side, extensions);
    const { deflate } = extensions;
    const forgets = side === 'request' ? deflate?.clientForgets : deflate?.originForgets;
    this.#messages = new WebSocketMessages(log, side, forgets === undefined ? null : new MessageInflater(forgets));
  }

  receive(bytes: Buffer, time: number): void {
    this.#messages.time = time;
    this.#reader.receive(bytes, this.#messages);
  }

  skip(time: number): void {
    this.#messages.time = time;
    this.#reader.skip(this.#messages);
    this.#messages.lose();
  }

  end(time: number): void {
    this.#messages.time = time;
    this.#reader.receiveEof(this.#messages);
  }

  close(): void {
    // Nothing goes on elsewhere.
  }
}

/** Turns what the reader tells into messages of the log; inflates those that are compressed. */
class WebSocketMessages implements MessageSink {
  time = 0;
  readonly #log: MessageLog;
  readonly #side: MessageSide;
  readonly #inflater: MessageInflater | null;
  readonly #data: PayloadKeeper;
  #kind: MessageKind = 'unknown';
  #isCompressed = false;
  /** Pieces of a compressed message that is short enough to be inflated. */
  #compressed: Buffer[] = [];
  #compressedBytes = 0;

  constructor(log: MessageLog, side: MessageSide, inflater: MessageInflater | null) {
    this.#log = log;
    this.#side = side;
    this.#inflater = inflater;
    this.#data = log.makeKeeper(side);
  }

  lose(): void {
    this.#inflater?.lose();
  }

  begin({ kind, compressed, isPlain, position }: MessageStart): void {
    this.#kind = kind;
    this.#isCompressed = compressed;
    this.#compressed = [];
    this.#compressedBytes = 0;
    this.#data.begin(isPlain && !compressed ? position : null);
  }

  payload(bytes: Buffer): void {
    if (!this.#isCompressed || this.#compressedBytes > INFLATED_BYTES) {
      this.#data.add(bytes);
      return;
    }
    // A copy: it may take many commits until the message is whole.
    this.#compressed.push(Buffer.from(bytes));
    this.#compressedBytes += bytes.length;
    if (this.#compressedBytes > INFLATED_BYTES) this.#keepCompressed();
  }

  end({ wireBytes, frames, cut, anomalies }: MessageEnd): void {
    const marks: MessageMark[] = [];
    const found: AnomalyCode[] = [...anomalies];
    let kind = this.#kind;
    if (frames > 1) marks.push('fragmented');
    if (cut) marks.push('cut');
    if (this.#isCompressed) {
      const failure = cut ? 'cut' : this.#inflate(found);
      if (failure === null) marks.push('compressed');
      else {
        marks.push(failure === 'bomb' ? 'bomb' : 'not-inflated');
        // What is shown then is no text.
        kind = 'binary';
        if (failure === 'damaged') found.push('websocket-compression');
        this.#inflater?.lose();
        this.#keepCompressed();
      }
    }
    const payload = this.#data.finish(kind);
    this.#log.add(this.#side, { kind, time: this.time, wireBytes, payload, marks, anomalies: found });
  }

  control({ kind, payload, wireBytes, code, anomalies }: ControlFrame): void {
    const facts: Record<string, string> = {};
    const said = payload.toString('latin1');
    let preview = /^[\x20-\x7e]*$/.test(said) ? said : previewOf(kind, payload);
    if (kind === 'close') {
      const reason = payload.toString('utf8', CLOSE_CODE_BYTES);
      if (code !== null) facts['code'] = String(code);
      if (reason !== '') facts['reason'] = reason;
      preview = [facts['code'] ?? '', reason].join(' ').trim();
    }
    const stored = payloadInRow(payload, preview);
    this.#log.add(this.#side, { kind, time: this.time, wireBytes, payload: stored, anomalies, facts });
  }

  /** @returns why it could not be; null when it was */
  #inflate(anomalies: AnomalyCode[]): 'damaged' | 'bomb' | null {
    if (this.#compressedBytes > INFLATED_BYTES) return 'bomb';
    const outcome = this.#inflater?.inflate(Buffer.concat(this.#compressed)) ?? { failure: 'damaged' };
    if ('failure' in outcome) return outcome.failure;
    this.#compressed = [];
    if (this.#kind === 'text' && !isUtf8(outcome.bytes)) anomalies.push('websocket-utf-8');
    this.#data.add(outcome.bytes);
    return null;
  }

  #keepCompressed(): void {
    for (const piece of this.#compressed) this.#data.add(piece);
    this.#compressed = [];
  }
}
