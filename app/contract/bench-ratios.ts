import type { BenchProductResult, BenchProfileResult, BenchResult, BenchTrial } from './bench.ts';
import { laddersText } from './bench-ladders.ts';

/** What is compared: operations a second, or operations a second of CPU. More is better in both. */
export type BenchMeasure = 'throughput' | 'cpu';

/** Weir against its baseline in one profile. */
export interface BenchRatio {
  /** Above 1 when Weir does more. */
  readonly ratio: number;
  /** Half of the spread of the trials around their median, as a share: 0.02 is ±2 %. */
  readonly noise: number;
  /** The ratio of each of Weir's trials to the baseline's median. */
  readonly trials: readonly number[];
  /** What it is divided by: a rival, or the origin without anything between. */
  readonly against: string;
  readonly kind: 'rival' | 'origin';
}

/** Ratios that lie this close to 1 are level, even where the trials lay closer. */
const LEVEL_SHARE = 0.03;
/** A product's throughput says something about the product while the origin alone does this much more. */
const CEILING = 1.3;

/** Weir's own figures: the first product of a profile. */
export function weirOf(profile: BenchProfileResult): BenchProductResult | null {
  return profile.products[0] ?? null;
}

/** Whether a product is Weir, in whichever role. */
export function isWeirProduct(product: string): boolean {
  return product === 'weir' || product.startsWith('weir-');
}

/** The rival that the profile's ratios divide by; null when none was measured. */
export function rivalOf(profile: BenchProfileResult): BenchProductResult | null {
  const rival = profile.products.find(({ product }) => product === profile.baseline);
  return rival === undefined || rival === weirOf(profile) || rival.median === null ? null : rival;
}

/**
 * Weir's ratio to its rival in one profile, or, for throughput without a rival, its share of what the origin alone does.
 *
 * @param weir Weir in another role than the profile's first
 * @returns null when the profile does not say: nothing measured, no CPU known, or the origin itself was the limit
 */
export function ratioOf(
  profile: BenchProfileResult,
  measure: BenchMeasure,
  weir: BenchProductResult | null = weirOf(profile),
): BenchRatio | null {
  if (weir === null || weir.median === null) return null;
  const mine = workOf(weir.median, measure);
  const rival = rivalOf(profile);
  const base = rival?.median ?? (measure === 'throughput' ? profile.origin : null);
  const theirs = base === null ? null : workOf(base, measure);
  if (mine === null || theirs === null) return null;
  if (measure === 'throughput' && rival !== null && isOriginBound(profile)) return null;
  return {
    ratio: mine / theirs,
    noise: Math.max(spreadOf(weir.trials, measure), spreadOf(rival?.trials ?? [], measure)),
    trials: weir.trials.flatMap((trial) => {
      const work = workOf(trial, measure);
      return work === null ? [] : [work / theirs];
    }),
    against: rival?.name ?? 'the origin alone',
    kind: rival === null ? 'origin' : 'rival',
  };
}

/** Whether the origin was too slow to tell the products of this profile apart by their throughput. */
export function isOriginBound(profile: BenchProfileResult): boolean {
  const fastest = Math.max(
    weirOf(profile)?.median?.operationsPerSecond ?? 0,
    rivalOf(profile)?.median?.operationsPerSecond ?? 0,
  );
  return profile.origin !== null && profile.origin.operationsPerSecond < CEILING * fastest;
}

/** Whether a ratio differs from 1 by more than its trials do among themselves. */
export function standing({ ratio, noise }: Pick<BenchRatio, 'ratio' | 'noise'>): 'ahead' | 'level' | 'behind' {
  if (Math.abs(ratio - 1) <= Math.max(noise, LEVEL_SHARE)) return 'level';
  return ratio > 1 ? 'ahead' : 'behind';
}

/** The whole run in one sentence, with its noise. */
export function headlineOf(
  result: Pick<BenchResult, 'profiles' | 'cancelled'> & Partial<Pick<BenchResult, 'ladders'>>,
  measure: BenchMeasure,
): string {
  const { profiles, cancelled, ladders = [] } = result;
  const only = profiles[0];
  if (only === undefined && ladders.length > 0) return laddersText(ladders);
  if (only === undefined) return cancelled ? 'Nothing was finished before it was cancelled.' : 'Nothing was measured.';
  const ratios = profiles.flatMap((profile) => {
    const ratio = ratioOf(profile, measure);
    return ratio?.kind === 'rival' ? [{ ...ratio, title: profile.title, who: nameOf(profile) }] : [];
  });
  const [first] = ratios;
  if (first === undefined) {
    // Where the origin was the limit everywhere, CPU still tells the products apart.
    const other = measure === 'throughput' && profiles.some((profile) => ratioOf(profile, 'cpu') !== null);
    if (other && profiles.length > 1) return headlineOf(result, 'cpu');
    return profiles.length === 1
      ? only.verdict
      : 'No rival was measured beside Weir, so there is nothing to compare with but the origin alone.';
  }
  const what = measure === 'cpu' ? 'work a second of CPU' : 'throughput';
  const noise = `noise ±${percent(Math.max(...ratios.map((ratio) => ratio.noise)))} %, this machine`;
  if (ratios.length === 1) {
    return `${first.who} carries ${first.title} at ${times(first.ratio)} ${first.against} in ${what}, ${noise}.`;
  }
  const sorted = ratios.toSorted((one, other) => one.ratio - other.ratio);
  const least = sorted[0] ?? first;
  const most = sorted.at(-1) ?? first;
  return (
    `In ${what} ${first.who} is ${tally(ratios.map(standing))} of ${String(ratios.length)} profiles, ` +
    `from ${times(least.ratio)} ${least.against} (${least.title}) to ${times(most.ratio)} ${most.against} (${most.title}); ${noise}.`
  );
}

/** `Weir (capture off)` for a product that is called `Weir, capture off`. */
function nameOf(profile: BenchProfileResult): string {
  const [name = 'Weir', role] = (weirOf(profile)?.name ?? 'Weir').split(', ');
  return role === undefined ? name : `${name} (${role})`;
}

/** `1.04×` */
export function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`;
}

/** A share as whole per cent, at least 1: `2` for 0.018. */
export function percent(share: number): string {
  return String(Math.max(1, Math.round(share * 100)));
}

/** What a trial got done: operations a second, or a second of CPU; null when that is not known. */
export function workOf(trial: BenchTrial, measure: BenchMeasure): number | null {
  if (measure === 'throughput') return trial.operationsPerSecond > 0 ? trial.operationsPerSecond : null;
  return trial.cpuPerOperation === null || trial.cpuPerOperation === 0 ? null : 1_000_000 / trial.cpuPerOperation;
}

/** Operations that succeeded among all that ended, 0 to 1; 0 when none ended. */
export function successShare(operations: number, errors: number): number {
  return operations === 0 ? 0 : operations / (operations + errors);
}

/** A product's operations a second as a share of what the origin does alone; null where either is not known. */
export function shareOfOrigin(
  product: { readonly operationsPerSecond: number } | null,
  origin: { readonly operationsPerSecond: number } | null,
): number | null {
  if (product === null || origin === null || origin.operationsPerSecond === 0) return null;
  return product.operationsPerSecond / origin.operationsPerSecond;
}

/** Half of the distance between the best and the worst trial, as a share of their middle. */
export function spreadOf(trials: readonly BenchTrial[], measure: BenchMeasure): number {
  const work = trials.flatMap((trial) => workOf(trial, measure) ?? []);
  if (work.length < 2) return 0;
  const least = Math.min(...work);
  const most = Math.max(...work);
  return (most - least) / (most + least);
}

/** `ahead in 3, level in 2 and behind in 1` */
function tally(standings: readonly string[]): string {
  const parts = ['ahead', 'level', 'behind'].flatMap((word) => {
    const count = standings.filter((standing) => standing === word).length;
    return count === 0 ? [] : [`${word} in ${count === standings.length ? 'all' : String(count)}`];
  });
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
