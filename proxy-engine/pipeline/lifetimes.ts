/** Something that lives on a connection, ends when its time is over, and when the engine stops. */
export interface Mortal {
  /** Coarse milliseconds (`Clock.coarse`) after which `onDeadline` is called; Infinity for never. */
  deadline: number;
  /** The deadline is over. It is called again at the next tick unless the deadline moves. */
  onDeadline(): void;
  /** The engine stops: what goes on may end in peace, nothing new may begin. */
  drain(): void;
  /** The engine's patience is over. */
  stop(): void;
}

/**
 * Everything that lives in an engine. Setting a deadline is a store into a field, which happens several times a request;
 * looking at all of them happens a few times a second.
 */
export class Lifetimes {
  readonly #living = new Set<Mortal>();

  get size(): number {
    return this.#living.size;
  }

  add(mortal: Mortal): void {
    this.#living.add(mortal);
  }

  remove(mortal: Mortal): void {
    this.#living.delete(mortal);
  }

  tick(now: number): void {
    for (const mortal of this.#living) {
      if (mortal.deadline <= now) mortal.onDeadline();
    }
  }

  drain(): void {
    for (const mortal of this.#living) mortal.drain();
  }

  stop(): void {
    for (const mortal of this.#living) mortal.stop();
  }
}

/** A deadline `milliseconds` after `now`; 0 switches it off. */
export function deadlineAfter(now: number, milliseconds: number): number {
  return milliseconds === 0 ? Infinity : now + milliseconds;
}
