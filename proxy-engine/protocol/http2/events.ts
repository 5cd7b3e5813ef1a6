import type { FloodLimits } from './flood-guard.ts';
import type { FrameWatcher } from './frame-watcher.ts';
import type { Http2Head } from './head.ts';
import type { Http2Stream } from './stream.ts';

/** Bounds of one connection; each is a setting whose key is its name here, and errors name that key. */
export interface Http2Limits extends FloodLimits {
  /** Size of one header list, octets as RFC 9113 §6.5.2 counts, advertised as SETTINGS_MAX_HEADER_LIST_SIZE. */
  readonly headBytes: number;
  readonly fields: number;
  /** Streams that the peer may have open at once. */
  readonly concurrentStreams: number;
  /** Largest window of one stream, octets: what a peer may have in flight while its bytes do not leave. */
  readonly streamWindowBytes: number;
  /** Window of the connection, octets, and the budget that the windows of all its streams together stay within. */
  readonly connectionWindowBytes: number;
  /** Most CONTINUATION frames of one header block. */
  readonly continuations: number;
}

/** What else a connection has to know. */
export interface Http2Options {
  /** Take white space around field values away and flag it, instead of refusing the message. */
  readonly tolerateSpace: boolean;
  /** Server: offer extended CONNECT (RFC 8441 §3). */
  readonly offersConnect: boolean;
  /** Milliseconds, for the flood limits. */
  readonly now: () => number;
  /** Sees every frame; nobody unless said. */
  readonly watcher?: FrameWatcher | null;
}

/** A connection that had to be given up: what went into GOAWAY, who began it, and why, for a person. */
export interface Http2Failure {
  readonly code: number;
  readonly byPeer: boolean;
  readonly message: string;
}

/** What the connection tells its host. Buffers are borrowed until the call returns. */
export interface Http2Events<Owner> {
  /** A request head, or a response head (informational ones too). */
  onHead(stream: Http2Stream<Owner>, head: Http2Head, endStream: boolean): void;
  /** A run of body octets. Give them back with `consume` as they leave. */
  onData(stream: Http2Stream<Owner>, bytes: Buffer, start: number, end: number, endStream: boolean): void;
  /** The trailer section; the peer's side of the stream is ended by it. */
  onTrailers(stream: Http2Stream<Owner>, trailers: Http2Head): void;
  /** The stream is closed before its end. `reason` is for a person; empty when the peer gave none. */
  onReset(stream: Http2Stream<Owner>, code: number, byPeer: boolean, reason: string): void;
  /** Everything queued on the stream was sent. */
  onDrained(stream: Http2Stream<Owner>): void;
  /** The peer will answer no stream of ours above `lastStream`. */
  onGoaway(lastStream: number, code: number, debug: string): void;
  /** The peer's settings changed; `canOpen` may be different now. */
  onSettings(): void;
  /** Nothing can be received any more; GOAWAY waits to be written unless the peer began it. */
  onFailure(failure: Http2Failure): void;
}

/** A rule that a peer broke, before it is known whether the stream or the connection pays for it. */
export interface Fault {
  readonly code: number;
  readonly message: string;
}
