import { DEFAULT_WINDOW, Http2Error, LARGEST_WINDOW, SMALLEST_MAX_FRAME } from './constants.ts';
import type { Fault } from './events.ts';
import type { FrameWriter } from './frame-writer.ts';
import type { Http2Stream } from './stream.ts';

/** Larger frames would keep other streams waiting for nothing. */
const LARGEST_FRAME_SENT = 65_536;

const TOO_WIDE: Fault = { code: Http2Error.flowControlError, message: 'The window grew past 2^31-1.' };

/** What the sending side tells the connection. */
export interface SendEvents<Owner> {
  /** END_STREAM was written. */
  onLocalEnd(stream: Http2Stream<Owner>): void;
  /** The stream's queue is empty again. */
  onQueueEmpty(stream: Http2Stream<Owner>): void;
}

/**
 * Body octets under flow control: what the windows allow is written, the rest waits on its stream, and streams that wait
 * are served in turn, a frame each, so that none holds up another.
 *
 * @see RFC 9113 §5.2, §6.9
 */
export class SendSide<Owner> {
  readonly #writer: FrameWriter;
  readonly #events: SendEvents<Owner>;
  #window = DEFAULT_WINDOW;
  #initialWindow = DEFAULT_WINDOW;
  #maxFrame = SMALLEST_MAX_FRAME;
  /** Streams whose data waits, in the order in which they are served. */
  #waiting: Http2Stream<Owner>[] = [];

  constructor(writer: FrameWriter, events: SendEvents<Owner>) {
    this.#writer = writer;
    this.#events = events;
  }

  /** The peer's SETTINGS_INITIAL_WINDOW_SIZE. */
  get initialWindow(): number {
    return this.#initialWindow;
  }

  /** The peer's SETTINGS_MAX_FRAME_SIZE, as far as we use it. */
  get maxFrame(): number {
    return this.#maxFrame;
  }

  setMaxFrame(octets: number): void {
    this.#maxFrame = Math.min(octets, LARGEST_FRAME_SENT);
  }

  /** Changes the windows of all open streams by the difference (RFC 9113 §6.9.2). */
  setInitialWindow(octets: number, open: Iterable<Http2Stream<Owner>>): Fault | null {
    const change = octets - this.#initialWindow;
    this.#initialWindow = octets;
    for (const stream of open) {
      stream.sendWindow += change;
      if (stream.sendWindow > LARGEST_WINDOW) return TOO_WIDE;
    }
    if (change > 0) this.#pump();
    return null;
  }

  growConnection(increment: number): Fault | null {
    this.#window += increment;
    if (this.#window > LARGEST_WINDOW) return TOO_WIDE;
    this.#pump();
    return null;
  }

  growStream(stream: Http2Stream<Owner>, increment: number): Fault | null {
    if (stream.sendWindow + increment > LARGEST_WINDOW) return TOO_WIDE;
    stream.sendWindow += increment;
    if (stream.waiting) this.#pump();
    return null;
  }

  /**
   * Sends or queues. `bytes` are kept until they are written.
   *
   * @param spent told to the writer with the last of the bytes
   * @returns false when something is queued
   */
  send(
    stream: Http2Stream<Owner>,
    bytes: Buffer,
    start: number,
    end: number,
    endStream: boolean,
    spent: Buffer | null,
  ): boolean {
    let from = start;
    if (stream.queue.length === 0 && !stream.waiting) {
      from = this.#sendNow(stream, bytes, start, end, endStream);
      if (from === end) {
        if (spent !== null) this.#writer.spend(spent);
        return true;
      }
    }
    stream.queue.push({ bytes, at: from, end, spent });
    stream.queuedBytes += end - from;
    stream.endAfterQueue = endStream;
    if (!stream.waiting) {
      stream.waiting = true;
      this.#waiting.push(stream);
    }
    return false;
  }

  /** Returns the offset of what was not sent. */
  #sendNow(stream: Http2Stream<Owner>, bytes: Buffer, start: number, end: number, endStream: boolean): number {
    let at = start;
    do {
      const window = Math.max(0, Math.min(stream.sendWindow, this.#window));
      const length = Math.min(end - at, this.#maxFrame, window);
      if (length === 0 && at < end) return at;
      this.#writeFrame(stream, bytes, at, at + length, endStream && at + length === end);
      at += length;
    } while (at < end);
    if (endStream) this.#events.onLocalEnd(stream);
    return at;
  }

  #pump(): void {
    let line = this.#waiting;
    this.#waiting = [];
    while (line.length > 0) {
      const again: Http2Stream<Owner>[] = [];
      for (const stream of line) {
        if (stream.closed) continue;
        if (stream.queue.length > 0 && (this.#window <= 0 || stream.sendWindow <= 0)) this.#waiting.push(stream);
        else if (this.#sendOneQueued(stream)) again.push(stream);
        else {
          stream.waiting = false;
          this.#events.onQueueEmpty(stream);
        }
      }
      line = again;
    }
  }

  /** One frame of the queue; false when nothing is left. */
  #sendOneQueued(stream: Http2Stream<Owner>): boolean {
    const [first] = stream.queue;
    if (first === undefined) return false;
    const to = first.at + Math.min(first.end - first.at, this.#maxFrame, stream.sendWindow, this.#window);
    const last = to === first.end && stream.queue.length === 1;
    const ends = last && stream.endAfterQueue && stream.trailersAfterQueue === null;
    this.#writeFrame(stream, first.bytes, first.at, to, ends);
    stream.queuedBytes -= to - first.at;
    first.at = to;
    if (to === first.end) {
      stream.queue.shift();
      if (first.spent !== null) this.#writer.spend(first.spent);
    }
    if (ends) this.#events.onLocalEnd(stream);
    return stream.queue.length > 0;
  }

  #writeFrame(stream: Http2Stream<Owner>, bytes: Buffer, start: number, end: number, endStream: boolean): void {
    this.#writer.data(stream.id, bytes, start, end, endStream);
    stream.sendWindow -= end - start;
    this.#window -= end - start;
  }
}
