import { DecodeStopped, decodeStream } from '../decode/decode-stream.ts';
import type { MessageSource } from './message-log.ts';

/** Encoded bytes that wait for the decoder at most: it keeps up with any stream that a person reads. */
const WAITING_BYTES = 8_388_608;
/** A body whose output passes both is a bomb. */
const BUDGET = { bytes: 268_435_456, ratio: 100 } as const;

interface Piece {
  readonly bytes: Buffer;
  readonly time: number;
}

/** Undoes the content codings of a body for the source that reads its messages, piece by piece as it comes. */
export class DecodingSource implements MessageSource {
  readonly #inner: MessageSource;
  readonly #onLate: () => void;
  #waiting: Piece[] = [];
  #waitingBytes = 0;
  #takenBytes = 0;
  #time = 0;
  #isEnded = false;
  #isOver = false;
  #wake: () => void = () => undefined;

  /**
   * @param codings in order of application; at least one
   * @param onLate hears when messages came, or all of them did
   */
  constructor(inner: MessageSource, codings: readonly string[], onLate: () => void) {
    this.#inner = inner;
    this.#onLate = onLate;
    void this.#decode(codings);
  }

  get isBusy(): boolean {
    return !this.#isOver;
  }

  receive(bytes: Buffer, time: number): void {
    if (this.#isOver || this.#isEnded) return;
    if (this.#waitingBytes + bytes.length > WAITING_BYTES) {
      this.#isEnded = true;
      this.#wake();
      return;
    }
    this.#waiting.push({ bytes: Buffer.from(bytes), time });
    this.#waitingBytes += bytes.length;
    this.#wake();
  }

  skip(time: number): void {
    // Nothing behind a hole can be decoded.
    this.end(time);
  }

  end(time: number): void {
    if (!this.#isEnded) this.#time = Math.max(this.#time, time);
    this.#isEnded = true;
    this.#wake();
  }

  close(): void {
    this.#isOver = true;
    this.#isEnded = true;
    this.#waiting = [];
    this.#wake();
  }

  async #decode(codings: readonly string[]): Promise<void> {
    let produced = 0;
    try {
      for await (const piece of decodeStream(this.#pieces(), codings)) {
        if (this.#isOver) return;
        produced += piece.length;
        if (produced > BUDGET.bytes && produced > BUDGET.ratio * this.#takenBytes) break;
        this.#inner.receive(piece, this.#time);
        this.#onLate();
      }
    } catch (error: unknown) {
      // What was decoded before is good; why there is no more, the view of the body says.
      if (!(error instanceof DecodeStopped)) throw error;
    } finally {
      if (!this.#isOver) this.#inner.end(this.#time);
      this.#isOver = true;
      this.#waiting = [];
      this.#onLate();
    }
  }

  async *#pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = this.#waiting.shift();
      if (piece !== undefined) {
        this.#waitingBytes -= piece.bytes.length;
        this.#takenBytes += piece.bytes.length;
        this.#time = piece.time;
        yield piece.bytes;
      } else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
