import type { PipelineContext } from '../pipeline/context.ts';
import { DEAF, type LinkHandler } from '../pipeline/link.ts';
import type { Mortal } from '../pipeline/lifetimes.ts';
import type { SocketLink } from './socket-link.ts';

/** Holds a client's place while its origin is asked what it speaks: nothing is read, and its going away is noticed. */
export class AwaitedClient implements LinkHandler, Mortal {
  readonly deadline = Infinity;
  readonly #context: PipelineContext;
  readonly #link: SocketLink;
  #giveUp: () => void = () => undefined;
  #left = false;

  constructor(context: PipelineContext, link: SocketLink) {
    this.#context = context;
    this.#link = link;
    link.pause();
    link.handler = this;
    context.lifetimes.add(this);
  }

  /** @param giveUp called when the client is gone, unless it has left before */
  onGone(giveUp: () => void): void {
    if (!this.#left) this.#giveUp = giveUp;
  }

  /** The wait is over. */
  leave(): void {
    this.#left = true;
    this.#context.lifetimes.remove(this);
    this.#link.handler = DEAF;
  }

  onBytes(): void {
    // The link is paused.
  }

  onDrain(): void {
    // Nothing waits.
  }

  onEof(): void {
    this.stop();
  }

  onClosed(): void {
    this.stop();
  }

  onDeadline(): void {
    // Dialling has its own limits.
  }

  drain(): void {
    this.stop();
  }

  stop(): void {
    if (this.#left) return;
    this.leave();
    this.#giveUp();
    this.#link.close();
  }
}
