import type { HeaderToSend } from './hpack/encoder.ts';

interface QueuedData {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
  readonly spent: Buffer | null;
}

/**
 * One stream. Its state (RFC 9113 §5.1) is what each side has ended:
 *
 * ```
 *                idle ── HEADERS ──▶ open
 *   open ── END_STREAM received ──▶ half-closed (remote): `remoteEnded`
 *   open ── END_STREAM sent     ──▶ half-closed (local):  `localEnded`
 *   both, or RST_STREAM either way ──▶ closed: the connection forgets it
 * ```
 */
export class Http2Stream<Owner> {
  readonly id: number;
  /** Whom the events of this stream concern; set by the host. */
  owner: Owner | null = null;
  /** A response to HEAD and the like: a declared length says nothing about DATA (RFC 9110 §8.6). */
  withoutBody = false;
  remoteEnded = false;
  localEnded = false;
  /** Neither side may send on it any more. */
  closed = false;
  /** The head that is not informational was received. */
  headReceived = false;
  headSent = false;
  /** Octets that we may send; negative after the peer shrank its windows (RFC 9113 §6.9.2). */
  sendWindow: number;
  /** Octets that the peer may send. */
  receiveWindow: number;
  /** Octets received and consumed that were not given back as window yet. */
  creditOwed = 0;
  /** How much larger than a new stream's our window has become. */
  grownBy = 0;
  /** Declared body length, or -1, and what came of it. */
  expectedBytes = -1;
  receivedBytes = 0;
  /** Data that waits for window, oldest first. */
  readonly queue: QueuedData[] = [];
  queuedBytes = 0;
  /** What follows the queue: END_STREAM on the last frame, or trailers. */
  endAfterQueue = false;
  trailersAfterQueue: readonly HeaderToSend[] | null = null;
  /** It stands in the connection's line of streams that wait for window. */
  waiting = false;

  constructor(id: number, sendWindow: number, receiveWindow: number) {
    this.id = id;
    this.sendWindow = sendWindow;
    this.receiveWindow = receiveWindow;
  }
}
