import type { ClosedBy } from './closed-streams.ts';
import { Http2Error, Setting } from './constants.ts';
import type { Fault, Http2Events, Http2Failure, Http2Limits, Http2Options } from './events.ts';
import { FloodGuard, type FloodKind } from './flood-guard.ts';
import { FrameWriter } from './frame-writer.ts';
import { HpackEncoder, type HeaderToSend } from './hpack/encoder.ts';
import { ReceiveSide } from './receive-side.ts';
import { SendSide } from './send-side.ts';
import type { Http2Stream } from './stream.ts';
import { StreamTable, type Role } from './stream-table.ts';

/** What the receiving and the sending half of one connection share: streams, windows, settings, and the ways to end. */
export class ConnectionCore<Owner> {
  readonly role: Role;
  readonly limits: Http2Limits;
  readonly events: Http2Events<Owner>;
  readonly writer: FrameWriter;
  readonly encoder = new HpackEncoder();
  readonly streams: StreamTable<Owner>;
  readonly sending: SendSide<Owner>;
  readonly receiving: ReceiveSide<Owner>;
  /** Why the connection was given up, or null. */
  failure: Http2Failure | null = null;
  /** The peer's SETTINGS have arrived. */
  settingsSeen = false;
  goawaySent = false;
  goawayReceived = false;
  /** The peer's SETTINGS_MAX_CONCURRENT_STREAMS. */
  peerMaxStreams = Number.POSITIVE_INFINITY;
  /** The peer takes extended CONNECT (RFC 8441 §3). */
  peerTakesConnect = false;
  readonly #guard: FloodGuard;

  constructor(role: Role, limits: Http2Limits, events: Http2Events<Owner>, options: Http2Options) {
    this.role = role;
    this.limits = limits;
    this.events = events;
    this.writer = new FrameWriter(options.watcher ?? null);
    this.streams = new StreamTable(role);
    this.sending = new SendSide(this.writer, {
      onLocalEnd: (stream) => {
        this.endLocal(stream);
      },
      onQueueEmpty: (stream) => {
        this.#drained(stream);
      },
    });
    this.receiving = new ReceiveSide(limits, this.writer);
    this.#guard = new FloodGuard(limits, options.now);
  }

  /** Our SETTINGS, as identifiers and values in turn. */
  ownSettings(offersConnect: boolean): number[] {
    const pairs = [
      Setting.maxConcurrentStreams,
      this.receiving.mostStreams,
      Setting.initialWindowSize,
      this.receiving.initialWindow,
      Setting.maxHeaderListSize,
      this.limits.headBytes,
    ];
    if (this.role === 'client') pairs.push(Setting.enablePush, 0);
    else if (offersConnect) pairs.push(Setting.enableConnectProtocol, 1);
    return pairs;
  }

  sendBlock(stream: Http2Stream<Owner>, block: Buffer, endStream: boolean): void {
    if (stream.closed || stream.localEnded) return;
    this.writer.headers(stream.id, block, endStream, this.sending.maxFrame);
    stream.headSent = true;
    if (endStream) this.endLocal(stream);
  }

  sendHead(stream: Http2Stream<Owner>, fields: Iterable<HeaderToSend>, endStream: boolean): void {
    // What is not sent must not be encoded either: the peer's table would not follow.
    if (stream.closed || stream.localEnded) return;
    this.sendBlock(stream, this.encoder.encode(fields), endStream);
  }

  /** Counts something that costs work and carries nothing. @returns false when the connection ends for it */
  allow(kind: FloodKind): boolean {
    if (this.#guard.allow(kind)) return true;
    return this.fail(Http2Error.enhanceYourCalm, `More ${kind} than the limit ${kind} allows.`);
  }

  endLocal(stream: Http2Stream<Owner>): void {
    stream.localEnded = true;
    this.finishIfBoth(stream);
  }

  finishIfBoth(stream: Http2Stream<Owner>): void {
    if (!stream.localEnded || !stream.remoteEnded || stream.closed) return;
    this.#guard.finished();
    this.close(stream, 'end');
  }

  close(stream: Http2Stream<Owner>, by: ClosedBy): void {
    if (stream.closed) return;
    stream.closed = true;
    stream.queue.length = 0;
    stream.queuedBytes = 0;
    this.receiving.release(stream);
    this.streams.remove(stream, by);
  }

  /** The peer broke a rule of one stream: it is reset and the connection goes on (RFC 9113 §5.4.2). */
  streamError(stream: Http2Stream<Owner>, code: number, reason: string): void {
    if (stream.closed) return;
    this.writer.rstStream(stream.id, code);
    this.close(stream, 'our-reset');
    this.events.onReset(stream, code, false, reason);
    this.allow('malformedStreams');
  }

  /** The peer broke a rule of the connection: GOAWAY, and nothing is read any more (RFC 9113 §5.4.1). Returns false. */
  fail(code: number, message: string): false {
    if (this.failure !== null) return false;
    this.failure = { code, byPeer: false, message };
    this.goawaySent = true;
    this.writer.goaway(this.streams.lastPeerStream, code, message);
    this.resetAll(code, false, message);
    this.events.onFailure(this.failure);
    return false;
  }

  failFor(fault: Fault): false {
    return this.fail(fault.code, fault.message);
  }

  resetAll(code: number, byPeer: boolean, reason: string): void {
    for (const stream of this.streams.all()) {
      this.close(stream, byPeer ? 'peer-reset' : 'our-reset');
      this.events.onReset(stream, code, byPeer, reason);
    }
  }

  #drained(stream: Http2Stream<Owner>): void {
    const trailers = stream.trailersAfterQueue;
    if (trailers !== null && !stream.localEnded) {
      stream.trailersAfterQueue = null;
      this.sendHead(stream, trailers, true);
    }
    if (!stream.closed || stream.localEnded) this.events.onDrained(stream);
  }
}
