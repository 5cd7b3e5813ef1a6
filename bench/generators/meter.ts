import type { GeneratorLine, GeneratorResult } from '../workload.ts';

const LIVE_EVERY_MS = 500;

/** Counts operations and their latencies, within the measured window only. */
export class Meter {
  /** True once no new operation is to begin. */
  stopping = false;
  readonly #latencies: number[] = [];
  #measuring = false;
  #errors = 0;
  #live = 0;
  #seconds = 0;

  /** An operation that began at `startedAt` (`performance.now()`) is complete. */
  done(startedAt: number): void {
    if (!this.#measuring) return;
    this.#live += 1;
    this.#latencies.push(performance.now() - startedAt);
  }

  failed(): void {
    if (!this.stopping) this.#errors += 1;
  }

  /** Warms up, measures, and says so line by line; resolves when the window is over. */
  async run(warmUpMs: number, measureMs: number): Promise<void> {
    await sleep(warmUpMs);
    say({ type: 'warm' });
    this.#measuring = true;
    this.#errors = 0;
    const begin = performance.now();
    const live = setInterval(() => {
      say({ type: 'live', operations: this.#live });
      this.#live = 0;
    }, LIVE_EVERY_MS);
    await sleep(measureMs);
    this.#measuring = false;
    this.#seconds = (performance.now() - begin) / 1_000;
    clearInterval(live);
    say({ type: 'measured' });
    this.stopping = true;
  }

  result(): GeneratorResult {
    const sorted = Float64Array.from(this.#latencies).sort();
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return {
      operations: sorted.length,
      errors: this.#errors,
      seconds: this.#seconds,
      p50: at(0.5),
      p90: at(0.9),
      p99: at(0.99),
      p999: at(0.999),
      max: sorted.at(-1) ?? 0,
    };
  }
}

/** Prints one line for the runner. */
export function say(line: GeneratorLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
