import type { BenchProductResult, BenchProfileResult, BenchResult, BenchTrial } from './bench.ts';
import { isOriginBound, isWeirProduct, spreadOf, weirOf, workOf } from './bench-ratios.ts';
import type { BenchMeasure } from './bench-ratios.ts';

/** Below this share of its earlier standing a profile has become slower. */
export const REGRESSION_BELOW = 0.9;

/** A profile now against the same profile earlier, each divided by the same rival of its own run. */
export interface BenchChange {
  readonly profile: string;
  readonly title: string;
  /** The rival that both runs measured. */
  readonly rival: string;
  /** Work a second of CPU: above 1 when Weir got better. Null when it is not known in both runs. */
  readonly cpu: number | null;
  /** Operations a second; null where the origin was the limit in either run. */
  readonly throughput: number | null;
  /** The figure that decides: CPU, or throughput where that fell further, by more than the noise. */
  readonly ratio: number;
  /** Half of the spread of the trials of both runs, as a share. */
  readonly noise: number;
  readonly regression: boolean;
}

export interface BenchComparison {
  readonly changes: readonly BenchChange[];
  /** Titles of profiles that cannot be compared: not in both runs under the same load, or without a rival that both measured. */
  readonly left: readonly string[];
}

/**
 * Compares two runs in a way that a faster or busier machine does not disturb: Weir's ratio to a rival now, divided by its
 * ratio to the same rival earlier.
 */
export function compare(result: BenchResult, earlier: BenchResult): BenchComparison {
  const changes: BenchChange[] = [];
  const left: string[] = [];
  const sameLoad = result.methodology.rate === earlier.methodology.rate;
  for (const now of result.profiles) {
    const then = earlier.profiles.find(({ profile }) => profile === now.profile);
    const change = !sameLoad || then === undefined ? null : changeOf(now, then);
    if (change === null) left.push(now.title);
    else changes.push(change);
  }
  return { changes, left };
}

function changeOf(now: BenchProfileResult, then: BenchProfileResult): BenchChange | null {
  const rival = commonRival(now, then);
  if (rival === null) return null;
  const cpu = normalised(now, then, rival, 'cpu');
  const bound = isOriginBound(now) || isOriginBound(then);
  const throughput = bound ? null : normalised(now, then, rival, 'throughput');
  const noise = noiseOf([now, then], rival, cpu === null ? 'throughput' : 'cpu');
  const felt = throughput !== null && 1 - throughput > noiseOf([now, then], rival, 'throughput');
  const figures = [cpu, cpu === null || felt ? throughput : null].filter((figure) => figure !== null);
  if (figures.length === 0) return null;
  const ratio = Math.min(...figures);
  const name = productOf(now, rival)?.name ?? rival;
  return {
    profile: now.profile,
    title: now.title,
    rival: name,
    cpu,
    throughput,
    ratio,
    noise,
    regression: ratio < REGRESSION_BELOW,
  };
}

/** Id of a rival that both measured, the present baseline first. */
function commonRival(now: BenchProfileResult, then: BenchProfileResult): string | null {
  const candidates = [now.baseline, then.baseline, ...now.products.map(({ product }) => product)];
  return (
    candidates.find(
      (id) => id !== null && !isWeirProduct(id) && [now, then].every((run) => medianOf(productOf(run, id)) !== null),
    ) ?? null
  );
}

function productOf(profile: BenchProfileResult, id: string): BenchProductResult | null {
  return profile.products.find(({ product }) => product === id) ?? null;
}

function medianOf(product: BenchProductResult | null): BenchTrial | null {
  return product === null ? null : product.median;
}

function normalised(
  now: BenchProfileResult,
  then: BenchProfileResult,
  rival: string,
  measure: BenchMeasure,
): number | null {
  const ratio = (run: BenchProfileResult): number | null => {
    const mine = medianOf(weirOf(run));
    const theirs = medianOf(productOf(run, rival));
    const work = mine === null ? null : workOf(mine, measure);
    const base = theirs === null ? null : workOf(theirs, measure);
    return work === null || base === null ? null : work / base;
  };
  const present = ratio(now);
  const past = ratio(then);
  return present === null || past === null ? null : present / past;
}

function noiseOf(runs: readonly BenchProfileResult[], rival: string, measure: BenchMeasure): number {
  const trials = runs.flatMap((run) => [weirOf(run)?.trials ?? [], productOf(run, rival)?.trials ?? []]);
  return Math.max(...trials.map((list) => spreadOf(list, measure)));
}

/** A comparison as a part of a page of Markdown. */
export function comparisonText({ changes, left }: BenchComparison): string {
  const times = (ratio: number | null): string => (ratio === null ? '–' : `${ratio.toFixed(2)}×`);
  const rows = changes.map(({ title, rival, cpu, throughput, noise, regression }) => {
    const judged = regression ? '**slower**' : 'holds';
    const spread = `±${String(Math.max(1, Math.round(noise * 100)))} %`;
    return `| ${[title, rival, times(cpu), times(throughput), spread, judged].join(' | ')} |`;
  });
  return [
    '## Since the earlier run',
    '',
    `Weir’s standing to the same rival, now divided by then; below ${String(REGRESSION_BELOW)} a profile has become slower.`,
    '',
    ...(rows.length === 0
      ? ['The two runs have no profile with a rival in common.']
      : ['| profile | rival | work a second of CPU | throughput | noise | |', '|---|---|---:|---:|---:|---|', ...rows]),
    ...(left.length === 0 ? [] : ['', `Not comparable: ${left.join(', ')}.`]),
    '',
  ].join('\n');
}
