import type { Clock } from '../pipeline/clock.ts';

const MICROS_PER_MS = 1_000;
/** Of this thread; asking for it each time costs a third of the whole. */
const { timeOrigin } = performance;

/** The clock of one engine; `tick` moves its coarse hand. */
export class SystemClock implements Clock {
  coarse = performance.now();

  micros(): number {
    return Math.round((timeOrigin + performance.now()) * MICROS_PER_MS);
  }

  tick(): number {
    return (this.coarse = performance.now());
  }
}
