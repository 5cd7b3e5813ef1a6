import type { BenchTrial } from '#contract';

/** The middle value; of an even number the lower middle one. @throws on an empty list */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error('A median needs at least one value.');
  return middle;
}

/** Of each figure by itself; null without a trial. */
export function medianTrial(trials: readonly BenchTrial[]): BenchTrial | null {
  if (trials.length === 0) return null;
  const of = (pick: (trial: BenchTrial) => number): number => median(trials.map(pick));
  const known = (pick: (trial: BenchTrial) => number | null): number | null => {
    const values = trials.map(pick).filter((value) => value !== null);
    return values.length === 0 ? null : median(values);
  };
  // Where one trial did not achieve its rate, there is no latency to quote.
  const latency = (pick: (trial: BenchTrial) => number | null): number | null =>
    trials.some((trial) => pick(trial) === null) ? null : known(pick);
  return {
    operations: of((trial) => trial.operations),
    errors: of((trial) => trial.errors),
    seconds: of((trial) => trial.seconds),
    operationsPerSecond: of((trial) => trial.operationsPerSecond),
    successShare: of((trial) => trial.successShare),
    p50: latency((trial) => trial.p50),
    p90: latency((trial) => trial.p90),
    p99: latency((trial) => trial.p99),
    p999: latency((trial) => trial.p999),
    max: latency((trial) => trial.max),
    cpuPerOperation: known((trial) => trial.cpuPerOperation),
    engineCpuPerOperation: known((trial) => trial.engineCpuPerOperation),
    residentBytes: known((trial) => trial.residentBytes),
    proportionalBytes: known((trial) => trial.proportionalBytes),
    loopDelayP99: known((trial) => trial.loopDelayP99),
    loopDelayMax: known((trial) => trial.loopDelayMax),
  };
}
