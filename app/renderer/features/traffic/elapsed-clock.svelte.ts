import { createSubscriber } from 'svelte/reactivity';

const STEP_MILLISECONDS = 250;

/** The time of day in steps of a quarter second; it ticks only while something on the screen reads it. */
class ElapsedClock {
  readonly #subscribe = createSubscriber((update) => {
    const timer = setInterval(update, STEP_MILLISECONDS);
    return () => {
      clearInterval(timer);
    };
  });

  /** Microseconds since the Unix epoch. */
  get now(): number {
    this.#subscribe();
    return Date.now() * 1_000;
  }
}

export const elapsedClock = new ElapsedClock();
