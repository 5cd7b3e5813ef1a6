import type { MessageSide } from '../model/exchange.ts';
import type { Clock } from './clock.ts';
import type { ExchangeRecord } from './exchange-record.ts';

/** Something whose body is read from a source that can be made to rest. */
export interface PacedSource {
  readonly record: ExchangeRecord;
  /** The body of that side may be read on, unless something else speaks against it. */
  onPaceRelieved(side: MessageSide): void;
}

/** A store that has taken nothing for this long is stuck: nobody waits for it any longer, ms. */
const PATIENCE_MS = 1_000;

/**
 * Lets bulk bodies wait for the store, so that gigabytes are recorded whole. Only bodies that are long already rest, only while the store takes what it was given, and never longer than a moment after it stopped doing so: then they are
 * recorded no further and traffic goes on.
 */
export class Pacing {
  readonly #clock: Clock;
  readonly #resting = new Map<PacedSource, Set<MessageSide>>();
  #creditAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the body has to rest now; `onPaceRelieved` follows if so. */
  holds(source: PacedSource, side: MessageSide): boolean {
    if (!source.record.isCongested(side)) return false;
    const sides = this.#resting.get(source);
    if (sides !== undefined) {
      sides.add(side);
      return true;
    }
    if (this.#resting.size === 0) this.#creditAt = this.#clock.coarse;
    this.#resting.set(source, new Set([side]));
    return true;
  }

  forget(source: PacedSource): void {
    if (this.#resting.size > 0) this.#resting.delete(source);
  }

  /** The store has taken something. */
  onCredit(): void {
    this.#creditAt = this.#clock.coarse;
    for (const [source, sides] of this.#resting) {
      for (const side of sides) {
        if (!source.record.isCongested(side)) this.#relieve(source, sides, side);
      }
    }
  }

  tick(): void {
    if (this.#resting.size === 0 || this.#clock.coarse - this.#creditAt < PATIENCE_MS) return;
    for (const [source, sides] of this.#resting) {
      for (const side of sides) {
        source.record.cutBody(side);
        this.#relieve(source, sides, side);
      }
    }
  }

  #relieve(source: PacedSource, sides: Set<MessageSide>, side: MessageSide): void {
    sides.delete(side);
    if (sides.size === 0) this.#resting.delete(source);
    source.onPaceRelieved(side);
  }
}
