import type { Meter } from './meter.ts';

/** When the operations of a load begin. */
export interface Pace {
  /**
   * Calls `begin` once when the next operation of the caller is to begin, with the time from which its latency counts
   * (`performance.now()`); with null when the window is over.
   */
  next(begin: (intendedAt: number | null) => void): void;
  /** Nothing begins any more. */
  stop(): void;
}

/** A closed loop: an operation begins when its caller is free. */
export function closedLoop(meter: Meter): Pace {
  return {
    next: (begin) => {
      begin(meter.stopping ? null : performance.now());
    },
    stop: () => undefined,
  };
}

/** How often a fixed rate looks at the clock, ms. */
const TICK_MS = 1;

/**
 * A fixed rate: operations begin by the clock, whoever is free takes the next one, and what nobody was free for waits. Latency
 * counts from the place in the schedule, so that waiting for a slow product is in it.
 *
 * @param perSecond operations over all callers
 */
export class FixedRate implements Pace {
  readonly #everyMs: number;
  readonly #waiting: ((intendedAt: number | null) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #began = performance.now();
  #taken = 0;
  #stopped = false;

  constructor(perSecond: number) {
    this.#everyMs = 1_000 / perSecond;
    this.#timer = setInterval(() => {
      this.#release();
    }, TICK_MS);
  }

  next(begin: (intendedAt: number | null) => void): void {
    if (this.#stopped) begin(null);
    else if (this.#isDue()) begin(this.#take());
    else this.#waiting.push(begin);
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
    for (const begin of this.#waiting.splice(0)) begin(null);
  }

  #release(): void {
    let free = 0;
    while (free < this.#waiting.length && this.#isDue()) {
      this.#waiting[free]?.(this.#take());
      free += 1;
    }
    this.#waiting.splice(0, free);
  }

  #isDue(): boolean {
    return this.#began + this.#taken * this.#everyMs <= performance.now();
  }

  #take(): number {
    const intendedAt = this.#began + this.#taken * this.#everyMs;
    this.#taken += 1;
    return intendedAt;
  }
}
