import type { BenchLadder, BenchLadderProduct, BenchStep } from './bench.ts';

/** What the loads of a ladder count. */
export const LADDER_LOADS = { ramp: 'under way at once', sweep: 'connections' } as const satisfies Record<
  BenchLadder['kind'],
  string
>;

/** What Weir sustains on the first ladder, as a sentence; for runs that measured nothing else. */
export function laddersText(ladders: readonly BenchLadder[]): string {
  const [first] = ladders;
  const weir = first?.products.find(({ product }) => product !== 'origin');
  if (first === undefined || weir === undefined) return '';
  const others = ladders.length === 1 ? '' : ` The run has ${String(ladders.length)} ladders.`;
  return `${first.title}: ${weir.name} ${sustainedText(first, weir)}.${others}`;
}

/** `sustains 64 under way at once and does at most 41,310 requests a second` */
export function sustainedText({ kind, unit }: BenchLadder, { missing, sustained, peak }: BenchLadderProduct): string {
  if (missing !== null) return 'was not measured';
  const holds =
    sustained === null
      ? 'stays within the limits under no load'
      : `sustains ${String(sustained)} ${LADDER_LOADS[kind]}`;
  return peak === null ? holds : `${holds} and does at most ${Math.round(peak).toLocaleString('en')} ${unit} a second`;
}

/** `p99 at most 50 ms, errors at most 0.1 %` */
export function limitsText({ limits }: BenchLadder): string {
  return `p99 at most ${String(limits.p99)} ms, errors at most ${String(Number((limits.errorShare * 100).toFixed(3)))} %`;
}

/** A step in a table: operations a second, p99 and whether it holds; why it failed where it did. */
export function stepText({ trial, problem, holds }: BenchStep): string {
  if (trial === null) return problem ?? 'not measured';
  const p99 = trial.p99 === null ? '' : `, p99 ${trial.p99.toFixed(1)} ms`;
  return `${trial.operationsPerSecond.toFixed(0)}${p99}${holds ? '' : ', past the limits'}`;
}

/** The loads that a ladder's steps have, ascending. */
export function loadsOf({ products }: BenchLadder): readonly number[] {
  return [...new Set(products.flatMap(({ steps }) => steps.map(({ load }) => load)))].sort((one, other) => one - other);
}
