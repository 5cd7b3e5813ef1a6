import { constants, inflateRawSync } from 'node:zlib';

/** A message that is longer than this when inflated is a bomb, or nothing to look at whole. */
export const INFLATED_BYTES = 67_108_864;

const WINDOW_BYTES = 32_768;
/** What a sender takes off the end of each message (RFC 7692 §7.2.1). */
const TAIL = Buffer.from([0x00, 0x00, 0xff, 0xff]);
/** A message may consist of several DEFLATE streams (§7.2.3.4), but not of endlessly many. */
const MOST_STREAMS = 1_024;

export type InflateOutcome = { readonly bytes: Buffer } | { readonly failure: 'damaged' | 'bomb' };

/**
 * Inflates the messages of one direction of a WebSocket, one after another (RFC 7692 §7.2.2). With context takeover a message
 * refers to what came before; once one of them could not be inflated, or is missing, no later one can be.
 */
export class MessageInflater {
  readonly #forgets: boolean;
  #window: Buffer = Buffer.alloc(0);
  #isLost = false;

  /** @param forgets the sender forgets its window after each message */
  constructor(forgets: boolean) {
    this.#forgets = forgets;
  }

  /** A message was not seen, or not inflated. */
  lose(): void {
    this.#isLost = !this.#forgets;
  }

  inflate(payload: Buffer): InflateOutcome {
    if (this.#isLost) return { failure: 'damaged' };
    const input = Buffer.concat([payload, TAIL]);
    const outputs: Buffer[] = [];
    let produced = 0;
    try {
      for (let at = 0, streams = 0; at < input.length && streams < MOST_STREAMS; streams += 1) {
        const { output, consumed } = inflateOnce(input.subarray(at), this.#window, INFLATED_BYTES - produced);
        outputs.push(output);
        produced += output.length;
        this.#remember(output);
        if (consumed === 0) break;
        at += consumed;
      }
    } catch (error: unknown) {
      this.lose();
      const isBomb = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      return { failure: isBomb ? 'bomb' : 'damaged' };
    }
    if (this.#forgets) this.#window = Buffer.alloc(0);
    const [only] = outputs;
    return { bytes: outputs.length === 1 && only !== undefined ? only : Buffer.concat(outputs) };
  }

  #remember(output: Buffer): void {
    const joined = output.length >= WINDOW_BYTES ? output : Buffer.concat([this.#window, output]);
    this.#window = Buffer.from(joined.subarray(Math.max(0, joined.length - WINDOW_BYTES)));
  }
}

/** @throws of `node:zlib` */
function inflateOnce(input: Buffer, window: Buffer, most: number): { output: Buffer; consumed: number } {
  const result = inflateRawSync(input, {
    finishFlush: constants.Z_SYNC_FLUSH,
    maxOutputLength: Math.max(1, most),
    info: true,
    ...(window.length > 0 ? { dictionary: window } : {}),
  }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
  return { output: result.buffer, consumed: result.engine.bytesWritten };
}
