/**
 * What the store costs at a million exchanges: `node bench/scale.ts [--rows N] [--folder F] [--keep] [--only TEXT]
 * [--no-edits] [--json]`. It fills a store folder with the fixed corpus, unless the named folder holds one, measures it and
 * removes it again, unless it was named or `--keep` says so. Markdown goes to standard output, or JSON with `--json`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commit, environment } from './environment.ts';
import { fillStore, isFilled } from './scale/fill.ts';
import { StoreMeasurement } from './scale/measure.ts';
import { asMarkdown, type ScaleReport } from './scale/report.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    folder: { type: 'string' },
    keep: { type: 'boolean', default: false },
    only: { type: 'string' },
    edits: { type: 'boolean', default: true },
    json: { type: 'boolean', default: false },
  },
  allowNegative: true,
});
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'weir-scale-')));
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

try {
  const fill = isFilled(folder) ? null : await fillStore(folder, Number(values.rows), say);
  const [load = 0] = loadavg();
  const measurement = new StoreMeasurement(folder, values.only ?? null, say);
  const sizes = measurement.sizes();
  await measurement.run(values.edits);
  const report: ScaleReport = {
    schema: 'weir-scale/1',
    date: new Date().toISOString(),
    commit: commit(),
    environment: environment(),
    load,
    sizes,
    fill,
    figures: measurement.figures,
  };
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : asMarkdown(report));
} finally {
  if (values.folder === undefined && !values.keep) await rm(folder, { recursive: true, force: true });
  else say(`The store is in ${folder}.`);
}
