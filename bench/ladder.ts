import { BENCH_LADDERS } from '#contract';
import type { BenchLadder, BenchLadderKind, BenchLadderProduct, BenchStep, BenchTrial } from '#contract';
import type { RunnableProfile } from './profiles.ts';
import type { Intensity } from './trial.ts';

/** Operations that may fail under a load that counts as sustained. */
const ERROR_SHARE = 0.001;
/** Connections over which the streams of a ramp are spread. */
const RAMP_CONNECTIONS = 4;

export type LadderLimits = BenchLadder['limits'];

export function limitsOf({ p99LimitMs }: RunnableProfile): LadderLimits {
  return { errorShare: ERROR_SHARE, p99: p99LimitMs };
}

/** An intensity with the load of one step: a ramp counts what is under way at once, a sweep counts connections. */
export function intensityAt(intensity: Intensity, kind: BenchLadderKind, load: number): Intensity {
  if (kind === 'sweep') return { ...intensity, connections: load, http2: { connections: load, streams: 1 } };
  const connections = Math.min(RAMP_CONNECTIONS, load);
  return { ...intensity, connections: load, http2: { connections, streams: Math.ceil(load / connections) } };
}

/** A step that was measured, judged by the limits. */
export function stepOf(load: number, trial: BenchTrial, limits: LadderLimits): BenchStep {
  const isFast = trial.p99 !== null && trial.p99 <= limits.p99;
  return { load, trial, problem: null, holds: isFast && staysWithin(trial, limits) };
}

/** A step that failed. */
export function failedStep(load: number, problem: string): BenchStep {
  return { load, trial: null, problem, holds: false };
}

/** What the steps of a product say together. */
export function summaryOf(
  steps: readonly BenchStep[],
  limits: LadderLimits,
): Pick<BenchLadderProduct, 'sustained' | 'peak'> {
  const rates = steps.flatMap(({ trial }) =>
    trial !== null && staysWithin(trial, limits) ? [trial.operationsPerSecond] : [],
  );
  return {
    sustained: steps.findLast(({ holds }) => holds)?.load ?? null,
    peak: rates.length === 0 ? null : Math.max(...rates),
  };
}

function staysWithin({ successShare }: BenchTrial, { errorShare }: LadderLimits): boolean {
  return 1 - successShare <= errorShare;
}

/** Steps of a ladder: each load for the origin and for each product. */
export function countSteps(kind: BenchLadderKind, products: number): number {
  return BENCH_LADDERS[kind].length * (1 + products);
}
