import type { BenchProgress } from '#contract';
import { tell } from '../output.ts';

/** What a run is doing, on standard error: one line that is written over on a terminal, a line a step elsewhere. */
export class ProgressLine {
  #step = 0;
  readonly #overwrites = process.stderr.isTTY;

  show(progress: BenchProgress): void {
    const { step, steps, profile, product, trial, load, secondsLeft } = progress;
    if (profile === null || (!this.#overwrites && step === this.#step)) return;
    this.#step = step;
    const who = product ?? 'the origin alone';
    const which = load === null ? (product === null ? '' : `, trial ${String(trial)}`) : `, load ${String(load)}`;
    const text = `${String(step)} of ${String(steps)}: ${profile}, ${who}${which}; about ${String(secondsLeft)} s left`;
    if (this.#overwrites) process.stderr.write(`\r\u001b[Kweir: ${text}`);
    else tell(text);
  }

  end(): void {
    if (this.#overwrites) process.stderr.write('\r\u001b[K');
  }
}
