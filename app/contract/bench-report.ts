import type { BenchProductResult, BenchProfileResult, BenchResult, BenchTrial } from './bench.ts';
import {
  headlineOf,
  isOriginBound,
  isWeirProduct,
  ratioOf,
  rivalOf,
  spreadOf,
  times,
  weirOf,
  workOf,
} from './bench-ratios.ts';
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
  /** Titles of profiles that cannot be compared: not in both runs, or without a rival that both measured. */
  readonly left: readonly string[];
}

/**
 * Compares two runs in a way that a faster or busier machine does not disturb: Weir's ratio to a rival now, divided by its
 * ratio to the same rival earlier.
 */
export function compare(result: BenchResult, earlier: BenchResult): BenchComparison {
  const changes: BenchChange[] = [];
  const left: string[] = [];
  for (const now of result.profiles) {
    const then = earlier.profiles.find(({ profile }) => profile === now.profile);
    const change = then === undefined ? null : changeOf(now, then);
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

const TRIAL_COLUMNS = [
  'operations',
  'errors',
  'seconds',
  'operationsPerSecond',
  'cpuPerOperation',
  'engineCpuPerOperation',
  'p50',
  'p90',
  'p99',
  'p999',
  'max',
  'residentBytes',
] as const satisfies readonly (keyof BenchTrial)[];

/** Every trial and every median as one row of comma-separated values (RFC 4180), figures as in the JSON. */
export function toCsv(result: BenchResult): string {
  const rows: string[][] = [
    ['run', 'profile', 'family', 'unit', 'product', 'version', 'trial', ...TRIAL_COLUMNS, 'missing'],
  ];
  for (const { profile, family, unit, origin, products } of result.profiles) {
    const row = (
      product: string,
      version: string | null,
      trial: string,
      figures: BenchTrial | null,
      missing = '',
    ): void => {
      const values = TRIAL_COLUMNS.map((column) => String(figures?.[column] ?? ''));
      rows.push([result.id, profile, family, unit, product, version ?? '', trial, ...values, missing]);
    };
    if (origin !== null) row('origin', null, 'median', origin);
    for (const { product, version, trials, median, missing } of products) {
      if (missing !== null) row(product, version, '', null, missing);
      trials.forEach((trial, at) => {
        row(product, version, String(at + 1), trial);
      });
      if (median !== null) row(product, version, 'median', median);
    }
  }
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** Quoted where it must be; what a spreadsheet would take for a formula is kept as text. */
function csvCell(value: string): string {
  const text = /^[=+\-@\t]/.test(value) && !/^-?[\d.]+(?:e[+-]?\d+)?$/i.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The run as a page of Markdown: verdict, conditions, a table for each profile, limitations. */
export function toMarkdown(result: BenchResult): string {
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
      `${String(methodology.connections)} connections, HTTP/2 ${String(methodology.http2.connections)} × ${String(methodology.http2.streams)} streams`,
    '',
  ];
  for (const profile of result.profiles) lines.push(...profileTable(profile));
  if (result.limitations.length > 0) {
    lines.push('## Limitations', '', ...result.limitations.map((text) => `- ${markdownText(text)}`), '');
  }
  return lines.join('\n');
}

function profileTable(profile: BenchProfileResult): string[] {
  const rival = rivalOf(profile);
  const throughput = ratioOf(profile, 'throughput');
  const cpu = ratioOf(profile, 'cpu');
  const ratios = [
    ...(cpu === null ? [] : [`work a second of CPU ${times(cpu.ratio)} ${cpu.against}`]),
    ...(throughput === null ? [] : [`throughput ${times(throughput.ratio)} ${throughput.against}`]),
    ...engineRatio(profile),
    ...(rival !== null && isOriginBound(profile) ? ['the origin was the limit of the throughput'] : []),
  ];
  const rows = profile.products.map(({ name, version, missing, trials, median }) =>
    median === null
      ? [name, version ?? '', missing ?? 'not measured', '', '', '', '', '', '']
      : [
          name,
          version ?? '',
          ...figures(median),
          trials.map((trial) => decimal(trial.operationsPerSecond)).join(' · '),
        ],
  );
  if (profile.origin !== null) rows.unshift(['origin alone', '', ...figures(profile.origin), '']);
  return [
    `## ${markdownText(profile.title)}`,
    '',
    `${markdownText(profile.workload)} ${markdownText(profile.verdict)}`,
    ...(ratios.length === 0 ? [] : ['', `Ratios: ${markdownText(ratios.join('; '))}.`]),
    '',
    `| product | version | CPU µs an operation | ${profile.unit}/s | p50 ms | p99 ms | memory MiB | errors | trials |`,
    '|---|---|---:|---:|---:|---:|---:|---:|---|',
    ...rows.map((row) => `| ${row.map(markdownText).join(' | ')} |`),
    '',
  ];
}

/** What recording costs the threads that carry traffic; the store has a thread of its own. */
function engineRatio({ products }: BenchProfileResult): string[] {
  const engine = (id: string): number | null =>
    products.find(({ product }) => product === id)?.median?.engineCpuPerOperation ?? null;
  const off = engine('weir');
  const on = engine('weir-capture');
  if (off === null || on === null || off === 0) return [];
  return [`recording costs the engine’s thread ${times(on / off)} (${on.toFixed(1)} after ${off.toFixed(1)} µs)`];
}

function figures(trial: BenchTrial): string[] {
  return [
    trial.cpuPerOperation === null ? '–' : trial.cpuPerOperation.toFixed(1),
    decimal(trial.operationsPerSecond),
    trial.p50.toFixed(2),
    trial.p99.toFixed(2),
    trial.residentBytes === null ? '–' : decimal(trial.residentBytes / 1_048_576),
    String(trial.errors),
  ];
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
