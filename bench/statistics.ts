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
  return {
    operations: of((trial) => trial.operations),
    errors: of((trial) => trial.errors),
    seconds: of((trial) => trial.seconds),
    operationsPerSecond: of((trial) => trial.operationsPerSecond),
    p50: of((trial) => trial.p50),
    p90: of((trial) => trial.p90),
    p99: of((trial) => trial.p99),
    p999: of((trial) => trial.p999),
    max: of((trial) => trial.max),
    cpuPerOperation: known((trial) => trial.cpuPerOperation),
    engineCpuPerOperation: known((trial) => trial.engineCpuPerOperation),
    residentBytes: known((trial) => trial.residentBytes),
  };
}
