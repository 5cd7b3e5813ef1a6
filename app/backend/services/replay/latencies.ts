import type { LatencyBucket } from '#contract';

/** Each bucket ends this much later than it begins: percentiles are right to 5 %. */
const STEP = 1.05;
const LEAST_MS = 0.01;

/** Durations in buckets of equal ratio: a fixed size, however many there are. */
export class Latencies {
  readonly #counts: number[] = [];
  #total = 0;

  /** @param milliseconds of one request */
  add(milliseconds: number): void {
    const index = Math.max(0, Math.ceil(Math.log(Math.max(milliseconds, LEAST_MS) / LEAST_MS) / Math.log(STEP)));
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#total += 1;
  }

  /** Buckets that hold something, shortest first. */
  get buckets(): readonly LatencyBucket[] {
    const buckets: LatencyBucket[] = [];
    this.#counts.forEach((count, index) => {
      if (count > 0) buckets.push({ from: index === 0 ? 0 : bound(index - 1), to: bound(index), count });
    });
    return buckets;
  }

  /** The duration that `share` (0 to 1) of the requests stayed within, milliseconds; null without any. */
  percentile(share: number): number | null {
    if (this.#total === 0) return null;
    let left = Math.ceil(this.#total * share);
    for (let index = 0; index < this.#counts.length; index += 1) {
      left -= this.#counts[index] ?? 0;
      if (left <= 0) return bound(index);
    }
    return null;
  }
}

function bound(index: number): number {
  return LEAST_MS * STEP ** index;
}
