import type {
  BenchComparison,
  BenchFamily,
  BenchMeasure,
  BenchMode,
  BenchProfile,
  BenchProductResult,
  BenchProfileResult,
  BenchRatio,
  BenchResult,
} from '#contract';
import {
  BENCH_FAMILIES,
  BENCH_LADDERS,
  BENCH_MODES,
  compare,
  isOriginBound,
  isWeirProduct,
  LADDER_LOADS,
  ratioOf,
  rivalOf,
  weirOf,
} from '#contract';
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
export function methodLine({ methodology, environment, profiles, ladders }: BenchResult): string {
  const { trials, secondsPerTrial, connections, rate } = methodology;
  const cores = `${String(environment.cores)} cores`;
  const pinned = environment.productCores === null ? '' : `, product on core ${environment.productCores}`;
  const [ladder] = ladders;
  return [
    ...(profiles.length === 0 && ladder !== undefined
      ? [modeHint(ladder.kind)]
      : [`${BENCH_TEXT.modeHint(trials, secondsPerTrial)}, products alternate`, `${String(connections)} connections`]),
    ...(rate === null ? [] : [BENCH_TEXT.offered(rate)]),
    `${environment.cpu}, ${cores}${pinned}`,
  ].join(' · ');
}

/** What a mode does to each product. */
export function modeHint(mode: BenchMode): string {
  const { trials, seconds, ladder } = BENCH_MODES[mode];
  if (ladder === null) return BENCH_TEXT.modeHint(trials, seconds);
  return BENCH_TEXT.ladderHint(BENCH_LADDERS[ladder], LADDER_LOADS[ladder], seconds);
}

/** A latency in a table, ms. */
export function latencyText(ms: number | null): string {
  return ms === null ? BENCH_TEXT.unknown : ms.toFixed(2);
}

/** How long a run takes, roughly, seconds. */
export function estimate(profiles: readonly BenchProfile[], products: readonly string[], mode: BenchMode): number {
  const { trials, seconds, ladder } = BENCH_MODES[mode];
  const times = ladder === null ? trials : BENCH_LADDERS[ladder].length;
  // The origin alone is measured beside the products.
  const runs = profiles.reduce(
    (sum, profile) => sum + 1 + profile.products.filter((id) => products.includes(id)).length,
    0,
  );
  return runs * times * (seconds + TRIAL_OVERHEAD);
}

/** Why a row has no bar; null when it has one. */
function noRatio(profile: BenchProfileResult, weir: BenchProductResult | null, measure: BenchMeasure): string | null {
  const { bound, noCpu, noRival, notMeasured } = BENCH_TEXT.noRatio;
  if (ratioOf(profile, measure, weir) !== null) return null;
  if (weir === null || weir.median === null) return notMeasured;
  if (rivalOf(profile) === null) return noRival;
  return measure === 'throughput' && isOriginBound(profile) ? bound : noCpu;
}

/** A line of the ratio chart. */
export interface RatioRow {
  readonly profile: BenchProfileResult;
  /** Weir in one of its roles. */
  readonly weir: BenchProductResult | null;
  /** False for the first role of a profile, which stands for it. */
  readonly further: boolean;
  readonly ratio: BenchRatio | null;
  /** Stands in place of a bar, where there is none. */
  readonly why: string | null;
}

/** A family in the ratio chart. */
export interface RatioGroup {
  readonly family: BenchFamily;
  readonly rows: readonly RatioRow[];
  /** Ratio at the right edge of the bars. */
  readonly scale: number;
  /** What the line at 1.0 is called; null where it is what the group above calls it, or where there are no bars. */
  readonly line: string | null;
}

/**
 * The rows of the ratio chart. All families share one scale, so that bars can be compared, but for interception: its rivals
 * are of another kind, and a bar ten times as long would flatten all the others.
 */
export function ratioGroups(profiles: readonly BenchProfileResult[], measure: BenchMeasure): readonly RatioGroup[] {
  const groups = byFamily(profiles).map(({ family, profiles: members }) => ({
    family,
    rows: members.flatMap((profile) => rowsOf(profile, measure)),
  }));
  const scaleAs = (like: BenchFamily): number =>
    scaleOf(groups.filter(({ family }) => isApart(family) === isApart(like)).flatMap(({ rows }) => rows));
  let above = '';
  return groups.map(({ family, rows }) => {
    const scale = scaleAs(family);
    const name = lineName(rows);
    const line = name === null || `${name} ${String(scale)}` === above ? null : name;
    if (name !== null) above = `${name} ${String(scale)}`;
    return { family, rows, scale, line };
  });
}

/** A row for the profile, and one for each further role of Weir that was measured in it. */
function rowsOf(profile: BenchProfileResult, measure: BenchMeasure): readonly RatioRow[] {
  const first = weirOf(profile);
  const others = profile.products.filter(
    (product) => product !== first && product.median !== null && isWeirProduct(product.product),
  );
  return [first, ...others].map((weir, at) => ({
    profile,
    weir,
    further: at > 0,
    ratio: ratioOf(profile, measure, weir),
    why: noRatio(profile, weir, measure),
  }));
}

function isApart(family: BenchFamily): boolean {
  return family === 'interception';
}

/** Where the longest bar or dot ends, a little below the right edge. */
function scaleOf(rows: readonly RatioRow[]): number {
  const ends = rows.flatMap(({ ratio }) => (ratio === null ? [] : [ratio.ratio, ...ratio.trials]));
  return Math.max(1.1, ...ends) * 1.04;
}

/** What the line at 1.0 is called: the one rival, or whichever each row names; null without a bar. */
function lineName(rows: readonly RatioRow[]): string | null {
  const names = new Set(
    rows.flatMap(({ ratio }) => (ratio === null ? [] : [ratio.kind === 'origin' ? BENCH_TEXT.origin : ratio.against])),
  );
  const [only] = names;
  if (only === undefined) return null;
  return names.size === 1 ? only : BENCH_TEXT.rival;
}
