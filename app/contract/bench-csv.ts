import type { BenchResult, BenchTrial } from './bench.ts';

const TRIAL_COLUMNS = [
  'operations',
  'errors',
  'successShare',
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
  'proportionalBytes',
  'loopDelayP99',
  'loopDelayMax',
] as const satisfies readonly (keyof BenchTrial)[];

const FIRST_COLUMNS = ['run', 'profile', 'family', 'unit', 'rate', 'product', 'version', 'trial'];

/** What stands before the figures of a row. */
interface RowHead {
  readonly profile: string;
  readonly family: string;
  readonly unit: string;
  readonly product: string;
  readonly version: string | null;
  /** Its number, `median`, or its load on a ladder: `ramp 8`. */
  readonly trial: string;
}

/**
 * Every trial, every median and every step of a ladder as one row of comma-separated values (RFC 4180), figures as in the
 * JSON.
 */
export function toCsv(result: BenchResult): string {
  const rate = result.methodology.rate === null ? '' : String(result.methodology.rate);
  const rows: string[][] = [[...FIRST_COLUMNS, ...TRIAL_COLUMNS, 'originShare', 'missing']];
  const add = (head: RowHead, figures: BenchTrial | null, originShare: number | null, missing: string): void => {
    const { profile, family, unit, product, version, trial } = head;
    const offered = figures === null || isStep(trial) ? '' : rate;
    const values = TRIAL_COLUMNS.map((column) => String(figures?.[column] ?? ''));
    const share = originShare === null ? '' : String(originShare);
    rows.push([result.id, profile, family, unit, offered, product, version ?? '', trial, ...values, share, missing]);
  };
  for (const { profile, family, unit, origin, products } of result.profiles) {
    const facts = { profile, family, unit };
    if (origin !== null) add({ ...facts, product: 'origin', version: null, trial: 'median' }, origin, null, '');
    for (const { product, version, trials, median, originShare, missing } of products) {
      const own = { ...facts, product, version };
      if (missing !== null) add({ ...own, trial: '' }, null, null, missing);
      trials.forEach((trial, at) => {
        add({ ...own, trial: String(at + 1) }, trial, null, '');
      });
      if (median !== null) add({ ...own, trial: 'median' }, median, originShare, '');
    }
  }
  for (const { kind, profile, family, unit, products } of result.ladders) {
    for (const { product, version, steps, missing } of products) {
      const own = { profile, family, unit, product, version };
      if (missing !== null) add({ ...own, trial: kind }, null, null, missing);
      for (const { load, trial, problem } of steps) {
        add({ ...own, trial: `${kind} ${String(load)}` }, trial, null, problem ?? '');
      }
    }
  }
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function isStep(trial: string): boolean {
  return /^(?:ramp|sweep)/.test(trial);
}

/** Quoted where it must be; what a spreadsheet would take for a formula is kept as text. */
function csvCell(value: string): string {
  const text = /^[=+\-@\t]/.test(value) && !/^-?[\d.]+(?:e[+-]?\d+)?$/i.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
