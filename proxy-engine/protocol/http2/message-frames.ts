import type { ClosedBy } from './closed-streams.ts';
import type { ConnectionCore } from './connection-core.ts';
import { Flag, Http2Error } from './constants.ts';
import { HeadCache } from './head-cache.ts';
import { MalformedHead, readHead, type HeadKind, type Http2Head } from './head.ts';
import { HeaderBlock } from './header-block.ts';
import { HpackDecoder } from './hpack/decoder.ts';
import type { HeaderEntry } from './hpack/header-entry.ts';
import { Http2Stream } from './stream.ts';

/** Takes the frames that carry messages, HEADERS with CONTINUATION and DATA, and opens the streams that they begin. */
export class MessageFrames<Owner> {
  readonly #core: ConnectionCore<Owner>;
  readonly #tolerateSpace: boolean;
  readonly #decoder = new HpackDecoder();
  readonly #block: HeaderBlock;
  readonly #entries: HeaderEntry[] = [];
  readonly #heads = new HeadCache();
  /** Octets of the DATA frame that is being read, without its padding: one of padding alone carries nothing. */
  #frameOctets = 0;

  constructor(core: ConnectionCore<Owner>, tolerateSpace: boolean) {
    this.#core = core;
    this.#tolerateSpace = tolerateSpace;
    this.#block = new HeaderBlock(core.limits);
  }

  /** Stream whose header block goes on: nothing but CONTINUATION of it may come (RFC 9113 §6.10). 0 when there is none. */
  get openBlock(): number {
    return this.#block.stream;
  }

  /** A DATA frame begins (RFC 9113 §6.1). */
  onDataHead(flags: number, id: number, length: number): boolean {
    const core = this.#core;
    this.#frameOctets = 0;
    if (id === 0) return core.fail(Http2Error.protocolError, 'DATA on stream 0.');
    if (core.streams.isIdle(id)) return core.fail(Http2Error.protocolError, `DATA on idle stream ${String(id)}.`);
    if (!core.receiving.take(length))
      return core.fail(Http2Error.flowControlError, 'DATA past the window of the connection.');
    const stream = core.streams.get(id);
    if (length === 0 && (flags & Flag.endStream) === 0 && !core.allow('emptyFrames')) return false;
    if (stream === undefined) {
      const closedBy = core.streams.closedBy(id);
      if (closedBy === 'our-reset') return true;
      if (closedBy === 'peer-reset') this.#refuseClosed(id);
      else return core.fail(Http2Error.streamClosed, `DATA on closed stream ${String(id)}.`);
      return core.failure === null;
    }
    if (stream.remoteEnded) {
      core.streamError(stream, Http2Error.streamClosed, 'DATA after END_STREAM.');
    } else if (!stream.headReceived) {
      core.streamError(stream, Http2Error.protocolError, 'DATA before the head.');
    } else if (length > stream.receiveWindow) {
      core.streamError(stream, Http2Error.flowControlError, 'DATA past the window of the stream.');
    } else stream.receiveWindow -= length;
    return core.failure === null;
  }

  /** A run of DATA; see `FrameSink`. */
  onDataPart(
    flags: number,
    id: number,
    bytes: Buffer,
    start: number,
    end: number,
    flowBytes: number,
    last: boolean,
  ): boolean {
    const core = this.#core;
    core.receiving.received(flowBytes);
    const stream = core.streams.get(id);
    if (stream === undefined || stream.remoteEnded) return true;
    const octets = end - start;
    if (flowBytes > octets) core.receiving.consume(stream, flowBytes - octets);
    stream.receivedBytes += octets;
    const ends = last && (flags & Flag.endStream) !== 0;
    if (!this.#lengthAgrees(stream, ends)) return core.failure === null;
    this.#frameOctets += octets;
    if (octets === 0 && !ends) return !last || this.#frameOctets > 0 || flowBytes === 0 || core.allow('emptyFrames');
    if (ends) stream.remoteEnded = true;
    core.events.onData(stream, bytes, start, end, ends);
    if (ends) core.finishIfBoth(stream);
    return core.failure === null;
  }

  /** RFC 9113 §6.2. */
  onHeaders(flags: number, id: number, bytes: Buffer, start: number, end: number): boolean {
    if (id === 0) return this.#core.fail(Http2Error.protocolError, 'HEADERS on stream 0.');
    const fault = this.#block.begin(flags, id, bytes, start, end);
    if (fault !== null) return this.#core.failFor(fault);
    return !this.#block.complete || this.#onBlock();
  }

  /** RFC 9113 §6.10. */
  onContinuation(flags: number, bytes: Buffer, start: number, end: number): boolean {
    const fault = this.#block.add(flags, bytes, start, end);
    if (fault !== null) return this.#core.failFor(fault);
    return !this.#block.complete || this.#onBlock();
  }

  /** A whole header block: decoded in any case, since the connection has one table (RFC 9113 §4.3). */
  #onBlock(): boolean {
    const core = this.#core;
    const { stream: id, endsStream, bytes, start, end } = this.#block;
    this.#block.done();
    const generation = this.#decoder.generation;
    const open = core.streams.get(id);
    const kind = this.#kindOf(open);
    const known = this.#heads.find(bytes, start, end, generation, kind);
    if (known === null) {
      this.#entries.length = 0;
      if (!this.#decoder.decode(bytes, start, end, core.limits.headBytes, this.#entries)) {
        const fault = this.#decoder.fault ?? 'unknown';
        return core.fail(Http2Error.compressionError, `A header block cannot be decoded (${fault}).`);
      }
    }
    const stream = open ?? this.#admit(id);
    if (stream === null) return core.failure === null;
    if (stream.remoteEnded) {
      core.streamError(stream, Http2Error.streamClosed, 'HEADERS after END_STREAM.');
      return core.failure === null;
    }
    if (kind === 'trailers' && !endsStream) {
      core.streamError(stream, Http2Error.protocolError, 'A second head that does not end the stream.');
      return core.failure === null;
    }
    const head = known ?? this.#readHead(stream, kind);
    if (head === null) return core.failure === null;
    if (known === null && generation === this.#decoder.generation)
      this.#heads.keep(bytes, start, end, generation, kind, head);
    this.#onHead(stream, head, kind, endsStream);
    return core.failure === null;
  }

  /** Judges the decoded list; null when the stream was reset for it. */
  #readHead(stream: Http2Stream<Owner>, kind: HeadKind): Http2Head | null {
    const core = this.#core;
    const { headBytes, fields } = core.limits;
    if (this.#decoder.listSize > headBytes || this.#entries.length > fields) {
      const reason = `The head is larger than headBytes (${String(headBytes)}) or fields (${String(fields)}) allow.`;
      core.streamError(stream, Http2Error.enhanceYourCalm, reason);
      return null;
    }
    const head = readHead(kind, this.#entries.slice(), this.#tolerateSpace);
    if (!(head instanceof MalformedHead)) return head;
    core.streamError(stream, Http2Error.protocolError, `Malformed ${kind}: ${head.reason}.`);
    return null;
  }

  #kindOf(stream: Http2Stream<Owner> | undefined): HeadKind {
    if (stream?.headReceived ?? false) return 'trailers';
    return this.#core.role === 'server' ? 'request' : 'response';
  }

  #onHead(stream: Http2Stream<Owner>, head: Http2Head, kind: HeadKind, ends: boolean): void {
    const core = this.#core;
    if (kind === 'trailers') {
      if (!this.#lengthAgrees(stream, true)) return;
      stream.remoteEnded = true;
      core.events.onTrailers(stream, head);
      core.finishIfBoth(stream);
      return;
    }
    const informational = kind === 'response' && head.status < 200;
    if (informational && ends) {
      core.streamError(stream, Http2Error.protocolError, 'An informational response that ends the stream.');
      return;
    }
    if (!informational) {
      stream.headReceived = true;
      const isWithoutBody =
        stream.withoutBody || head.status === 304 || head.status === 204 || head.method === 'CONNECT';
      stream.expectedBytes = isWithoutBody ? -1 : head.contentLength;
      if (!this.#lengthAgrees(stream, ends)) return;
    }
    if (ends) stream.remoteEnded = true;
    core.events.onHead(stream, head, ends);
    if (ends) core.finishIfBoth(stream);
  }

  /** A header block on a stream that is not open: a new one, a late one, or a fault. Null when nothing more is to be done. */
  #admit(id: number): Http2Stream<Owner> | null {
    const core = this.#core;
    const { streams } = core;
    if (core.role === 'client' || id % 2 === 0) {
      const closedBy = streams.closedBy(id);
      if (core.role === 'client' && closedBy !== undefined) return this.#lateHeaders(id, closedBy);
      core.fail(Http2Error.protocolError, `HEADERS on stream ${String(id)}, which nobody opened.`);
      return null;
    }
    if (id <= streams.lastPeerStream) {
      const closedBy = streams.closedBy(id);
      if (closedBy !== undefined) return this.#lateHeaders(id, closedBy);
      core.fail(Http2Error.protocolError, `Stream ${String(id)} is lower than one that was opened before.`);
      return null;
    }
    if (core.goawaySent) return null;
    streams.lastPeerStream = id;
    if (streams.peerOpen >= core.receiving.mostStreams) {
      core.writer.rstStream(id, Http2Error.refusedStream);
      streams.remember(id, 'our-reset');
      core.allow('resets');
      return null;
    }
    const stream = new Http2Stream<Owner>(id, core.sending.initialWindow, core.receiving.grantedWindow);
    streams.add(stream);
    return stream;
  }

  #lateHeaders(id: number, closedBy: ClosedBy): null {
    if (closedBy === 'end') this.#core.fail(Http2Error.streamClosed, `HEADERS on closed stream ${String(id)}.`);
    else if (closedBy === 'peer-reset') this.#refuseClosed(id);
    return null;
  }

  /** The peer reset the stream and yet goes on with it. */
  #refuseClosed(id: number): void {
    if (!this.#core.allow('malformedStreams')) return;
    this.#core.writer.rstStream(id, Http2Error.streamClosed);
    this.#core.streams.remember(id, 'our-reset');
  }

  /** Octets received agree with a declared length so far (RFC 9113 §8.1.1); answers the fault. */
  #lengthAgrees(stream: Http2Stream<Owner>, ended: boolean): boolean {
    const { expectedBytes, receivedBytes } = stream;
    if (expectedBytes === -1) return true;
    if (ended ? receivedBytes === expectedBytes : receivedBytes <= expectedBytes) return true;
    this.#core.streamError(
      stream,
      Http2Error.protocolError,
      `Content-Length ${String(expectedBytes)} does not agree with ${String(receivedBytes)} octets of DATA.`,
    );
    return false;
  }
}
