import { Http2Error, type Http2Connection, type Http2Stream } from '../protocol/http2/index.ts';
import { http2ErrorName } from '../model/http2-names.ts';
import { DEAF, type HandedOver, type Link, type LinkHandler } from './link.ts';

/** More queued bytes than this are to wait at their source. */
const QUEUED_BYTES = 65_536;
const NOTHING = Buffer.alloc(0);

/** What a stream's link needs of the connection that carries it. */
export interface StreamCarrier<Owner> {
  readonly connection: Http2Connection<Owner>;
  readonly link: Link;
  /** Frames wait to be written. */
  flushSoon(): void;
  /** Runs a task in a turn of its own. */
  soon(task: () => void): void;
}

/**
 * A stream of HTTP/2 as a transport: what CONNECT makes of it (RFC 9113 §8.5, RFC 8441 §5). Bytes are the payload of DATA,
 * END_STREAM is a half-close and RST_STREAM a reset, either way. It begins at rest: what comes is held, within the
 * stream's window, until the first `resume`.
 */
export class Http2StreamLink<Owner> implements Link {
  handler: LinkHandler = DEAF;
  ended = false;
  readonly #carrier: StreamCarrier<Owner>;
  readonly #stream: Http2Stream<Owner>;
  readonly #errorCode: number;
  readonly #onOver: () => void;
  #held: Buffer[] = [];
  #endHeld: boolean;
  #paused = true;
  #delivering = false;
  #owed = 0;
  /** Nobody is told anything any more. */
  #deaf = false;
  /** The stream is to end once what was written is sent: by this code, unless both sides have ended. */
  #endsWith: number | null = null;
  #over = false;

  /**
   * @param hasEnded the head ended the peer's side
   * @param errorCode what a reset without a code of its own is sent as
   * @param onOver called once, when the stream is gone
   */
  constructor(
    carrier: StreamCarrier<Owner>,
    stream: Http2Stream<Owner>,
    hasEnded: boolean,
    errorCode: number,
    onOver: () => void,
  ) {
    this.#onOver = onOver;
    this.#carrier = carrier;
    this.#stream = stream;
    this.#endHeld = hasEnded;
    this.#errorCode = errorCode;
  }

  // ---- what the connection tells -----------------------------------------------------------------------------------

  receive(bytes: Buffer, start: number, end: number, endStream: boolean): void {
    if (end > start) this.#held.push(bytes.subarray(start, end));
    if (endStream) this.#endHeld = true;
    if (!this.#paused) this.#deliver();
  }

  receiveReset(code: number, byPeer: boolean, reason: string): void {
    this.#close({
      code: 'ECONNRESET',
      message: reason === '' ? `The stream was reset (${http2ErrorName(code)}).` : reason,
      reset: { code, byPeer, withConnection: this.#carrier.connection.failure !== null },
    });
  }

  /** What was queued for want of window is sent, or the connection takes more again. */
  onDrained(): void {
    this.#endIfSent();
    if (!this.#deaf) this.handler.onDrain();
  }

  // ---- the link ----------------------------------------------------------------------------------------------------

  get full(): boolean {
    return this.#stream.queuedBytes > QUEUED_BYTES || this.#carrier.link.full;
  }

  get secure(): boolean {
    return this.#carrier.link.secure;
  }

  write(bytes: Buffer): void {
    this.#send(bytes, false);
  }

  writeAll(parts: readonly Buffer[], bytes: number): void {
    this.#send(Buffer.concat(parts, bytes), false);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#held.length === 0 && !this.#endHeld) this.#giveBack();
    else if (!this.#delivering) {
      this.#delivering = true;
      // Not within the call that asked for it.
      this.#carrier.soon(() => {
        this.#delivering = false;
        if (!this.#paused) this.#deliver();
      });
    }
  }

  finish(): void {
    this.#send(NOTHING, true);
  }

  close(): void {
    this.finish();
    this.#endWith(Http2Error.noError);
  }

  cut(): void {
    this.#endWith(this.#errorCode);
  }

  reset(code: number = this.#errorCode): void {
    this.#deaf = true;
    this.#carrier.connection.reset(this.#stream, code);
    this.#carrier.flushSoon();
    this.#close(null);
  }

  // ---- inside ------------------------------------------------------------------------------------------------------

  #send(bytes: Buffer, end: boolean): void {
    this.#carrier.connection.sendData(this.#stream, bytes, 0, bytes.length, end);
    this.#carrier.flushSoon();
    if (end) this.#noticeEnd();
  }

  #deliver(): void {
    if (this.#delivering) return;
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) {
      this.#owed += bytes.length;
      if (!this.#deaf) this.handler.onBytes(bytes);
    }
    if (!this.#paused) this.#giveBack();
    if (!this.#endHeld || this.ended) return;
    this.ended = true;
    if (!this.#deaf) this.handler.onEof();
    this.#noticeEnd();
  }

  #giveBack(): void {
    if (this.#owed === 0) return;
    this.#carrier.connection.consume(this.#stream, this.#owed);
    this.#owed = 0;
    this.#carrier.flushSoon();
  }

  /** Ends the stream, and listens no longer, once what was written is sent. */
  #endWith(code: number): void {
    if (this.#deaf) return;
    this.#deaf = true;
    this.#endsWith = code;
    this.#endIfSent();
  }

  #endIfSent(): void {
    if (this.#stream.queuedBytes > 0) return;
    if (this.#endsWith !== null && !this.#stream.closed) this.reset(this.#endsWith);
    else this.#noticeEnd();
  }

  /** Both sides have ended in peace. */
  #noticeEnd(): void {
    const { closed, localEnded, remoteEnded } = this.#stream;
    if ((closed || (localEnded && remoteEnded)) && (this.ended || this.#deaf)) this.#close(null);
  }

  #close(failure: Parameters<LinkHandler['onClosed']>[0]): void {
    if (this.#over) return;
    this.#over = true;
    this.#deaf = true;
    this.#held = [];
    const { handler } = this;
    this.handler = DEAF;
    this.#onOver();
    handler.onClosed(failure);
  }
}

/** What is handed over when a stream becomes a transport: everything that came is held by its link. */
export function handedOver(link: Link): HandedOver {
  return { link, early: NOTHING };
}
