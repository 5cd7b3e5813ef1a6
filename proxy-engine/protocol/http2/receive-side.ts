import { DEFAULT_WINDOW } from './constants.ts';
import type { Http2Limits } from './events.ts';
import type { FrameWriter } from './frame-writer.ts';
import type { Http2Stream } from './stream.ts';

/** Least share of the budget that a stream begins with, octets: less would make every body crawl. */
const SMALLEST_SHARE = 4_096;

/**
 * What the peer may send: credit of the connection is given back on receipt, so that one stream that nobody reads does not
 * hold up the others; credit of a stream is given back as its octets leave. The windows of all streams together stay within
 * `connectionWindowBytes`: half of it is shared out evenly, the other half goes to the streams whose octets do leave.
 *
 * @see RFC 9113 §5.2, §6.9
 */
export class ReceiveSide<Owner> {
  /** Streams that may be open at once: fewer than the limit says where the budget has no share for each. */
  readonly mostStreams: number;
  /** Window that a stream begins with, octets: our SETTINGS_INITIAL_WINDOW_SIZE. */
  readonly initialWindow: number;
  readonly #writer: FrameWriter;
  readonly #budget: number;
  readonly #largestWindow: number;
  #window: number;
  #owed = 0;
  /** Octets of the budget that streams may still grow by. */
  #spare: number;
  /** The peer knows our settings. */
  #acknowledged = false;

  constructor(limits: Http2Limits, writer: FrameWriter) {
    this.#writer = writer;
    const { concurrentStreams, connectionWindowBytes, streamWindowBytes } = limits;
    this.#budget = Math.max(connectionWindowBytes, DEFAULT_WINDOW);
    this.#largestWindow = streamWindowBytes;
    const even = Math.floor(this.#budget / 2 / concurrentStreams);
    this.initialWindow = Math.min(streamWindowBytes, Math.max(SMALLEST_SHARE, even));
    this.mostStreams = Math.max(1, Math.min(concurrentStreams, Math.floor(this.#budget / this.initialWindow)));
    this.#spare = Math.max(0, this.#budget - this.mostStreams * this.initialWindow);
    this.#window = this.#budget;
  }

  /** Raises the connection's window from what both sides begin with. */
  begin(): void {
    if (this.#budget > DEFAULT_WINDOW) this.#writer.windowUpdate(0, this.#budget - DEFAULT_WINDOW);
  }

  /** Window of a stream that begins now: until the peer knows ours, it may take the default one (RFC 9113 §6.9.3). */
  get grantedWindow(): number {
    return this.#acknowledged ? this.initialWindow : Math.max(this.initialWindow, DEFAULT_WINDOW);
  }

  /** The peer has acknowledged our settings. */
  acknowledge(open: Iterable<Http2Stream<Owner>>): void {
    const tooMuch = this.grantedWindow - this.initialWindow;
    this.#acknowledged = true;
    if (tooMuch > 0) for (const stream of open) stream.receiveWindow -= tooMuch;
  }

  /** DATA of that length begins, padding included. @returns false when the connection's window does not allow it */
  take(octets: number): boolean {
    if (octets > this.#window) return false;
    this.#window -= octets;
    return true;
  }

  /** Octets of DATA have come, whatever becomes of them. */
  received(octets: number): void {
    this.#owed += octets;
    if (this.#owed * 2 < this.#budget) return;
    this.#writer.windowUpdate(0, this.#owed);
    this.#window += this.#owed;
    this.#owed = 0;
  }

  /** Octets of a stream have left us: the peer may send as many more, and more than before while the budget allows. */
  consume(stream: Http2Stream<Owner>, octets: number): void {
    stream.creditOwed += octets;
    const window = this.initialWindow + stream.grownBy;
    if (stream.creditOwed * 2 < window) return;
    const growth = Math.min(window, this.#largestWindow - window, this.#spare);
    const increment = stream.creditOwed + growth;
    this.#spare -= growth;
    stream.grownBy += growth;
    stream.creditOwed = 0;
    stream.receiveWindow += increment;
    this.#writer.windowUpdate(stream.id, increment);
  }

  /** A stream is gone: what it had grown by is there for others. */
  release(stream: Http2Stream<Owner>): void {
    this.#spare += stream.grownBy;
    stream.grownBy = 0;
  }
}
