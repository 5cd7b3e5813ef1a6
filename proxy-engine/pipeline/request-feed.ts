import { DESK_BYTES } from '../base/desk.ts';
import { returnRoom } from '../base/bulk-rooms.ts';
import type { Link } from './link.ts';

/** A body that waits for its origin connection stops its client at this many bytes. */
const WAITING_BYTES = 262_144;
/** Body bytes that are written without waiting for more of the same turn. */
const BULK_BYTES = 131_072;

/**
 * A request's bytes on their way to the origin: waiting while there is no connection, and kept for a second attempt while
 * they are few.
 */
export class RequestFeed {
  /** Sent bytes are kept, so that the request can be sent again. */
  mayRepeat = false;
  readonly #keepBytes: number;
  #head: Buffer | null = null;
  #headSent = false;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Reads whose last part waits. */
  #spent: Buffer[] = [];
  #kept: Buffer[] = [];
  /** Reads of what is kept and was copied for its write: once it is not kept any more, nobody has them. */
  #copied: Buffer[] = [];
  #bodyBytes = 0;

  /** @param keepBytes longest body that is kept for a second attempt */
  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes;
  }

  /** More waits than should. */
  get isFull(): boolean {
    return this.#waitingBytes > WAITING_BYTES;
  }

  /** What waits is worth a write of its own. */
  get isBulk(): boolean {
    return this.#waitingBytes >= BULK_BYTES;
  }

  get isEmpty(): boolean {
    return this.#waitingBytes === 0;
  }

  /** Everything that was sent can be sent again. */
  get isWhollyHeld(): boolean {
    return this.mayRepeat && this.#bodyBytes <= this.#keepBytes;
  }

  begin(head: Buffer): void {
    this.#head = head;
  }

  /** @param spent what was read once, if nobody keeps any of it but for `body` */
  add(body: Buffer, spent: Buffer | null): void {
    this.#waiting.push(body);
    if (spent !== null) this.#spent.push(spent);
    this.#waitingBytes += body.length;
    this.#bodyBytes += body.length;
  }

  /** Writes what waits. Returns the number of bytes. */
  flush(link: Link): number {
    const head = this.#headSent ? null : this.#head;
    this.#headSent = true;
    const waiting = this.#waiting;
    const bodyBytes = this.#waitingBytes;
    if (bodyBytes === 0) {
      if (head === null) return 0;
      link.write(head);
      return head.length;
    }
    const total = bodyBytes + (head?.length ?? 0);
    const parts = head === null ? waiting : [head, ...waiting];
    const [first] = parts;
    const spent = this.#spent;
    const keeps = this.mayRepeat && this.#bodyBytes <= this.#keepBytes;
    if (parts.length === 1 && first !== undefined) link.write(first, keeps ? null : (spent[0] ?? null));
    else if (total > DESK_BYTES) for (const part of parts) link.write(part, part !== head && !keeps ? part : null);
    else {
      link.writeAll(parts, total);
      if (keeps) this.#copied.push(...spent);
      else for (const read of spent) returnRoom(read);
    }
    if (keeps) this.#kept.push(...waiting);
    else this.forget();
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#spent = [];
    return total;
  }

  /** Nothing of it is sent a second time. */
  forget(): void {
    this.mayRepeat = false;
    for (const read of this.#copied) returnRoom(read);
    this.#kept = [];
    this.#copied = [];
  }

  /** Puts everything back to be sent once more; only while `isWhollyHeld`. */
  rewind(): void {
    this.#headSent = false;
    this.#waiting = [...this.#kept, ...this.#waiting];
    this.#waitingBytes = this.#bodyBytes;
    this.#kept = [];
    this.#copied = [];
    this.#spent = [];
    this.mayRepeat = false;
  }
}
