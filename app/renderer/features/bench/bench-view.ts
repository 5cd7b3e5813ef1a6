import type {
  BenchComparison,
  BenchFamily,
  BenchMeasure,
  BenchProfile,
  BenchProfileResult,
  BenchRatio,
  BenchResult,
} from '#contract';
import { BENCH_FAMILIES, BENCH_MODES, compare, isOriginBound, ratioOf, rivalOf, weirOf } from '#contract';
import { BENCH_TEXT } from '../../text/bench.ts';

/** Start of a product, its warm-up and its end, roughly, seconds. */
const TRIAL_OVERHEAD = 1.5;

/** Profiles of one family, in the order in which they came. */
export interface FamilyGroup<Profile> {
  readonly family: BenchFamily;
  readonly profiles: readonly Profile[];
}

/** Puts profiles into their families; families without one are left out. */
export function byFamily<Profile extends { readonly family: BenchFamily }>(
  profiles: readonly Profile[],
): readonly FamilyGroup<Profile>[] {
  return BENCH_FAMILIES.map((family) => ({
    family,
    profiles: profiles.filter((profile) => profile.family === family),
  })).filter((group) => group.profiles.length > 0);
}

/** The run against an earlier one; null without one. */
export function comparisonOf(result: BenchResult | null, earlier: BenchResult | null): BenchComparison | null {
  return result === null || earlier === null || earlier.id === result.id ? null : compare(result, earlier);
}

/** `2 trials × 1 s, products alternate · 64 connections · AMD EPYC, 2 cores` */
export function methodLine({ methodology, environment }: BenchResult): string {
  const { trials, secondsPerTrial, connections } = methodology;
  const cores = `${String(environment.cores)} cores`;
  const pinned = environment.productCores === null ? '' : `, product on core ${environment.productCores}`;
  return [
    `${BENCH_TEXT.modeHint(trials, secondsPerTrial)}, products alternate`,
    `${String(connections)} connections`,
    `${environment.cpu}, ${cores}${pinned}`,
  ].join(' · ');
}

/** How long a run takes, roughly, seconds. */
export function estimate(
  profiles: readonly BenchProfile[],
  products: readonly string[],
  mode: keyof typeof BENCH_MODES,
): number {
  const { trials, seconds } = BENCH_MODES[mode];
  // The origin alone is measured beside the products.
  const runs = profiles.reduce(
    (sum, profile) => sum + 1 + profile.products.filter((id) => products.includes(id)).length,
    0,
  );
  return runs * trials * (seconds + TRIAL_OVERHEAD);
}

/** Why a row has no bar; null when it has one. */
export function noRatio(profile: BenchProfileResult, measure: BenchMeasure): string | null {
  const { bound, noCpu, noRival, notMeasured } = BENCH_TEXT.noRatio;
  if (ratioOf(profile, measure) !== null) return null;
  const weir = weirOf(profile);
  if (weir === null || weir.median === null) return notMeasured;
  if (rivalOf(profile) === null) return noRival;
  return measure === 'throughput' && isOriginBound(profile) ? bound : noCpu;
}

/** The scale of a group's bars: where its longest bar or dot ends, a little below the right edge. */
export function scaleOf(ratios: readonly (BenchRatio | null)[]): number {
  const ends = ratios.flatMap((ratio) => (ratio === null ? [] : [ratio.ratio, ...ratio.trials]));
  return Math.max(1.1, ...ends) * 1.04;
}

/** What the line at 1.0 is called: the one rival, or whichever each row names. */
export function lineName(ratios: readonly (BenchRatio | null)[]): string {
  const known = ratios.filter((ratio) => ratio !== null);
  const names = new Set(known.map((ratio) => (ratio.kind === 'origin' ? BENCH_TEXT.origin : ratio.against)));
  const [only] = names;
  return names.size === 1 && only !== undefined ? only : BENCH_TEXT.rival;
}
