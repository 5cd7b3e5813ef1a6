import type { BenchResult } from '#contract';
import { CommandError } from '../usage.ts';
import type { BenchChoice } from './choice.ts';

/**
 * What is left of a choice after an earlier run of it.
 *
 * @throws CommandError when the earlier run measured in another way, so that its figures do not belong beside new ones
 */
export function leftOf(choice: BenchChoice, earlier: BenchResult): BenchChoice {
  const { trials, secondsPerTrial, rate } = earlier.methodology;
  const isSame = trials === choice.trials && secondsPerTrial === choice.seconds && rate === choice.rate;
  if (earlier.profiles.length > 0 && !isSame) {
    const offered = rate === null ? '' : ` at ${String(rate)} operations a second`;
    throw new CommandError(
      `The run that is to go on was measured by ${String(trials)} trials of ${String(secondsPerTrial)} s${offered}. Ask for the same, or begin another.`,
    );
  }
  const other = earlier.ladders.find(({ secondsPerStep }) => secondsPerStep !== choice.secondsPerStep);
  if (other !== undefined) {
    throw new CommandError(
      `The ladders of the run that is to go on have steps of ${String(other.secondsPerStep)} s. Ask for the same, or begin another.`,
    );
  }
  const isLeft =
    (kind: 'ramp' | 'sweep') =>
    (id: string): boolean =>
      !earlier.ladders.some((ladder) => ladder.kind === kind && ladder.profile === id);
  return {
    ...choice,
    profiles: choice.profiles.filter((id) => !earlier.profiles.some(({ profile }) => profile === id)),
    ramps: choice.ramps.filter(isLeft('ramp')),
    sweeps: choice.sweeps.filter(isLeft('sweep')),
  };
}

export function isNothing({ profiles, ramps, sweeps }: BenchChoice): boolean {
  return profiles.length + ramps.length + sweeps.length === 0;
}

/**
 * An earlier run and what came to it, as one result.
 *
 * @param order ids of all profiles as they are listed
 */
export function joinResults(earlier: BenchResult, later: BenchResult, order: readonly string[]): BenchResult {
  const sorted = <Part extends { readonly profile: string }>(parts: readonly Part[]): readonly Part[] =>
    parts.toSorted((one, other) => order.indexOf(one.profile) - order.indexOf(other.profile));
  const { commit } = earlier;
  const sameSource = commit === later.commit && earlier.weir === later.weir;
  const remark = `${String(earlier.profiles.length + earlier.ladders.length)} profiles are of an earlier run: Weir ${earlier.weir}, commit ${commit ?? 'unknown'}.`;
  return {
    ...later,
    startedAt: earlier.startedAt,
    profiles: sorted([...earlier.profiles, ...later.profiles]),
    ladders: sorted([...earlier.ladders, ...later.ladders]),
    limitations: [...new Set([...earlier.limitations, ...later.limitations, ...(sameSource ? [] : [remark])])],
  };
}
