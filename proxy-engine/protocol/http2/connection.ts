import { ConnectionCore } from './connection-core.ts';
import { CONNECTION_PREFACE, FrameType, Flag, Http2Error, SMALLEST_MAX_FRAME } from './constants.ts';
import { ControlFrames } from './control-frames.ts';
import type { Fault, Http2Events, Http2Failure, Http2Limits, Http2Options } from './events.ts';
import { FrameReader, type FrameSink } from './frame-reader.ts';
import type { FrameWatcher } from './frame-watcher.ts';
import type { HeaderToSend } from './hpack/encoder.ts';
import { MessageFrames } from './message-frames.ts';
import { Http2Stream } from './stream.ts';
import type { Role } from './stream-table.ts';

const NOTHING = Buffer.alloc(0);

/**
 * One HTTP/2 connection without its socket: octets in, events out, octets to write in `take`. Never throws on input.
 *
 * @see RFC 9113
 */
export class Http2Connection<Owner> implements FrameSink {
  readonly #core: ConnectionCore<Owner>;
  readonly #control: ControlFrames<Owner>;
  readonly #messages: MessageFrames<Owner>;
  readonly #reader: FrameReader;
  readonly #watcher: FrameWatcher | null;
  #prefaceLeft: number;

  constructor(role: Role, limits: Http2Limits, events: Http2Events<Owner>, options: Http2Options) {
    const core = new ConnectionCore(role, limits, events, options);
    this.#core = core;
    this.#control = new ControlFrames(core);
    this.#messages = new MessageFrames(core, options.tolerateSpace);
    this.#reader = new FrameReader(this);
    this.#watcher = options.watcher ?? null;
    this.#prefaceLeft = role === 'server' ? CONNECTION_PREFACE.length : 0;
    if (role === 'client') core.writer.raw(CONNECTION_PREFACE);
    core.writer.settings(core.ownSettings(options.offersConnect));
    core.receiving.begin();
  }

  /** Why the connection was given up, or null. */
  get failure(): Http2Failure | null {
    return this.#core.failure;
  }

  /** Streams open now, both sides'. */
  get openStreams(): number {
    return this.#core.streams.size;
  }

  /** True when GOAWAY was sent or received: no new streams. */
  get draining(): boolean {
    return this.#core.goawaySent || this.#core.goawayReceived;
  }

  /** Client: another stream may be opened now. */
  get canOpen(): boolean {
    const { failure, streams, peerMaxStreams, receiving } = this.#core;
    return (
      failure === null &&
      !this.draining &&
      streams.ownOpen < peerMaxStreams &&
      streams.ownOpen < receiving.mostStreams &&
      streams.hasNumbers
    );
  }

  /** The peer's SETTINGS have arrived. */
  get ready(): boolean {
    return this.#core.settingsSeen;
  }

  /** The peer takes extended CONNECT (RFC 8441 §3). */
  get takesConnectProtocol(): boolean {
    return this.#core.peerTakesConnect;
  }

  get pendingBytes(): number {
    return this.#core.writer.pendingBytes;
  }

  /** Changes whenever the same header list may be encoded as other octets. */
  get encoderGeneration(): number {
    const { encoder } = this.#core;
    return encoder.updatePending ? -1 : encoder.generation;
  }

  /** Takes everything that waits to be written, for as few writes as the host can make. */
  take(): Buffer[] {
    return this.#core.writer.take();
  }

  /** Buffers that nobody needs once what `take` gave is copied or sent: what `sendData` was told. To be called after it. */
  takeSpent(): readonly Buffer[] {
    return this.#core.writer.takeSpent();
  }

  receive(bytes: Buffer): void {
    if (this.#core.failure !== null) return;
    let start = 0;
    while (this.#prefaceLeft > 0) {
      if (start === bytes.length) return;
      if (bytes[start] !== CONNECTION_PREFACE[CONNECTION_PREFACE.length - this.#prefaceLeft]) {
        this.#core.fail(Http2Error.protocolError, 'The connection preface is wrong.');
        return;
      }
      start += 1;
      this.#prefaceLeft -= 1;
    }
    this.#reader.receive(bytes, start, bytes.length);
  }

  /** Client: opens a stream with a request head. @returns null when `canOpen` is false */
  open(fields: Iterable<HeaderToSend>, endStream: boolean, owner: Owner): Http2Stream<Owner> | null {
    if (!this.canOpen) return null;
    const { streams, sending, receiving } = this.#core;
    const stream = new Http2Stream<Owner>(streams.takeNumber(), sending.initialWindow, receiving.grantedWindow);
    stream.owner = owner;
    streams.add(stream);
    this.sendHead(stream, fields, endStream);
    return stream;
  }

  /** Sends a head: a request's, or an informational or final response's. */
  sendHead(stream: Http2Stream<Owner>, fields: Iterable<HeaderToSend>, endStream: boolean): void {
    this.#core.sendHead(stream, fields, endStream);
  }

  /** Sends a header block that `encodeBlock` made at the present `encoderGeneration`. */
  sendBlock(stream: Http2Stream<Owner>, block: Buffer, endStream: boolean): void {
    this.#core.sendBlock(stream, block, endStream);
  }

  /** Encodes a list for `sendBlock`, to be sent next; the octets are a copy that may be kept. */
  encodeBlock(fields: Iterable<HeaderToSend>): Buffer {
    return Buffer.from(this.#core.encoder.encode(fields));
  }

  /**
   * Sends body octets as far as the windows allow and queues the rest.
   *
   * @param bytes kept until written: the caller must not reuse them
   * @param spent what was read once, if nobody keeps any of it but for `bytes`: `takeSpent` tells when those are written
   * @returns false when something is queued: wait for `onDrained` before sending much more
   */
  sendData(
    stream: Http2Stream<Owner>,
    bytes: Buffer,
    start: number,
    end: number,
    endStream: boolean,
    spent: Buffer | null = null,
  ): boolean {
    if (stream.closed || stream.localEnded) return true;
    return this.#core.sending.send(stream, bytes, start, end, endStream, spent);
  }

  /** Ends our side of the stream with trailers, after what is queued. */
  sendTrailers(stream: Http2Stream<Owner>, fields: readonly HeaderToSend[]): void {
    if (stream.closed || stream.localEnded) return;
    if (stream.queue.length > 0) {
      stream.trailersAfterQueue = fields;
      return;
    }
    this.sendHead(stream, fields, true);
  }

  /** Closes the stream before its end. */
  reset(stream: Http2Stream<Owner>, code: number): void {
    if (stream.closed) return;
    this.#core.writer.rstStream(stream.id, code);
    this.#core.close(stream, 'our-reset');
  }

  /** Body octets of a stream have left us: the peer may send as many more (RFC 9113 §5.2). */
  consume(stream: Http2Stream<Owner>, octets: number): void {
    if (stream.closed || stream.remoteEnded) return;
    this.#core.receiving.consume(stream, octets);
  }

  /** Announces that no new streams are taken; those that began go on (RFC 9113 §6.8). */
  goAway(code: number = Http2Error.noError, debug = ''): void {
    const core = this.#core;
    if (core.goawaySent) return;
    core.goawaySent = true;
    core.writer.goaway(core.streams.lastPeerStream, code, debug);
  }

  /** The peer's side of the transport ended or broke: every open stream is reset. */
  transportClosed(message: string): void {
    this.#core.failure ??= { code: Http2Error.noError, byPeer: true, message };
    this.#core.resetAll(Http2Error.cancel, true, message);
  }

  // ---- the frames --------------------------------------------------------------------------------------------------

  onFrameHead(type: number, flags: number, stream: number, length: number): boolean {
    const refusal = this.#refuseFrame(type, flags, stream, length);
    // Seen before what it leads to; of a frame that is refused the payload is not read.
    if (type === FrameType.data || refusal !== null) {
      this.#watcher?.onFrame(false, type, flags, stream, length, NOTHING, 0, 0);
    }
    if (refusal !== null) return this.#core.failFor(refusal);
    return type !== FrameType.data || this.#messages.onDataHead(flags, stream, length);
  }

  /** Why a frame cannot come here, by its head; null where it can. */
  #refuseFrame(type: number, flags: number, stream: number, length: number): Fault | null {
    if (length > SMALLEST_MAX_FRAME) {
      return {
        code: Http2Error.frameSizeError,
        message: `A frame of ${String(length)} octets is larger than we allow.`,
      };
    }
    if (!this.#core.settingsSeen && (type !== FrameType.settings || (flags & Flag.ack) !== 0)) {
      return { code: Http2Error.protocolError, message: 'The first frame is not SETTINGS.' };
    }
    const block = this.#messages.openBlock;
    if (block !== 0) {
      if (type === FrameType.continuation && stream === block) return null;
      return { code: Http2Error.protocolError, message: 'A header block was interrupted by another frame.' };
    }
    if (type !== FrameType.continuation) return null;
    return { code: Http2Error.protocolError, message: 'CONTINUATION without a header block.' };
  }

  onDataPart(
    flags: number,
    id: number,
    bytes: Buffer,
    start: number,
    end: number,
    flowBytes: number,
    last: boolean,
  ): boolean {
    return this.#messages.onDataPart(flags, id, bytes, start, end, flowBytes, last);
  }

  onBadPadding(): void {
    this.#core.fail(Http2Error.protocolError, 'Padding is longer than its frame.');
  }

  onFrame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean {
    const isBlock = type === FrameType.headers || type === FrameType.continuation;
    this.#watcher?.onFrame(false, type, flags, stream, end - start, bytes, start, isBlock ? start : end);
    switch (type) {
      case FrameType.headers:
        return this.#messages.onHeaders(flags, stream, bytes, start, end);
      case FrameType.continuation:
        return this.#messages.onContinuation(flags, bytes, start, end);
      case FrameType.priority:
        return this.#control.onPriority(stream, bytes, start, end);
      case FrameType.rstStream:
        return this.#control.onRstStream(stream, bytes, start, end);
      case FrameType.settings:
        return this.#control.onSettings(flags, stream, bytes, start, end);
      case FrameType.ping:
        return this.#control.onPing(flags, stream, bytes, start, end);
      case FrameType.goaway:
        return this.#control.onGoaway(stream, bytes, start, end);
      case FrameType.windowUpdate:
        return this.#control.onWindowUpdate(stream, bytes, start, end);
      case FrameType.pushPromise:
        // We refuse push as a client and no client may push (RFC 9113 §6.6, §8.4).
        return this.#core.fail(Http2Error.protocolError, 'PUSH_PROMISE though push is switched off.');
      default:
        return this.#core.allow('ignoredFrames');
    }
  }
}
