import type { PipelineContext } from '../pipeline/context.ts';
import { deadlineAfter, type Mortal } from '../pipeline/lifetimes.ts';
import { DEAF, type LinkHandler } from '../pipeline/link.ts';
import { ClientHelloReader, type ClientHello } from '../protocol/tls-hello/index.ts';
import type { SocketLink } from './socket-link.ts';

/** What becomes of a connection that began like TLS; exactly one is called. `bytes` is everything that was read. */
export interface HelloObserver {
  onHello(hello: ClientHello, bytes: Buffer): void;
  /** It began like TLS but is not. */
  onNoHello(bytes: Buffer): void;
  /** The client went away or took too long. */
  onGone(bytes: Buffer): void;
}

/** Reads a link until its ClientHello is complete (or shown to be none) and then lets go of it. */
export class HelloCollector implements LinkHandler, Mortal {
  readonly deadline: number;
  readonly #context: PipelineContext;
  readonly #link: SocketLink;
  readonly #observer: HelloObserver;
  readonly #reader = new ClientHelloReader();
  readonly #parts: Buffer[] = [];

  private constructor(context: PipelineContext, link: SocketLink, observer: HelloObserver) {
    this.#context = context;
    this.#link = link;
    this.#observer = observer;
    this.deadline = deadlineAfter(context.clock.coarse, context.settings.timeouts.tls);
  }

  /** @param first bytes that were read already */
  static collect(context: PipelineContext, link: SocketLink, first: Buffer, observer: HelloObserver): void {
    const collector = new HelloCollector(context, link, observer);
    link.handler = collector;
    context.lifetimes.add(collector);
    collector.onBytes(first);
  }

  onBytes(bytes: Buffer): void {
    this.#parts.push(bytes);
    const result = this.#reader.receive(bytes);
    if (result.kind === 'incomplete') return;
    const all = this.#leave();
    if (result.kind === 'hello') this.#observer.onHello(result.hello, all);
    else this.#observer.onNoHello(all);
  }

  onDrain(): void {
    // Nothing was written.
  }

  onEof(): void {
    this.#observer.onGone(this.#leave());
  }

  onClosed(): void {
    this.onEof();
  }

  onDeadline(): void {
    this.onEof();
  }

  drain(): void {
    this.onEof();
  }

  stop(): void {
    this.onEof();
  }

  #leave(): Buffer {
    this.#context.lifetimes.remove(this);
    this.#link.handler = DEAF;
    const [only] = this.#parts;
    return this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
  }
}
