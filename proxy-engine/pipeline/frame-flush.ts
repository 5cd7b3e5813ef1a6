import { returnRoom } from '../base/bulk-rooms.ts';
import type { PipelineContext } from './context.ts';
import type { Link } from './link.ts';

/** Frames that wait are written at once when they are this many bytes. */
const FLUSH_BYTES = 131_072;

interface FrameSource {
  readonly pendingBytes: number;
  take(): Buffer[];
  takeSpent(): readonly Buffer[];
}

/** Gathers the frames of one connection, so that all that arises within one turn of the loop leaves in one write. */
export class FrameFlush {
  readonly #context: PipelineContext;
  readonly #link: Link;
  readonly #source: FrameSource;
  #waiting = false;

  constructor(context: PipelineContext, link: Link, source: FrameSource) {
    this.#context = context;
    this.#link = link;
    this.#source = source;
  }

  /** Writes within this turn of the loop. */
  soon(): void {
    if (this.#source.pendingBytes >= FLUSH_BYTES) {
      this.now();
      return;
    }
    if (this.#waiting || this.#source.pendingBytes === 0) return;
    this.#waiting = true;
    this.#context.soon(this.#run);
  }

  now(): void {
    if (this.#source.pendingBytes === 0) return;
    const bytes = this.#source.pendingBytes;
    const parts = this.#source.take();
    const [first] = parts;
    if (parts.length === 1 && first !== undefined) this.#link.write(first);
    else this.#link.writeAll(parts, bytes);
    // A part that stands alone is made of copies, and several were copied just now.
    for (const spent of this.#source.takeSpent()) returnRoom(spent);
  }

  readonly #run = (): void => {
    this.#waiting = false;
    this.now();
  };
}
