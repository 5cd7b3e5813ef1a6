import type { MessagePort } from 'node:worker_threads';
import type { CapturePort } from '#engine';
import type { CaptureCredit } from './store/protocol.ts';

/**
 * The way of one engine's batches to the store's writer, whichever thread that is at the moment. A writer that ended took
 * its unanswered batches along; their credit comes back when the next one takes over.
 */
export class CaptureLink implements CapturePort {
  readonly #returnCredit: (bytes: number, slabs: readonly ArrayBuffer[]) => void;
  #port: MessagePort | null = null;
  #outstandingBytes = 0;

  constructor(returnCredit: (bytes: number, slabs: readonly ArrayBuffer[]) => void) {
    this.#returnCredit = returnCredit;
  }

  /** Without a writer batches are lost, and counted once the credit is used up. */
  post(batch: ArrayBuffer): void {
    this.#outstandingBytes += batch.byteLength;
    this.#port?.postMessage(batch, [batch]);
  }

  close(): void {
    this.#port?.close();
    this.#port = null;
  }

  /** Sends to this port from now on. */
  use(port: MessagePort): void {
    this.#port?.close();
    this.#port = port;
    const lostBytes = this.#outstandingBytes;
    this.#outstandingBytes = 0;
    if (lostBytes > 0) this.#returnCredit(lostBytes, []);
    port.on('message', ({ bytes, slabs }: CaptureCredit) => {
      // What an earlier writer had still answered was counted as lost.
      if (port !== this.#port) return;
      this.#outstandingBytes -= bytes;
      this.#returnCredit(bytes, slabs);
    });
  }
}
