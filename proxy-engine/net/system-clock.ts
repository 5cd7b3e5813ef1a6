import type { Clock } from '../pipeline/clock.ts';

const MICROS_PER_MS = 1_000;

/** The clock of one engine; `tick` moves its coarse hand. */
export class SystemClock implements Clock {
  coarse = performance.now();

  micros(): number {
    return Math.round((performance.timeOrigin + performance.now()) * MICROS_PER_MS);
  }

  tick(): number {
    return (this.coarse = performance.now());
  }
}
