import { ClosedStreams, type ClosedBy } from './closed-streams.ts';
import { LARGEST_STREAM_ID } from './constants.ts';
import { OpenStreams } from './open-streams.ts';
import type { Http2Stream } from './stream.ts';

export type Role = 'client' | 'server';

/**
 * The streams of one connection: those that are open by number, how those that are gone ended, and which numbers are still
 * idle. Clients open odd streams, servers (by push, which nobody may here) even ones.
 *
 * @see RFC 9113 §5.1.1
 */
export class StreamTable<Owner> {
  /** Streams that we opened and that are open. */
  ownOpen = 0;
  /** Streams that the peer opened and that are open. */
  peerOpen = 0;
  /** The highest stream that the peer has opened. */
  lastPeerStream = 0;
  readonly #open = new OpenStreams<Owner>();
  readonly #closed = new ClosedStreams();
  readonly #ownParity: number;
  #nextOwn: number;

  constructor(role: Role) {
    this.#ownParity = role === 'client' ? 1 : 0;
    this.#nextOwn = role === 'client' ? 1 : 2;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Numbers for streams of our own are left. */
  get hasNumbers(): boolean {
    return this.#nextOwn <= LARGEST_STREAM_ID;
  }

  get(id: number): Http2Stream<Owner> | undefined {
    return this.#open.get(id);
  }

  /** How a stream that is gone ended; undefined when that is long ago or it never was. */
  closedBy(id: number): ClosedBy | undefined {
    return this.#closed.get(id);
  }

  /** Those that are open now, in no order. */
  all(): Http2Stream<Owner>[] {
    return this.#open.all();
  }

  isOwn(id: number): boolean {
    return id % 2 === this.#ownParity;
  }

  isIdle(id: number): boolean {
    return this.isOwn(id) ? id >= this.#nextOwn : id > this.lastPeerStream;
  }

  takeNumber(): number {
    const id = this.#nextOwn;
    this.#nextOwn += 2;
    return id;
  }

  add(stream: Http2Stream<Owner>): void {
    if (this.isOwn(stream.id)) this.ownOpen += 1;
    else this.peerOpen += 1;
    this.#open.add(stream);
  }

  remove(stream: Http2Stream<Owner>, by: ClosedBy): void {
    if (!this.#open.remove(stream)) return;
    if (this.isOwn(stream.id)) this.ownOpen -= 1;
    else this.peerOpen -= 1;
    this.#closed.add(stream.id, by);
  }

  /** A stream that never was opened is to be treated as one that ended so. */
  remember(id: number, by: ClosedBy): void {
    this.#closed.add(id, by);
  }
}
