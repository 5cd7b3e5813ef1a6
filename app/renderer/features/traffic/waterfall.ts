import type { ExchangeSummary } from '#contract';

/** A stretch of time, microseconds since the Unix epoch. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** What the rows from `first` up to, not including, `end` span; null when none is loaded. */
export function spanOf(
  first: number,
  end: number,
  rowAt: (index: number) => ExchangeSummary | undefined,
): TimeSpan | null {
  let from = Infinity;
  let to = -Infinity;
  for (let index = first; index < end; index += 1) {
    const row = rowAt(index);
    if (row === undefined) continue;
    from = Math.min(from, row.startedAt);
    to = Math.max(to, row.startedAt + (row.duration ?? 0));
  }
  return from > to ? null : { from, to: Math.max(to, from + 1) };
}

/** Where a row's bar begins and how wide it is, percent of the span; null for one that lies outside. */
export function barOf(
  { startedAt, duration }: Pick<ExchangeSummary, 'startedAt' | 'duration'>,
  { from, to }: TimeSpan,
): { readonly left: number; readonly width: number } | null {
  const end = duration === null ? to : startedAt + duration;
  if (end < from || startedAt > to) return null;
  const percent = (time: number): number => ((Math.min(to, Math.max(from, time)) - from) / (to - from)) * 100;
  const left = percent(startedAt);
  return { left, width: percent(end) - left };
}
