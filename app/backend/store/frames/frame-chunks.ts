import { sequenceAt } from '../../../../proxy-engine/batches.ts';
import type { ConnectionId } from '#contract';

/** Frames of one connection that no commit has stored yet, back to back. */
export interface FrameChunk {
  readonly connection: ConnectionId;
  /** Number of the first one. */
  readonly first: number;
  /** Number of the last one. */
  readonly last: number;
  readonly packed: Buffer;
}

const FIRST_BYTES = 1_024;

/** Gathers the frames that batches bring, by connection, until a commit takes them. */
export class FrameChunks {
  readonly #open = new Map<ConnectionId, GrowingChunk>();

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** @param packed borrowed */
  add(connection: ConnectionId, packed: Buffer): void {
    let chunk = this.#open.get(connection);
    if (chunk === undefined) {
      chunk = new GrowingChunk(connection, sequenceAt(packed, 0));
      this.#open.set(connection, chunk);
    }
    chunk.add(packed);
  }

  all(): Iterable<FrameChunk> {
    return this.#open.values();
  }

  clear(): void {
    this.#open.clear();
  }
}

class GrowingChunk implements FrameChunk {
  readonly connection: ConnectionId;
  readonly first: number;
  last: number;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #used = 0;

  constructor(connection: ConnectionId, first: number) {
    this.connection = connection;
    this.first = first;
    this.last = first;
  }

  get packed(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  add(packed: Buffer): void {
    if (this.#bytes.length - this.#used < packed.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + packed.length));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    packed.copy(this.#bytes, this.#used);
    this.#used += packed.length;
    // One record is one frame.
    this.last = sequenceAt(packed, 0);
  }
}
