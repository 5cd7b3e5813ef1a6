import { ClosedStreams, type ClosedBy } from './closed-streams.ts';
import {
  CONNECTION_PREFACE,
  DEFAULT_WINDOW,
  Flag,
  FrameType,
  Http2Error,
  LARGEST_STREAM_ID,
  Setting,
  SMALLEST_MAX_FRAME,
} from './constants.ts';
import type { Fault, Http2Events, Http2Failure, Http2Limits } from './events.ts';
import { FloodGuard, type FloodKind } from './flood-guard.ts';
import { FrameReader, type FrameSink } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import { MalformedHead, readHead, type HeadKind, type Http2Head } from './head.ts';
import { HeaderBlock } from './header-block.ts';
import { HpackDecoder } from './hpack/decoder.ts';
import { HpackEncoder, type HeaderToSend } from './hpack/encoder.ts';
import type { HeaderEntry } from './hpack/header-entry.ts';
import { readSettings } from './peer-settings.ts';
import { SendSide } from './send-side.ts';
import { Http2Stream } from './stream.ts';

type Role = 'client' | 'server';

/**
 * One HTTP/2 connection without its socket: octets in, events out, octets to write in `take`. Never throws on input.
 *
 * @see RFC 9113
 */
export class Http2Connection<Owner> implements FrameSink {
  readonly #role: Role;
  readonly #limits: Http2Limits;
  readonly #events: Http2Events<Owner>;
  readonly #tolerateSpace: boolean;
  readonly #reader: FrameReader;
  readonly #writer = new FrameWriter();
  readonly #decoder = new HpackDecoder();
  readonly #encoder = new HpackEncoder();
  readonly #guard: FloodGuard;
  readonly #streams = new Map<number, Http2Stream<Owner>>();
  readonly #closedStreams = new ClosedStreams();
  readonly #sending: SendSide<Owner>;
  readonly #block: HeaderBlock;
  #prefaceLeft: number;
  #settingsSeen = false;
  /** The peer knows our settings. */
  #acknowledged = false;
  #failure: Http2Failure | null = null;
  #lastPeerStream = 0;
  #nextOwnStream: number;
  #ownOpen = 0;
  #peerOpen = 0;
  #goawaySent = false;
  #goawayReceived = false;
  #draining = false;
  #receiveWindow: number;
  #connectionCreditOwed = 0;
  #peerMaxStreams = Number.POSITIVE_INFINITY;
  #peerConnectProtocol = false;
  readonly #entries: HeaderEntry[] = [];

  /**
   * @param tolerateSpace take white space around field values away and flag it, instead of refusing the message
   * @param now milliseconds, for the flood limits
   */
  constructor(role: Role, limits: Http2Limits, events: Http2Events<Owner>, tolerateSpace: boolean, now: () => number) {
    this.#role = role;
    this.#limits = limits;
    this.#events = events;
    this.#tolerateSpace = tolerateSpace;
    this.#reader = new FrameReader(this);
    this.#block = new HeaderBlock(limits);
    this.#sending = new SendSide(this.#writer, {
      onLocalEnd: (stream) => {
        this.#endLocal(stream);
      },
      onQueueEmpty: (stream) => {
        this.#drained(stream);
      },
    });
    this.#guard = new FloodGuard(limits, now);
    this.#prefaceLeft = role === 'server' ? CONNECTION_PREFACE.length : 0;
    this.#nextOwnStream = role === 'client' ? 1 : 2;
    this.#receiveWindow = Math.max(limits.connectionWindowBytes, DEFAULT_WINDOW);
    if (role === 'client') this.#writer.raw(CONNECTION_PREFACE);
    this.#writer.settings(this.#ownSettings());
    if (this.#receiveWindow > DEFAULT_WINDOW) this.#writer.windowUpdate(0, this.#receiveWindow - DEFAULT_WINDOW);
  }

  /** Why the connection was given up, or null. */
  get failure(): Http2Failure | null {
    return this.#failure;
  }

  /** Streams open now, both sides'. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** True when GOAWAY was sent or received: no new streams. */
  get draining(): boolean {
    return this.#draining || this.#goawayReceived;
  }

  /** Client: another stream may be opened now. */
  get canOpen(): boolean {
    return (
      this.#failure === null &&
      !this.draining &&
      this.#ownOpen < this.#peerMaxStreams &&
      this.#nextOwnStream <= LARGEST_STREAM_ID
    );
  }

  /** The peer's SETTINGS have arrived. */
  get ready(): boolean {
    return this.#settingsSeen;
  }

  /** The peer takes extended CONNECT (RFC 8441 §3). */
  get takesConnectProtocol(): boolean {
    return this.#peerConnectProtocol;
  }

  get pendingBytes(): number {
    return this.#writer.pendingBytes;
  }

  /** Changes whenever the same header list may be encoded as other octets. */
  get encoderGeneration(): number {
    return this.#encoder.updatePending ? -1 : this.#encoder.generation;
  }

  /** Takes everything that waits to be written, for as few writes as the host can make. */
  take(): Buffer[] {
    return this.#writer.take();
  }

  receive(bytes: Buffer): void {
    if (this.#failure !== null) return;
    let start = 0;
    while (this.#prefaceLeft > 0) {
      if (start === bytes.length) return;
      if (bytes[start] !== CONNECTION_PREFACE[CONNECTION_PREFACE.length - this.#prefaceLeft]) {
        this.#fail(Http2Error.protocolError, 'The connection preface is wrong.');
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
    const stream = new Http2Stream<Owner>(this.#nextOwnStream, this.#sending.initialWindow, this.#grantedWindow);
    this.#nextOwnStream += 2;
    this.#ownOpen += 1;
    stream.owner = owner;
    this.#streams.set(stream.id, stream);
    this.sendHead(stream, fields, endStream);
    return stream;
  }

  /** Sends a head: a request's, or an informational or final response's. */
  sendHead(stream: Http2Stream<Owner>, fields: Iterable<HeaderToSend>, endStream: boolean): void {
    this.sendBlock(stream, this.#encoder.encode(fields), endStream);
  }

  /** Sends a header block that `encodeBlock` made at the present `encoderGeneration`. */
  sendBlock(stream: Http2Stream<Owner>, block: Buffer, endStream: boolean): void {
    if (stream.closed || stream.localEnded) return;
    this.#writer.headers(stream.id, block, endStream, this.#sending.maxFrame);
    stream.headSent = true;
    if (endStream) this.#endLocal(stream);
  }

  /** Encodes a list for `sendBlock`, to be sent next; the octets are a copy that may be kept. */
  encodeBlock(fields: Iterable<HeaderToSend>): Buffer {
    return Buffer.from(this.#encoder.encode(fields));
  }

  /**
   * Sends body octets as far as the windows allow and queues the rest.
   *
   * @param bytes kept until written: the caller must not reuse them
   * @returns false when something is queued: wait for `onDrained` before sending much more
   */
  sendData(stream: Http2Stream<Owner>, bytes: Buffer, start: number, end: number, endStream: boolean): boolean {
    if (stream.closed || stream.localEnded) return true;
    return this.#sending.send(stream, bytes, start, end, endStream);
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
    this.#writer.rstStream(stream.id, code);
    this.#close(stream, 'our-reset');
  }

  /** Body octets of a stream have left us: the peer may send as many more (RFC 9113 §5.2). */
  consume(stream: Http2Stream<Owner>, octets: number): void {
    if (stream.closed || stream.remoteEnded) return;
    stream.creditOwed += octets;
    if (stream.creditOwed * 2 < this.#limits.streamWindowBytes) return;
    this.#writer.windowUpdate(stream.id, stream.creditOwed);
    stream.receiveWindow += stream.creditOwed;
    stream.creditOwed = 0;
  }

  /** Announces that no new streams are taken; those that began go on (RFC 9113 §6.8). */
  goAway(code: number = Http2Error.noError, debug = ''): void {
    if (this.#goawaySent) return;
    this.#goawaySent = true;
    this.#draining = true;
    this.#writer.goaway(this.#lastPeerStream, code, debug);
  }

  /** The peer's side of the transport ended or broke: every open stream is reset. */
  transportClosed(message: string): void {
    this.#failure ??= { code: Http2Error.noError, byPeer: true, message };
    this.#resetAll(Http2Error.cancel, true, message);
  }

  onFrameHead(type: number, flags: number, stream: number, length: number): boolean {
    if (length > SMALLEST_MAX_FRAME) {
      return this.#fail(Http2Error.frameSizeError, `A frame of ${String(length)} octets is larger than we allow.`);
    }
    if (!this.#settingsSeen && (type !== FrameType.settings || (flags & Flag.ack) !== 0)) {
      return this.#fail(Http2Error.protocolError, 'The first frame is not SETTINGS.');
    }
    if (this.#block.stream !== 0) {
      if (type === FrameType.continuation && stream === this.#block.stream) return true;
      return this.#fail(Http2Error.protocolError, 'A header block was interrupted by another frame.');
    }
    if (type === FrameType.continuation)
      return this.#fail(Http2Error.protocolError, 'CONTINUATION without a header block.');
    if (type === FrameType.data) return this.#checkDataHead(flags, stream, length);
    return true;
  }

  #checkDataHead(flags: number, id: number, length: number): boolean {
    if (id === 0) return this.#fail(Http2Error.protocolError, 'DATA on stream 0.');
    if (this.#isIdle(id)) return this.#fail(Http2Error.protocolError, `DATA on idle stream ${String(id)}.`);
    if (length > this.#receiveWindow)
      return this.#fail(Http2Error.flowControlError, 'DATA past the window of the connection.');
    this.#receiveWindow -= length;
    const stream = this.#streams.get(id);
    if (length === 0 && (flags & Flag.endStream) === 0 && !this.#allow('emptyFrames')) return false;
    if (stream === undefined) {
      const closedBy = this.#closedStreams.get(id);
      if (closedBy === 'our-reset') return true;
      if (closedBy === 'peer-reset') this.#refuseClosed(id);
      else return this.#fail(Http2Error.streamClosed, `DATA on closed stream ${String(id)}.`);
      return this.#failure === null;
    }
    if (stream.remoteEnded) {
      this.#streamError(stream, Http2Error.streamClosed, 'DATA after END_STREAM.');
    } else if (!stream.headReceived) {
      this.#streamError(stream, Http2Error.protocolError, 'DATA before the head.');
    } else if (length > stream.receiveWindow) {
      this.#streamError(stream, Http2Error.flowControlError, 'DATA past the window of the stream.');
    } else stream.receiveWindow -= length;
    return this.#failure === null;
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
    // Credit of the connection is given back at once: one stalled stream must not hold up the others (RFC 9113 §5.2.2).
    this.#connectionCreditOwed += flowBytes;
    if (this.#connectionCreditOwed * 2 >= this.#limits.connectionWindowBytes) {
      this.#writer.windowUpdate(0, this.#connectionCreditOwed);
      this.#receiveWindow += this.#connectionCreditOwed;
      this.#connectionCreditOwed = 0;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.remoteEnded) return true;
    const octets = end - start;
    if (flowBytes > octets) this.consume(stream, flowBytes - octets);
    stream.receivedBytes += octets;
    const ends = last && (flags & Flag.endStream) !== 0;
    if (!this.#lengthAgrees(stream, ends)) return this.#failure === null;
    if (octets === 0 && !ends) return true;
    if (ends) stream.remoteEnded = true;
    this.#events.onData(stream, bytes, start, end, ends);
    if (ends) this.#finishIfBoth(stream);
    return this.#failure === null;
  }

  onBadPadding(): void {
    this.#fail(Http2Error.protocolError, 'Padding is longer than its frame.');
  }

  onFrame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean {
    switch (type) {
      case FrameType.headers:
        return this.#onHeaders(flags, stream, bytes, start, end);
      case FrameType.continuation:
        return this.#onContinuation(flags, bytes, start, end);
      case FrameType.priority:
        return this.#onPriority(stream, bytes, start, end);
      case FrameType.rstStream:
        return this.#onRstStream(stream, bytes, start, end);
      case FrameType.settings:
        return this.#onSettings(flags, stream, bytes, start, end);
      case FrameType.ping:
        return this.#onPing(flags, stream, bytes, start, end);
      case FrameType.goaway:
        return this.#onGoaway(stream, bytes, start, end);
      case FrameType.windowUpdate:
        return this.#onWindowUpdate(stream, bytes, start, end);
      case FrameType.pushPromise:
        // We refuse push as a client and no client may push (RFC 9113 §6.6, §8.4).
        return this.#fail(Http2Error.protocolError, 'PUSH_PROMISE though push is switched off.');
      default:
        return this.#allow('ignoredFrames');
    }
  }

  #onHeaders(flags: number, id: number, bytes: Buffer, start: number, end: number): boolean {
    if (id === 0) return this.#fail(Http2Error.protocolError, 'HEADERS on stream 0.');
    const fault = this.#block.begin(flags, id, bytes, start, end);
    if (fault !== null) return this.#failFor(fault);
    return !this.#block.complete || this.#onBlock();
  }

  #onContinuation(flags: number, bytes: Buffer, start: number, end: number): boolean {
    const fault = this.#block.add(flags, bytes, start, end);
    if (fault !== null) return this.#failFor(fault);
    return !this.#block.complete || this.#onBlock();
  }

  /** A whole header block: decoded in any case, since the connection has one table (RFC 9113 §4.3). */
  #onBlock(): boolean {
    const { stream: id, endsStream, bytes, start, end } = this.#block;
    this.#block.done();
    this.#entries.length = 0;
    if (!this.#decoder.decode(bytes, start, end, this.#limits.headBytes, this.#entries)) {
      return this.#fail(
        Http2Error.compressionError,
        `A header block cannot be decoded (${this.#decoder.fault ?? 'unknown'}).`,
      );
    }
    const known = this.#streams.get(id);
    const stream = known ?? this.#admit(id);
    if (stream === null) return this.#failure === null;
    const kind = this.#kindOf(stream);
    if (stream.remoteEnded) {
      this.#streamError(stream, Http2Error.streamClosed, 'HEADERS after END_STREAM.');
      return this.#failure === null;
    }
    if (kind === 'trailers' && !endsStream) {
      this.#streamError(stream, Http2Error.protocolError, 'A second head that does not end the stream.');
      return this.#failure === null;
    }
    if (this.#decoder.listSize > this.#limits.headBytes || this.#entries.length > this.#limits.fields) {
      this.#tooLarge(stream);
      return this.#failure === null;
    }
    const head = readHead(kind, this.#entries.slice(), this.#tolerateSpace);
    if (head instanceof MalformedHead) {
      this.#streamError(stream, Http2Error.protocolError, `Malformed ${kind}: ${head.reason}.`);
      return this.#failure === null;
    }
    this.#onHead(stream, head, kind, endsStream);
    return this.#failure === null;
  }

  #kindOf(stream: Http2Stream<Owner>): HeadKind {
    if (stream.headReceived) return 'trailers';
    return this.#role === 'server' ? 'request' : 'response';
  }

  #onHead(stream: Http2Stream<Owner>, head: Http2Head, kind: HeadKind, ends: boolean): void {
    if (kind === 'trailers') {
      if (!this.#lengthAgrees(stream, true)) return;
      stream.remoteEnded = true;
      this.#events.onTrailers(stream, head);
      this.#finishIfBoth(stream);
      return;
    }
    const informational = kind === 'response' && head.status < 200;
    if (informational && ends) {
      this.#streamError(stream, Http2Error.protocolError, 'An informational response that ends the stream.');
      return;
    }
    if (!informational) {
      stream.headReceived = true;
      stream.expectedBytes = stream.withoutBody || head.status === 304 || head.status === 204 ? -1 : head.contentLength;
      if (!this.#lengthAgrees(stream, ends)) return;
    }
    if (ends) stream.remoteEnded = true;
    this.#events.onHead(stream, head, ends);
    if (ends) this.#finishIfBoth(stream);
  }

  /** A header block on a stream that is not open: a new one, a late one, or a fault. Null when nothing more is to be done. */
  #admit(id: number): Http2Stream<Owner> | null {
    if (this.#role === 'client' || id % 2 === 0) {
      const closedBy = this.#closedStreams.get(id);
      if (this.#role === 'client' && closedBy !== undefined) return this.#lateHeaders(id, closedBy);
      this.#fail(Http2Error.protocolError, `HEADERS on stream ${String(id)}, which nobody opened.`);
      return null;
    }
    if (id <= this.#lastPeerStream) {
      const closedBy = this.#closedStreams.get(id);
      if (closedBy !== undefined) return this.#lateHeaders(id, closedBy);
      this.#fail(Http2Error.protocolError, `Stream ${String(id)} is lower than one that was opened before.`);
      return null;
    }
    if (this.#goawaySent) return null;
    this.#lastPeerStream = id;
    if (this.#peerOpen >= this.#limits.concurrentStreams) {
      this.#writer.rstStream(id, Http2Error.refusedStream);
      this.#closedStreams.add(id, 'our-reset');
      this.#allow('resets');
      return null;
    }
    const stream = new Http2Stream<Owner>(id, this.#sending.initialWindow, this.#grantedWindow);
    this.#peerOpen += 1;
    this.#streams.set(id, stream);
    return stream;
  }

  #lateHeaders(id: number, closedBy: ClosedBy): null {
    if (closedBy === 'end') this.#fail(Http2Error.streamClosed, `HEADERS on closed stream ${String(id)}.`);
    else if (closedBy === 'peer-reset') this.#refuseClosed(id);
    return null;
  }

  /** The peer reset the stream and yet goes on with it. */
  #refuseClosed(id: number): void {
    if (!this.#allow('malformedStreams')) return;
    this.#writer.rstStream(id, Http2Error.streamClosed);
    this.#closedStreams.add(id, 'our-reset');
  }

  #tooLarge(stream: Http2Stream<Owner>): void {
    const { headBytes, fields } = this.#limits;
    const reason = `The head is larger than headBytes (${String(headBytes)}) or fields (${String(fields)}) allow.`;
    this.#streamError(stream, Http2Error.enhanceYourCalm, reason);
  }

  #onPriority(id: number, bytes: Buffer, start: number, end: number): boolean {
    if (id === 0) return this.#fail(Http2Error.protocolError, 'PRIORITY on stream 0.');
    if (!this.#allow('ignoredFrames')) return false;
    if (end - start !== 5) return this.#resetId(id, Http2Error.frameSizeError, 'PRIORITY of a wrong length.');
    const dependsOn = bytes.readUInt32BE(start) & 0x7fff_ffff;
    if (dependsOn === id) return this.#resetId(id, Http2Error.protocolError, 'A stream depends on itself.');
    return true;
  }

  /** A stream error on a stream that may not exist. */
  #resetId(id: number, code: number, reason: string): boolean {
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.#streamError(stream, code, reason);
    else if (this.#isIdle(id)) return this.#fail(code, reason);
    else this.#writer.rstStream(id, code);
    return this.#failure === null;
  }

  #onRstStream(id: number, bytes: Buffer, start: number, end: number): boolean {
    if (end - start !== 4) return this.#fail(Http2Error.frameSizeError, 'RST_STREAM of a wrong length.');
    if (id === 0) return this.#fail(Http2Error.protocolError, 'RST_STREAM on stream 0.');
    if (this.#isIdle(id)) return this.#fail(Http2Error.protocolError, `RST_STREAM on idle stream ${String(id)}.`);
    const stream = this.#streams.get(id);
    if (stream === undefined) return this.#allow('resets');
    const code = bytes.readUInt32BE(start);
    this.#close(stream, 'peer-reset');
    this.#events.onReset(stream, code, true, '');
    return this.#allow('resets');
  }

  #onSettings(flags: number, id: number, bytes: Buffer, start: number, end: number): boolean {
    if (id !== 0) return this.#fail(Http2Error.protocolError, 'SETTINGS on a stream.');
    if ((flags & Flag.ack) !== 0) {
      this.#onAcknowledged();
      return end === start || this.#fail(Http2Error.frameSizeError, 'SETTINGS with ACK and a payload.');
    }
    if (!this.#allow('settingsFrames')) return false;
    const fault = readSettings(bytes, start, end, this.#role === 'client', (name, value) =>
      this.#applySetting(name, value),
    );
    if (fault !== null) return this.#failFor(fault);
    this.#settingsSeen = true;
    this.#writer.settingsAck();
    this.#events.onSettings();
    return this.#failure === null;
  }

  /** Window of a stream that begins now: until the peer knows ours, it may take the default one (RFC 9113 §6.9.3). */
  get #grantedWindow(): number {
    const { streamWindowBytes } = this.#limits;
    return this.#acknowledged ? streamWindowBytes : Math.max(streamWindowBytes, DEFAULT_WINDOW);
  }

  #onAcknowledged(): void {
    const tooMuch = this.#grantedWindow - this.#limits.streamWindowBytes;
    this.#acknowledged = true;
    if (tooMuch > 0) for (const stream of this.#streams.values()) stream.receiveWindow -= tooMuch;
  }

  #applySetting(name: number, value: number): Fault | null {
    switch (name) {
      case Setting.headerTableSize:
        this.#encoder.setPeerTableSize(value);
        return null;
      case Setting.maxConcurrentStreams:
        this.#peerMaxStreams = value;
        return null;
      case Setting.initialWindowSize:
        return this.#sending.setInitialWindow(value, this.#streams.values());
      case Setting.maxFrameSize:
        this.#sending.setMaxFrame(value);
        return null;
      case Setting.enableConnectProtocol:
        this.#peerConnectProtocol = value === 1;
        return null;
      default:
        return null;
    }
  }

  #onPing(flags: number, id: number, bytes: Buffer, start: number, end: number): boolean {
    if (end - start !== 8) return this.#fail(Http2Error.frameSizeError, 'PING of a wrong length.');
    if (id !== 0) return this.#fail(Http2Error.protocolError, 'PING on a stream.');
    if (!this.#allow('pings')) return false;
    if ((flags & Flag.ack) === 0) this.#writer.ping(bytes, start, true);
    return true;
  }

  #onGoaway(id: number, bytes: Buffer, start: number, end: number): boolean {
    if (id !== 0) return this.#fail(Http2Error.protocolError, 'GOAWAY on a stream.');
    if (end - start < 8) return this.#fail(Http2Error.frameSizeError, 'GOAWAY of a wrong length.');
    const lastStream = bytes.readUInt32BE(start) & 0x7fff_ffff;
    const code = bytes.readUInt32BE(start + 4);
    this.#goawayReceived = true;
    this.#events.onGoaway(lastStream, code, bytes.toString('latin1', start + 8, Math.min(end, start + 8 + 256)));
    // Streams that the peer did not and will not look at: as good as refused (RFC 9113 §6.8).
    for (const stream of [...this.#streams.values()]) {
      if (stream.id <= lastStream || stream.id % 2 === (this.#role === 'client' ? 0 : 1)) continue;
      this.#close(stream, 'peer-reset');
      this.#events.onReset(
        stream,
        Http2Error.refusedStream,
        true,
        'The peer is going away and did not look at this stream.',
      );
    }
    return this.#failure === null;
  }

  #onWindowUpdate(id: number, bytes: Buffer, start: number, end: number): boolean {
    if (end - start !== 4) return this.#fail(Http2Error.frameSizeError, 'WINDOW_UPDATE of a wrong length.');
    if (!this.#allow('windowUpdates')) return false;
    const increment = bytes.readUInt32BE(start) & 0x7fff_ffff;
    if (id === 0) {
      if (increment === 0) return this.#fail(Http2Error.protocolError, 'WINDOW_UPDATE of 0.');
      const fault = this.#sending.growConnection(increment);
      return fault === null || this.#failFor(fault);
    }
    if (this.#isIdle(id)) return this.#fail(Http2Error.protocolError, `WINDOW_UPDATE on idle stream ${String(id)}.`);
    const stream = this.#streams.get(id);
    if (stream === undefined) return true;
    if (increment === 0) this.#streamError(stream, Http2Error.protocolError, 'WINDOW_UPDATE of 0.');
    else {
      const fault = this.#sending.growStream(stream, increment);
      if (fault !== null) this.#streamError(stream, fault.code, fault.message);
    }
    return this.#failure === null;
  }

  #isIdle(id: number): boolean {
    const own = id % 2 === (this.#role === 'client' ? 1 : 0);
    return own ? id >= this.#nextOwnStream : id > this.#lastPeerStream;
  }

  /** Octets received agree with a declared length so far (RFC 9113 §8.1.1); answers the fault. */
  #lengthAgrees(stream: Http2Stream<Owner>, ended: boolean): boolean {
    const { expectedBytes, receivedBytes } = stream;
    if (expectedBytes === -1) return true;
    if (ended ? receivedBytes === expectedBytes : receivedBytes <= expectedBytes) return true;
    this.#streamError(
      stream,
      Http2Error.protocolError,
      `Content-Length ${String(expectedBytes)} does not agree with ${String(receivedBytes)} octets of DATA.`,
    );
    return false;
  }

  #allow(kind: FloodKind): boolean {
    if (this.#guard.allow(kind)) return true;
    return this.#fail(Http2Error.enhanceYourCalm, `More ${kind} than the limit ${kind} allows.`);
  }

  #drained(stream: Http2Stream<Owner>): void {
    const trailers = stream.trailersAfterQueue;
    if (trailers !== null && !stream.localEnded) {
      stream.trailersAfterQueue = null;
      this.sendHead(stream, trailers, true);
    }
    if (!stream.closed || stream.localEnded) this.#events.onDrained(stream);
  }

  #endLocal(stream: Http2Stream<Owner>): void {
    stream.localEnded = true;
    this.#finishIfBoth(stream);
  }

  #finishIfBoth(stream: Http2Stream<Owner>): void {
    if (!stream.localEnded || !stream.remoteEnded || stream.closed) return;
    this.#guard.finished();
    this.#close(stream, 'end');
  }

  #close(stream: Http2Stream<Owner>, by: ClosedBy): void {
    if (stream.closed) return;
    stream.closed = true;
    stream.queue.length = 0;
    stream.queuedBytes = 0;
    this.#streams.delete(stream.id);
    if (stream.id % 2 === (this.#role === 'client' ? 1 : 0)) this.#ownOpen -= 1;
    else this.#peerOpen -= 1;
    this.#closedStreams.add(stream.id, by);
  }

  /** The peer broke a rule of one stream: it is reset and the connection goes on (RFC 9113 §5.4.2). */
  #streamError(stream: Http2Stream<Owner>, code: number, reason: string): void {
    if (stream.closed) return;
    this.#writer.rstStream(stream.id, code);
    this.#close(stream, 'our-reset');
    this.#events.onReset(stream, code, false, reason);
    this.#allow('malformedStreams');
  }

  /** The peer broke a rule of the connection: GOAWAY, and nothing is read any more (RFC 9113 §5.4.1). Returns false. */
  #fail(code: number, message: string): false {
    if (this.#failure !== null) return false;
    this.#failure = { code, byPeer: false, message };
    this.#goawaySent = true;
    this.#writer.goaway(this.#lastPeerStream, code, message);
    this.#resetAll(code, false, message);
    this.#events.onFailure(this.#failure);
    return false;
  }

  #failFor(fault: Fault): false {
    return this.#fail(fault.code, fault.message);
  }

  #resetAll(code: number, byPeer: boolean, reason: string): void {
    for (const stream of [...this.#streams.values()]) {
      this.#close(stream, byPeer ? 'peer-reset' : 'our-reset');
      this.#events.onReset(stream, code, byPeer, reason);
    }
  }

  #ownSettings(): number[] {
    const pairs = [
      Setting.maxConcurrentStreams,
      this.#limits.concurrentStreams,
      Setting.initialWindowSize,
      this.#limits.streamWindowBytes,
      Setting.maxHeaderListSize,
      this.#limits.headBytes,
    ];
    if (this.#role === 'client') pairs.push(Setting.enablePush, 0);
    return pairs;
  }
}
