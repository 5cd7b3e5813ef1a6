import type { BenchEnvironment } from '#contract';
import type { FillFigures } from './fill.ts';
import type { Figure, StoreSizes } from './measure.ts';

/** Everything that one run of the scale benchmark found; printed as JSON. */
export interface ScaleReport {
  readonly schema: 'weir-scale/1';
  readonly date: string;
  readonly commit: string | null;
  readonly environment: BenchEnvironment;
  /** One-minute load of the machine when the run began: what other programs took is in every wall time. */
  readonly load: number;
  readonly sizes: StoreSizes;
  /** Null when the store was there already. */
  readonly fill: FillFigures | null;
  readonly figures: readonly Figure[];
}

/** The report as a page of Markdown. */
export function asMarkdown(report: ScaleReport): string {
  const { date, commit, environment, load, sizes, fill, figures } = report;
  const lines = [
    `${date.slice(0, 10)}, commit ${commit ?? 'unknown'}, ${environment.cpu} × ${String(environment.cores)}, ` +
      `${environment.runtime}, load ${load.toFixed(1)}.`,
    '',
    `${String(sizes.exchanges)} exchanges: database ${sizes.databaseMiB.toFixed(0)} MiB, ` +
      `index of the text ${sizes.searchMiB.toFixed(0)} MiB.`,
  ];
  if (fill !== null) {
    lines.push(
      `Recorded in ${fill.recordSeconds.toFixed(0)} s (${fill.recordCpuMicrosecondsEach.toFixed(0)} µs CPU each with the ` +
        `corpus' making), indexed in ${fill.indexSeconds.toFixed(0)} s (${fill.indexCpuMicrosecondsEach.toFixed(0)} µs each).`,
    );
  }
  lines.push('', '| what | | wall ms | CPU ms | target ms | result |', '|---|---|---:|---:|---:|---|');
  for (const { group, name, cost, targetMs, result } of figures) {
    const target = targetMs === null ? '' : `${String(targetMs)}${cost.wallMs > targetMs ? ' **missed**' : ''}`;
    const cells = [group, name, cost.wallMs.toFixed(0), cost.cpuMs.toFixed(0), target, result];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  return `${lines.join('\n')}\n`;
}
