import type { ContractFailure } from '../../contract/calls.ts';
import type { ServerFrame } from '../../contract/wire.ts';
import { STREAM_BATCH } from '../../contract/wire.ts';

/** How a service writes a stream. Nothing here ever waits for the reader. */
export interface StreamSink<Item> {
  /** Queues an item; a queued one of the same key is replaced in its place. */
  push(item: Item): void;
  /** Tells the reader that items were lost and that it must query again. */
  gap(): void;
  /** Ends the stream; later calls are ignored. */
  end(failure?: ContractFailure): void;
}

/** How items of one stream are told apart and weighed. */
export interface StreamTraits<Item> {
  /** Items with equal keys coalesce to the latest. */
  key(item: Item): string | number;
  /** Roughly how many bytes the item has on the wire. */
  bytes(item: Item): number;
}

/** Items that wait for a reader without credit; past this they are dropped and a gap is sent. */
const MAX_QUEUED_ITEMS = 20_000;

/**
 * One open stream towards one reader: batches, credit, coalescing (see `STREAM_BATCH`). A batch goes out when the first
 * of its limits is reached; without credit, updates coalesce to the latest per key, and an overflow becomes a gap.
 */
export class OutgoingStream<Item> implements StreamSink<Item> {
  readonly #id: number;
  readonly #traits: StreamTraits<Item>;
  readonly #send: (frame: ServerFrame) => void;
  readonly #onEnd: () => void;
  readonly #queue = new Map<string | number, Item>();
  #queuedBytes = 0;
  #credit: number;
  #gapDue = false;
  #timer: NodeJS.Timeout | null = null;
  #ended = false;

  constructor(
    id: number,
    credit: number,
    traits: StreamTraits<Item>,
    send: (frame: ServerFrame) => void,
    onEnd: () => void,
  ) {
    this.#id = id;
    this.#credit = credit;
    this.#traits = traits;
    this.#send = send;
    this.#onEnd = onEnd;
  }

  push(item: Item): void {
    if (this.#ended) return;
    const key = this.#traits.key(item);
    if (!this.#queue.has(key)) {
      if (this.#queue.size >= MAX_QUEUED_ITEMS) {
        this.gap();
        return;
      }
      this.#queuedBytes += this.#traits.bytes(item);
    }
    this.#queue.set(key, item);
    if (this.#queue.size >= STREAM_BATCH.items || this.#queuedBytes >= STREAM_BATCH.bytes) this.#flush();
    else this.#arm();
  }

  gap(): void {
    if (this.#ended) return;
    this.#queue.clear();
    this.#queuedBytes = 0;
    this.#gapDue = true;
    this.#arm();
  }

  end(failure?: ContractFailure): void {
    if (this.#ended) return;
    this.#flush();
    this.stop();
    this.#send({ type: 'ended', id: this.#id, failure: failure ?? null });
    this.#onEnd();
  }

  /** The reader can take `items` more. */
  addCredit(items: number): void {
    this.#credit += items;
    if (this.#queue.size > 0 || this.#gapDue) this.#arm();
  }

  /** Stops without a word: the reader closed the stream, or the carrier is gone. */
  stop(): void {
    this.#ended = true;
    this.#queue.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#flush();
    }, STREAM_BATCH.milliseconds);
  }

  #flush(): void {
    if (this.#gapDue && this.#credit > 0) {
      this.#gapDue = false;
      this.#send({ type: 'gap', id: this.#id });
    }
    while (this.#queue.size > 0 && this.#credit > 0 && !this.#gapDue) {
      const items = this.#takeBatch();
      this.#credit -= items.length;
      this.#send({ type: 'items', id: this.#id, items });
    }
  }

  #takeBatch(): Item[] {
    const items: Item[] = [];
    const most = Math.min(STREAM_BATCH.items, this.#credit);
    let bytes = 0;
    for (const [key, item] of this.#queue) {
      if (items.length >= most || bytes >= STREAM_BATCH.bytes) break;
      bytes += this.#traits.bytes(item);
      items.push(item);
      this.#queue.delete(key);
    }
    this.#queuedBytes = this.#queue.size === 0 ? 0 : Math.max(0, this.#queuedBytes - bytes);
    return items;
  }
}
