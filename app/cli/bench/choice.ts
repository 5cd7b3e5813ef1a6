import type { BenchProduct, BenchProfile } from '#contract';
import { BENCH_FAMILIES, BENCH_LADDER_PROFILES, BENCH_MODES } from '#contract';
import type { BenchOrder } from '../../backend/services/bench/bench-process.ts';
import { UsageError } from '../usage.ts';

/** What a run is to measure, without its name. */
export type BenchChoice = Omit<BenchOrder, 'run'>;

/** What the command line asks for; null where it leaves the choice. */
export interface BenchWish {
  /** Ids of profiles, families, or `all`. */
  readonly names: readonly string[];
  readonly full: boolean;
  readonly ramp: boolean;
  readonly sweep: boolean;
  readonly peers: readonly string[] | null;
  readonly trials: number | null;
  readonly seconds: number | null;
  readonly rate: number | null;
}

export const WEIR_PRODUCTS: readonly string[] = ['weir', 'weir-capture', 'weir-watched'];

/**
 * Turns a wish into what is measured: the quick set without a word, ladders of three profiles, or what is named.
 *
 * @throws UsageError for names that nothing has, and for what does not go together
 */
export function chooseBench(
  profiles: readonly BenchProfile[],
  products: readonly BenchProduct[],
  wish: BenchWish,
): BenchChoice {
  const { full, ramp, sweep, peers, rate, seconds } = wish;
  const named = wish.names.length === 0 ? null : idsOf(profiles, wish.names);
  const stranger = peers?.find((peer) => !products.some(({ id }) => id === peer));
  if (stranger !== undefined) {
    throw new UsageError(`There is no product ${JSON.stringify(stranger)}. \`weir bench --list\` names them.`);
  }
  const byTrials = full || !(ramp || sweep);
  if (rate !== null && !byTrials) {
    throw new UsageError('--rate is a fixed load: leave out --ramp and --sweep, or add --full.');
  }
  const isQuick = byTrials && !full && named === null;
  const usual = profiles.filter((profile) => (full ? profile.full : profile.quick)).map(({ id }) => id);
  const onLadders = named ?? BENCH_LADDER_PROFILES;
  const mode = BENCH_MODES[full ? 'full' : 'quick'];
  return {
    profiles: byTrials ? (named ?? usual) : [],
    ramps: ramp || (full && named === null) ? onLadders : [],
    sweeps: sweep ? onLadders : [],
    products: peers === null ? (isQuick ? mode.products : null) : [...WEIR_PRODUCTS, ...peers],
    trials: wish.trials ?? mode.trials,
    seconds: seconds ?? mode.seconds,
    secondsPerStep: seconds ?? BENCH_MODES.ramp.seconds,
    rate,
  };
}

function idsOf(profiles: readonly BenchProfile[], names: readonly string[]): readonly string[] {
  const isNamed = ({ id, family }: BenchProfile, name: string): boolean =>
    name === id || name === 'all' || name === family;
  const unknown = names.find((name) => !profiles.some((profile) => isNamed(profile, name)));
  if (unknown !== undefined) {
    throw new UsageError(
      `There is no profile ${JSON.stringify(unknown)}. \`weir bench --list\` names them; ${BENCH_FAMILIES.join(', ')} and all name several.`,
    );
  }
  return profiles.filter((profile) => names.some((name) => isNamed(profile, name))).map(({ id }) => id);
}
