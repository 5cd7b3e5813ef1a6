import { Utf8Checker } from '../../base/utf8-checker.ts';
import type { AnomalyCode } from '../../model/anomaly-code.ts';
import type { MessageSide } from '../../model/exchange.ts';
import { maySendCloseCode } from '../../model/close-code.ts';
import type { NegotiatedExtensions } from './extensions.ts';
import { FrameHeader, OPCODE } from './frame-header.ts';
import { unmask } from './mask.ts';

/** RSV1 as `FrameHeader.reservedBits` has it: the message is compressed (RFC 7692 §6). */
const COMPRESSED_BIT = 4;
/** Longest payload of a control frame (RFC 6455 §5.5); of a longer one this much is kept. */
const CONTROL_BYTES = 125;

const CONTROL_KINDS: ReadonlyMap<number, 'close' | 'ping' | 'pong'> = new Map([
  [OPCODE.close, 'close'],
  [OPCODE.ping, 'ping'],
  [OPCODE.pong, 'pong'],
]);

/** What a data message begins with. */
export interface MessageStart {
  /** `unknown` for one whose beginning was not seen, or of a reserved opcode. */
  readonly kind: 'text' | 'binary' | 'unknown';
  readonly compressed: boolean;
  /** It is one frame without a mask: its payload stands on the wire as it is, in one piece, from `position` on. */
  readonly isPlain: boolean;
  /** Bytes that came on this side before the payload's first. */
  readonly position: number;
}

/** What is known of a message at its end. */
export interface MessageEnd {
  /** Bytes on the wire: of all its frames, with their headers. */
  readonly wireBytes: number;
  readonly frames: number;
  /** The stream ended, or bytes are missing, inside of it. */
  readonly cut: boolean;
  readonly anomalies: readonly AnomalyCode[];
}

/** A whole control frame. */
export interface ControlFrame {
  /** `unknown` for a reserved opcode. */
  readonly kind: 'close' | 'ping' | 'pong' | 'unknown';
  readonly payload: Buffer;
  readonly wireBytes: number;
  /** Close code; null for other frames and for a close without one. */
  readonly code: number | null;
  readonly anomalies: readonly AnomalyCode[];
}

/** What a reader tells. Between `begin` and `end` of one message there may be control frames, but no other message. */
export interface MessageSink {
  begin(start: MessageStart): void;
  /** A piece of the payload, without its mask; a view of what was received if there was none. */
  payload(bytes: Buffer): void;
  end(end: MessageEnd): void;
  control(frame: ControlFrame): void;
}

/**
 * Reads the messages of one direction from the bytes behind a handshake. It judges nothing: the peer does that; what breaks
 * RFC 6455 is named with the message in which it stood, and read on as far as it can be.
 */
export class MessageReader {
  readonly #side: MessageSide;
  readonly #extensions: NegotiatedExtensions;
  readonly #header = new FrameHeader();
  readonly #text = new Utf8Checker();
  readonly #control = Buffer.allocUnsafe(CONTROL_BYTES);
  #position = 0;
  #payloadLeft = 0;
  /** Bytes of this frame's payload that came, for the phase of its mask. */
  #payloadRead = 0;
  #message: OpenMessage | null = null;
  #controlBytes = 0;
  #controlAnomalies: AnomalyCode[] = [];
  #isClosed = false;
  #isLost = false;
  #isAfterGap = false;

  /** @param side `request` for what the client sends */
  constructor(side: MessageSide, extensions: NegotiatedExtensions) {
    this.#side = side;
    this.#extensions = extensions;
  }

  /** No frame can be found any more: one of impossible length came. */
  get isLost(): boolean {
    return this.#isLost;
  }

  receive(bytes: Buffer, sink: MessageSink): void {
    let at = 0;
    while (at < bytes.length && !this.#isLost) {
      if (this.#payloadLeft === 0) {
        const begin = this.#header.read(bytes, at, bytes.length);
        const next = begin < 0 ? bytes.length : begin;
        this.#position += next - at;
        at = next;
        if (begin >= 0) this.#beginFrame(sink);
      } else {
        const end = Math.min(bytes.length, at + this.#payloadLeft);
        this.#takePayload(bytes.subarray(at, end), sink);
        this.#position += end - at;
        at = end;
        if (this.#payloadLeft === 0) this.#endFrame(sink);
      }
    }
    this.#position += bytes.length - at;
  }

  /** Bytes are missing here; what follows begins with a frame. */
  skip(sink: MessageSink): void {
    this.#cut(sink);
    this.#isAfterGap = true;
  }

  /** Nothing follows. */
  receiveEof(sink: MessageSink): void {
    this.#cut(sink);
  }

  #cut(sink: MessageSink): void {
    this.#header.reset();
    this.#payloadLeft = 0;
    this.#controlBytes = 0;
    this.#controlAnomalies = [];
    const message = this.#message;
    this.#message = null;
    if (message !== null) sink.end(message.ending(true));
  }

  #beginFrame(sink: MessageSink): void {
    const header = this.#header;
    const anomalies: AnomalyCode[] = [];
    if (header.payloadBytes < 0) {
      this.#isLost = true;
      anomalies.push('websocket-length');
    }
    if (header.isLengthPadded) anomalies.push('websocket-length');
    if (header.masked !== (this.#side === 'request')) anomalies.push('websocket-mask');
    if (this.#isClosed) anomalies.push('websocket-after-close');
    this.#payloadLeft = Math.max(0, header.payloadBytes);
    this.#payloadRead = 0;
    if (header.isControl) this.#beginControl(anomalies);
    else this.#beginData(anomalies, sink);
    if (this.#payloadLeft === 0) this.#endFrame(sink);
  }

  #beginControl(anomalies: AnomalyCode[]): void {
    const header = this.#header;
    if (header.reservedBits !== 0 && this.#ownsReserved) anomalies.push('websocket-reserved-bits');
    if (!header.fin || header.payloadBytes > CONTROL_BYTES) anomalies.push('websocket-control');
    if (header.opcode > OPCODE.pong && this.#ownsReserved) anomalies.push('websocket-opcode');
    this.#controlBytes = 0;
    this.#controlAnomalies = anomalies;
  }

  #beginData(anomalies: AnomalyCode[], sink: MessageSink): void {
    const header = this.#header;
    const isContinuation = header.opcode === OPCODE.continuation;
    const mayCompress = this.#extensions.deflate !== null && !isContinuation;
    const unknownBits = mayCompress ? header.reservedBits & ~COMPRESSED_BIT : header.reservedBits;
    if (unknownBits !== 0 && this.#ownsReserved) anomalies.push('websocket-reserved-bits');
    if (header.opcode > OPCODE.binary && this.#ownsReserved) anomalies.push('websocket-opcode');
    if (isContinuation && this.#message !== null) {
      this.#message.addFrame(header, anomalies);
      return;
    }
    if (isContinuation && !this.#isAfterGap) anomalies.push('websocket-sequence');
    if (this.#message !== null) {
      // Another message began before this one ended: that is the fault of the one that follows.
      anomalies.push('websocket-sequence');
      sink.end(this.#message.ending(true));
    }
    const kind = header.opcode === OPCODE.text ? 'text' : header.opcode === OPCODE.binary ? 'binary' : 'unknown';
    const compressed = mayCompress && (header.reservedBits & COMPRESSED_BIT) !== 0;
    const message = new OpenMessage(kind === 'text' && !compressed, isContinuation && this.#isAfterGap);
    message.addFrame(header, anomalies);
    this.#message = message;
    this.#isAfterGap = false;
    this.#text.reset();
    sink.begin({ kind, compressed, isPlain: header.fin && header.maskKey === 0, position: this.#position });
  }

  #takePayload(piece: Buffer, sink: MessageSink): void {
    const header = this.#header;
    const bytes = header.maskKey === 0 ? piece : unmask(piece, header.maskKey, this.#payloadRead);
    this.#payloadLeft -= piece.length;
    this.#payloadRead += piece.length;
    if (header.isControl) {
      this.#controlBytes += bytes.copy(this.#control, this.#controlBytes);
      return;
    }
    const message = this.#message;
    if (message === null) return;
    message.wireBytes += piece.length;
    if (message.isText) this.#text.check(bytes);
    sink.payload(bytes);
  }

  #endFrame(sink: MessageSink): void {
    const header = this.#header;
    if (header.isControl) {
      this.#endControl(sink);
      return;
    }
    const message = this.#message;
    if (message === null || !header.fin) return;
    this.#message = null;
    if (message.isText && !(this.#text.isValid && this.#text.isComplete)) message.anomalies.push('websocket-utf-8');
    sink.end(message.ending(this.#isLost || message.isHeadless));
  }

  #endControl(sink: MessageSink): void {
    const { opcode, payloadBytes, headerBytes } = this.#header;
    const payload = Buffer.from(this.#control.subarray(0, this.#controlBytes));
    const anomalies = this.#controlAnomalies;
    const kind = CONTROL_KINDS.get(opcode) ?? 'unknown';
    let code: number | null = null;
    if (kind === 'close') {
      this.#isClosed = true;
      if (payload.length === 1) anomalies.push('websocket-close-code');
      if (payload.length >= 2) {
        code = payload.readUInt16BE(0);
        if (!maySendCloseCode(code)) anomalies.push('websocket-close-code');
        const reason = new Utf8Checker();
        if (!reason.check(payload.subarray(2)) || !reason.isComplete) anomalies.push('websocket-utf-8');
      }
    }
    sink.control({ kind, payload, wireBytes: headerBytes + Math.max(0, payloadBytes), code, anomalies });
  }

  /** Reserved bits and opcodes mean what an extension says that we do not know, so that they are no fault then. */
  get #ownsReserved(): boolean {
    return this.#extensions.others.length === 0;
  }
}

/** A data message between its first frame and its last. */
class OpenMessage {
  readonly anomalies: AnomalyCode[] = [];
  readonly isText: boolean;
  /** Its first frame was not seen. */
  readonly isHeadless: boolean;
  wireBytes = 0;
  #frames = 0;

  constructor(isText: boolean, isHeadless: boolean) {
    this.isText = isText;
    this.isHeadless = isHeadless;
  }

  addFrame(header: FrameHeader, anomalies: readonly AnomalyCode[]): void {
    this.#frames += 1;
    this.wireBytes += header.headerBytes;
    for (const anomaly of anomalies) if (!this.anomalies.includes(anomaly)) this.anomalies.push(anomaly);
  }

  ending(cut: boolean): MessageEnd {
    return { wireBytes: this.wireBytes, frames: this.#frames, cut, anomalies: this.anomalies };
  }
}
