import type { BenchFamily, BenchLadderKind, BenchMeasure, BenchMode } from '#contract';

/** Words of the Benchmark page. */
export const BENCH_TEXT = {
  title: 'Benchmark',
  lead: 'Weir measures itself beside the proxies that are installed here, in processes of its own. Your own traffic is neither measured nor recorded by it.',
  emptyTitle: 'Nothing measured yet',
  emptyText: 'The quick set takes about a minute and says how Weir carries traffic on this machine.',
  runQuick: 'Run the quick set',
  choose: 'Choose what to measure',
  again: 'Run again',
  fresh: 'New run',
  cancel: 'Cancel',
  cancelling: 'Cancelling',
  back: 'Back',
  start: 'Start',
  looking: 'Looking for what can be measured',
  unavailable: 'The benchmark cannot run here',
  tryAgain: 'Try again',
  failed: 'The run failed',
  failedNext: 'Mend what is said above and run it again. What was finished before stands under Earlier runs.',
  wasCancelled: 'This run ended early; what was finished before is shown.',

  modes: { quick: 'Quick', full: 'Full', ramp: 'Ramp', sweep: 'Sweep' } satisfies Record<BenchMode, string>,
  mode: 'How thoroughly',
  modeHint: (trials: number, seconds: number): string => `${String(trials)} trials × ${String(seconds)} s each`,
  ladderHint: (loads: readonly number[], what: string, seconds: number): string =>
    `${loads.map((load) => load.toLocaleString('en')).join(', ')} ${what}, ${String(seconds)} s each`,
  profiles: 'Profiles',
  products: 'Products',
  quickSet: 'Quick set',
  all: 'All',
  none: 'None',
  quickMark: 'quick',
  always: 'always measured',
  missing: 'Not here',
  plan: (profiles: number, products: number, time: string): string =>
    `${plural(profiles, 'profile')} · ${plural(products, 'product')} · about ${time}`,
  nothingChosen: 'Choose at least one profile.',

  families: {
    reverse: 'Reverse proxy',
    tls: 'TLS towards the client',
    heavy: 'Large bodies',
    shape: 'Sides out of step',
    streams: 'Streams and messages',
    relays: 'TCP and UDP relays',
    interception: 'Interception',
    inspection: 'Inspection',
    scale: 'Scale',
    matrix: 'Every protocol to every protocol',
  } satisfies Record<BenchFamily, string>,

  measuring: (profile: string, product: string | null, trial: number, load: number | null): string =>
    [
      `Measuring ${profile}`,
      product,
      load !== null ? `load ${String(load)}` : trial > 0 ? `trial ${String(trial)}` : null,
    ]
      .filter((part) => part !== null)
      .join(' · '),
  preparing: 'Starting what is measured',
  steps: (step: number, steps: number): string => `Step ${String(step)} of ${String(steps)}`,
  left: (time: string): string => `about ${time} left`,
  live: 'Operations a second of this trial',
  liveEmpty: 'The first figures come in a moment.',
  soFar: 'Finished so far',

  measures: { throughput: 'Throughput', cpu: 'Work per CPU' } satisfies Record<BenchMeasure, string>,
  measure: 'What the bars compare',
  measureHint: {
    throughput: 'Operations a second, divided by the rival’s. Longer is better.',
    cpu: 'Operations a second of CPU, divided by the rival’s. Longer is better.',
  } satisfies Record<BenchMeasure, string>,
  profile: 'Profile',
  rate: 'Weir',
  cpu: 'CPU/operation',
  ratio: 'Ratio',
  noise: 'Noise',
  standing: 'Standing',
  earlier: 'Since then',
  one: (against: string): string => `${against} = 1.0`,
  rival: 'rival',
  origin: 'origin alone',
  share: 'of the origin',
  standings: { ahead: 'ahead', level: 'level', behind: 'behind' },
  bar: (title: string, ratio: string, against: string, trials: string): string =>
    `${title}: ${ratio} ${against}; trials ${trials}`,
  noRatio: {
    bound: 'The origin was the limit: see work per CPU',
    noCpu: 'This system does not say what CPU was used',
    noRival: 'No rival was measured',
    notMeasured: 'Not measured',
  },

  compareWith: 'Compare with',
  compareNone: 'No other run',
  compared: (when: string): string => `Against the run of ${when}`,
  steady: (count: number): string =>
    `No profile of ${String(count)} lost a tenth or more of its standing against the same rival.`,
  regressions: (count: number, of: number, names: string): string =>
    `${String(count)} of ${String(of)} profiles lost a tenth or more of ${count === 1 ? 'its' : 'their'} standing: ${names}.`,
  notCompared: (names: string): string => `Not comparable: ${names}.`,
  nothingCommon: 'The two runs have no profile with a rival in common.',
  slower: 'slower',

  details: 'All figures',
  published: 'With what others published, measured on other hardware',
  loopDelay: 'Loop p99',
  ladders: 'Rising load',
  ladderTitle: (title: string, kind: BenchLadderKind): string => `${title}, ${kind === 'ramp' ? 'ramp' : 'sweep'}`,
  ladderLead: (workload: string, limits: string): string =>
    `${workload}. Within the limits: ${limits}. What is past them is struck out.`,
  loads: (load: number, kind: BenchLadderKind): string =>
    `${load.toLocaleString('en')} ${kind === 'ramp' ? 'at once' : load === 1 ? 'connection' : 'connections'}`,
  sustained: 'Sustained',
  peak: 'Peak',
  noLoad: 'none',
  product: 'Product',
  version: 'Version',
  p50: 'p50 ms',
  p90: 'p90 ms',
  p99: 'p99 ms',
  p99Of: (milliseconds: string): string => `p99 ${milliseconds} ms`,
  p999: 'p99.9 ms',
  max: 'max ms',
  memory: 'Memory',
  proportional: 'PSS',
  success: 'Success',
  ofOrigin: 'Of the origin',
  errors: 'Errors',
  trials: 'Trials',
  baseline: 'baseline',
  unknown: '–',
  notAchieved: 'rate not achieved',

  conditions: 'Conditions and limits',
  machine: 'Machine',
  system: 'System',
  runtime: 'Runtime',
  cores: 'Cores',
  pinned: (product: string, other: string): string => `product on ${product}, everything else on ${other}`,
  notPinned: 'nothing pinned',
  method: 'Method',
  methodText: (trials: number, seconds: number, warmUp: number): string =>
    `${String(trials)} trials × ${String(seconds)} s after ${String(warmUp)} s of warm-up; products alternate, medians are shown`,
  load: 'Load',
  loadText: (connections: number, http2: number, streams: number, rate: number | null): string =>
    `${String(connections)} connections; HTTP/2 ${String(http2)} connections × ${String(streams)} streams; ${
      rate === null ? 'closed loop' : BENCH_TEXT.offered(rate)
    }`,
  offered: (rate: number): string => `${rate.toLocaleString('en')} operations a second offered`,
  weir: 'Weir',
  commit: (commit: string): string => `commit ${commit}`,
  limitations: 'Limitations',

  history: 'Earlier runs',
  historyDamaged: (names: string): string =>
    `Left out, since they are no results: ${names}. They lie in the folder bench of the data folder.`,
  removeRun: (when: string): string => `Delete the run of ${when}`,
  runCancelled: 'ended early',
  profilesOf: (count: number): string => plural(count, 'profile'),
  remove: 'Delete',
  removeQuestion: (when: string): string => `Delete the run of ${when}?`,
  removeHint: 'It cannot be brought back. Export it first if you may want its figures.',

  export: 'Export',
  exports: { json: 'JSON', csv: 'CSV', markdown: 'Markdown' },
  exported: (name: string): string => `${name} saved`,
} as const;

function plural(count: number, word: string): string {
  return `${String(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** A time that is only known roughly: `5 s`, `40 s`, `3 min`, `1 h 10 min`. */
export function roughTime(seconds: number): string {
  if (seconds < 90) return `${String(Math.max(5, Math.ceil(seconds / 5) * 5))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
