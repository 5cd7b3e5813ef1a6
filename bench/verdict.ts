import { isOriginBound, ratioOf, rivalOf, spreadOf, standing, weirOf } from '#contract';
import type { BenchProductResult, BenchProfileResult, BenchRatio, BenchTrial } from '#contract';

/** Who takes part, as far as a baseline cares. */
export interface Contender {
  readonly id: string;
  readonly isWeir: boolean;
  readonly isControl: boolean;
}

/** The rival that ratios divide by: the one with the least CPU an operation, else with the most operations; null without rivals. */
export function baselineOf(results: readonly BenchProductResult[], contenders: readonly Contender[]): string | null {
  const rivals = results.flatMap(({ product, median }) => {
    const contender = contenders.find(({ id }) => id === product);
    const isRival = contender !== undefined && !contender.isWeir && !contender.isControl;
    return isRival && median !== null ? [{ product, cost: costOf(median) }] : [];
  });
  return rivals.sort((a, b) => a.cost - b.cost)[0]?.product ?? null;
}

function costOf({ cpuPerOperation, operationsPerSecond }: BenchTrial): number {
  return cpuPerOperation ?? 1e6 / Math.max(1, operationsPerSecond);
}

/** One sentence about Weir's first product in a profile, with its noise in it. */
export function verdictOf(result: Omit<BenchProfileResult, 'verdict'>): string {
  const profile: BenchProfileResult = { ...result, verdict: '' };
  const weir = weirOf(profile);
  if (weir === null || weir.median === null) return 'Weir was not measured.';
  const errors = weir.median.errors > 0 ? ` ${String(weir.median.errors)} operations failed.` : '';
  const rival = rivalOf(profile);
  if (rival === null) {
    const cost = weir.median.cpuPerOperation;
    const one = profile.unit.replace(/s$/, '');
    const figures = `${weir.median.operationsPerSecond.toFixed(0)} ${profile.unit} a second`;
    return `${weir.name}: ${cost === null ? '' : `${cost.toFixed(1)} µs of CPU a ${one}, `}${figures}; no other proxy was measured.${errors}`;
  }
  const cpu = ratioOf(profile, 'cpu');
  const throughput = ratioOf(profile, 'throughput');
  const parts = [
    ...(cpu === null ? [] : [`${figure(cpu)} the work of ${rival.name} a second of CPU`]),
    ...(throughput === null
      ? []
      : [`${figure(throughput)} ${cpu === null ? `the throughput of ${rival.name}` : 'its throughput'}`]),
  ];
  const measures = [cpu === null ? null : 'cpu', throughput === null ? null : 'throughput'] as const;
  const spread = Math.max(
    ...measures.flatMap((measure) =>
      measure === null ? [] : [spreadOf(weir.trials, measure), spreadOf(rival.trials, measure)],
    ),
  );
  const noise = weir.trials.length < 2 ? 'one trial, noise unknown' : `noise ±${(spread * 100).toFixed(0)} %`;
  const bound = isOriginBound(profile) ? '; the origin limited the throughput, so it is not compared' : '';
  return `${weir.name}: ${parts.join(', ')}; ${noise}${bound}.${errors}`;
}

/** A ratio, and whether its noise drowns the difference. */
function figure(ratio: BenchRatio): string {
  return `${ratio.ratio.toFixed(2)}×${standing(ratio) === 'level' ? ' (no measurable difference)' : ''}`;
}
