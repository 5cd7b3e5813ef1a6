import type { BenchLadder, BenchProfileResult, BenchResult, BenchTrial } from './bench.ts';
import { LADDER_LOADS, limitsText, loadsOf, stepText } from './bench-ladders.ts';
import { publishedText } from './bench-published.ts';
import { headlineOf, isOriginBound, ratioOf, rivalOf, times } from './bench-ratios.ts';

/**
 * The run as a page of Markdown: verdict, conditions, a table for each profile, limitations.
 *
 * @param published with what others published for each profile, which was measured elsewhere
 */
export function toMarkdown(result: BenchResult, published = false): string {
  const { environment, methodology } = result;
  const pinned =
    environment.productCores === null
      ? 'nothing pinned'
      : `product on core ${environment.productCores}, the rest on ${environment.otherCores ?? 'any'}`;
  const lines = [
    '# Weir benchmark',
    '',
    headlineOf(result, 'throughput'),
    '',
    ...(result.cancelled ? ['The run was cancelled; this is what was finished.', ''] : []),
    `- Run: ${result.id}, ${result.startedAt} to ${result.finishedAt}`,
    `- Weir: ${result.weir}${result.commit === null ? '' : `, commit ${result.commit}`}`,
    `- Machine: ${environment.cpu} × ${String(environment.cores)}, ${gigabytes(environment.memoryBytes)}, ${environment.system}, ${environment.runtime}; ${pinned}`,
    `- Method: ${String(methodology.trials)} trials × ${String(methodology.secondsPerTrial)} s after ${String(methodology.warmUpSeconds)} s of warm-up, products alternate; ` +
      `${String(methodology.connections)} connections, HTTP/2 ${String(methodology.http2.connections)} × ${String(methodology.http2.streams)} streams; ${loopText(methodology.rate)}`,
    '',
  ];
  for (const profile of result.profiles) lines.push(...profileTable(profile, published));
  for (const ladder of result.ladders) lines.push(...ladderTable(ladder));
  if (result.limitations.length > 0) {
    lines.push('## Limitations', '', ...result.limitations.map((text) => `- ${markdownText(text)}`), '');
  }
  return lines.join('\n');
}

function profileTable(profile: BenchProfileResult, published: boolean): string[] {
  const claims = published ? publishedText(profile) : null;
  const rival = rivalOf(profile);
  const throughput = ratioOf(profile, 'throughput');
  const cpu = ratioOf(profile, 'cpu');
  const ratios = [
    ...(cpu === null ? [] : [`work a second of CPU ${times(cpu.ratio)} ${cpu.against}`]),
    ...(throughput === null ? [] : [`throughput ${times(throughput.ratio)} ${throughput.against}`]),
    ...engineRatio(profile),
    ...(rival !== null && isOriginBound(profile) ? ['the origin was the limit of the throughput'] : []),
  ];
  const rows = profile.products.map(({ name, version, missing, trials, median, originShare }) =>
    median === null
      ? [name, version ?? '', missing ?? 'not measured', ...new Array<string>(COLUMNS.length).fill('')]
      : [
          name,
          version ?? '',
          ...figures(median, originShare),
          trials.map((trial) => decimal(trial.operationsPerSecond)).join(' · '),
        ],
  );
  if (profile.origin !== null) rows.unshift(['origin alone', '', ...figures(profile.origin, null), '']);
  return [
    `## ${markdownText(profile.title)}`,
    '',
    `${markdownText(profile.workload)}. ${markdownText(profile.verdict)}`,
    ...(ratios.length === 0 ? [] : ['', `Ratios: ${markdownText(ratios.join('; '))}.`]),
    ...(claims === null ? [] : ['', markdownText(claims)]),
    '',
    `| product | version | CPU µs an operation | ${profile.unit}/s | ${COLUMNS.slice(2).join(' | ')} | trials |`,
    `|---|---|${'---:|'.repeat(COLUMNS.length)}---|`,
    ...rows.map((row) => `| ${row.map(markdownText).join(' | ')} |`),
    '',
  ];
}

/** What recording costs the threads that carry traffic; the store has a thread of its own. */
function engineRatio({ products }: BenchProfileResult): string[] {
  const engine = (id: string): number | null =>
    products.find(({ product }) => product === id)?.median?.engineCpuPerOperation ?? null;
  const off = engine('weir');
  if (off === null || off === 0) return [];
  const cost = (id: string, what: string): string[] => {
    const on = engine(id);
    return on === null
      ? []
      : [`${what} costs the engine’s thread ${times(on / off)} (${on.toFixed(1)} after ${off.toFixed(1)} µs)`];
  };
  return [...cost('weir-capture', 'recording'), ...cost('weir-watched', 'recording under somebody’s eyes')];
}

const COLUMNS = [
  'CPU',
  'rate',
  'of the origin',
  'p50 ms',
  'p90 ms',
  'p99 ms',
  'p99.9 ms',
  'max ms',
  'RSS MiB',
  'PSS MiB',
  'loop p99 ms',
  'errors',
  'success',
];

/** A cell for each of `COLUMNS`. */
function figures(trial: BenchTrial, originShare: number | null): string[] {
  const { cpuPerOperation, operationsPerSecond, errors, successShare } = trial;
  const latencies =
    trial.p50 === null
      ? ['rate not achieved', '–', '–', '–', '–']
      : [trial.p50, trial.p90, trial.p99, trial.p999, trial.max].map((ms) => (ms === null ? '–' : ms.toFixed(2)));
  return [
    cpuPerOperation === null ? '–' : cpuPerOperation.toFixed(1),
    decimal(operationsPerSecond),
    originShare === null ? '–' : `${decimal(originShare * 100)} %`,
    ...latencies,
    mebibytes(trial.residentBytes),
    mebibytes(trial.proportionalBytes),
    trial.loopDelayP99 === null ? '–' : trial.loopDelayP99.toFixed(1),
    String(errors),
    `${String(Math.floor(successShare * 100_000) / 1_000)} %`,
  ];
}

/** A row for each product and a column for each load. */
function ladderTable(ladder: BenchLadder): string[] {
  const loads = loadsOf(ladder);
  const rows = ladder.products.map(({ name, version, missing, steps, sustained, peak }) => [
    name,
    version ?? '',
    missing ?? (sustained === null ? 'none' : String(sustained)),
    peak === null ? '–' : decimal(peak),
    ...loads.map((load) => {
      const step = steps.find((one) => one.load === load);
      return step === undefined ? '' : stepText(step);
    }),
  ]);
  const name = ladder.kind === 'ramp' ? 'ramp' : 'sweep of connections';
  return [
    `## ${markdownText(ladder.title)}, ${name}`,
    '',
    `${markdownText(ladder.workload)}. ${String(ladder.secondsPerStep)} s for each load (${LADDER_LOADS[ladder.kind]}), ${ladder.unit} a second. Limits: ${limitsText(ladder)}; the last load within them is sustained.`,
    '',
    `| product | version | sustained | peak | ${loads.map(String).join(' | ')} |`,
    `|---|---|---:|---:|${'---|'.repeat(loads.length)}`,
    ...rows.map((row) => `| ${row.map(markdownText).join(' | ')} |`),
    '',
  ];
}

function loopText(rate: number | null): string {
  if (rate === null) return 'closed loop';
  return `${String(rate)} operations a second offered, latency from the intended time of sending`;
}

function mebibytes(bytes: number | null): string {
  return bytes === null ? '–' : decimal(bytes / 1_048_576);
}

function decimal(value: number): string {
  return String(Math.round(value));
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1_073_741_824).toFixed(0)} GiB`;
}

/** Text of programs that cannot become markup. */
function markdownText(text: string): string {
  return text.replaceAll(/[\\|<>[\]`*_]/g, (character) => `\\${character}`).replaceAll(/\s+/g, ' ');
}
