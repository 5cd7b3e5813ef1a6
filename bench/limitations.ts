import type { BenchEnvironment } from '#contract';

/**
 * What a reader must know before quoting a figure.
 *
 * @param trials of each product; null when nothing was measured by trials
 * @param rate operations a second that were offered; null for a closed loop
 */
export function limitationsOf(
  { cores, otherCores }: BenchEnvironment,
  trials: number | null,
  rate: number | null,
): readonly string[] {
  return [
    'Ratios hold within one run on one machine; absolute figures do not travel.',
    ...(trials !== null && trials < 3
      ? [`Only ${String(trials)} ${trials === 1 ? 'trial' : 'trials'}: differences below ten per cent mean little.`]
      : []),
    ...(rate === null
      ? ['A closed loop waits for slow answers before it asks again, so its latencies leave out what waited.']
      : ['The generator looks at its clock each millisecond; up to so much of each latency is its own.']),
    ...(cores <= 2 ? ['Generator and origin share a core: look at CPU an operation before throughput.'] : []),
    ...(otherCores === null ? ['Nothing was pinned to cores on this system.'] : []),
    ...(process.platform === 'linux'
      ? []
      : ['This system does not tell the CPU of other processes: ratios are of throughput.']),
  ];
}
