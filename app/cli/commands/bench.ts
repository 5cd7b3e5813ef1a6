import { existsSync, readFileSync } from 'node:fs';
import type { BenchLadder, BenchProduct, BenchProfile, BenchProfileResult, BenchResult } from '#contract';
import { compare, comparisonText, MAX_BENCH_CHOICES, toCsv, toMarkdown } from '#contract';
import { BENCH_PROGRAM } from '../../backend/place.ts';
import { BenchProcessError, listBench, runBench } from '../../backend/services/bench/bench-process.ts';
import { parseBenchResult } from '../../contract/bench-validators.ts';
import { parseArguments, parseNumber } from '../arguments.ts';
import { chooseBench, WEIR_PRODUCTS, type BenchChoice } from '../bench/choice.ts';
import { ProgressLine } from '../bench/progress-line.ts';
import { isNothing, joinResults, leftOf } from '../bench/resume.ts';
import { listenForExit } from '../exit-signal.ts';
import { print, tell } from '../output.ts';
import { writeResultFile } from '../result-file.ts';
import { CommandError } from '../usage.ts';

/** What everything that was started may take to end. */
const CANCEL_MS = 15_000;

/** Exit codes: a profile has no result or an operation of Weir failed; a profile became slower. */
const EXIT = { done: 0, unsound: 1, slower: 3 } as const;

/** `weir bench`: fails when a profile has no result, an operation of Weir failed, or a profile became slower. */
export async function bench(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(
    args,
    {
      full: { type: 'boolean' },
      ramp: { type: 'boolean' },
      sweep: { type: 'boolean' },
      rate: { type: 'string' },
      list: { type: 'boolean' },
      peer: { type: 'string', multiple: true },
      trials: { type: 'string' },
      seconds: { type: 'string' },
      json: { type: 'string' },
      csv: { type: 'string' },
      resume: { type: 'string' },
      compare: { type: 'string' },
      published: { type: 'boolean' },
    },
    new Array<string>(MAX_BENCH_CHOICES).fill('PROFILE'),
  );
  const number = (name: 'rate' | 'trials' | 'seconds', most: number): number | null => {
    const text = values[name];
    return text === undefined ? null : parseNumber(`--${name}`, text, 1, most);
  };
  try {
    const known = await listBench(BENCH_PROGRAM);
    if (values.list === true) {
      await print(listText(known.profiles, known.products));
      return EXIT.done;
    }
    const choice = chooseBench(known.profiles, known.products, {
      names: positionals,
      full: values.full === true,
      ramp: values.ramp === true,
      sweep: values.sweep === true,
      peers: values.peer ?? null,
      trials: number('trials', 100),
      seconds: number('seconds', 3_600),
      rate: number('rate', 1_000_000),
    });
    // Read before anything is measured: a wrong name would be said after an hour.
    const earlier = values.compare === undefined ? null : readResult(values.compare);
    const begun = values.resume !== undefined && existsSync(values.resume) ? readResult(values.resume) : null;
    const order = known.profiles.map(({ id }) => id);
    const result = await measure(choice, begun, values.json ?? values.resume ?? null, order);
    if (values.csv !== undefined) writeResultFile(values.csv, toCsv(result));
    await print(toMarkdown(result, values.published === true));
    const isSlower = earlier !== null && (await reportChanges(result, earlier));
    if (!result.cancelled && !isSound(result)) return EXIT.unsound;
    return isSlower ? EXIT.slower : EXIT.done;
  } catch (error: unknown) {
    if (error instanceof BenchProcessError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

async function measure(
  choice: BenchChoice,
  begun: BenchResult | null,
  jsonFile: string | null,
  order: readonly string[],
): Promise<BenchResult> {
  const left = begun === null ? choice : leftOf(choice, begun);
  const join = (result: BenchResult): BenchResult => (begun === null ? result : joinResults(begun, result, order));
  if (begun !== null && isNothing(left)) return { ...begun, cancelled: false };
  const meter = new ProgressLine();
  const run = runBench(
    BENCH_PROGRAM,
    { ...left, run: runName() },
    (progress) => {
      meter.show(progress);
    },
    (partial) => {
      if (jsonFile !== null) writeJson(jsonFile, join({ ...partial, cancelled: true }));
    },
  );
  void listenForExit().requested.then(() => {
    run.cancel(CANCEL_MS);
  });
  const result = join(await run.result);
  meter.end();
  if (jsonFile !== null) writeJson(jsonFile, result);
  return result;
}

/** @returns whether a profile became slower. @throws CommandError when there is nothing that could have */
async function reportChanges(result: BenchResult, earlier: BenchResult): Promise<boolean> {
  const comparison = compare(result, earlier);
  await print(comparisonText(comparison));
  if (comparison.changes.length === 0) {
    throw new CommandError('Nothing could be compared: no profile was measured beside the same rival in both runs.');
  }
  const slower = comparison.changes.filter(({ regression }) => regression);
  if (slower.length > 0) tell(`slower than in the earlier run: ${slower.map(({ profile }) => profile).join(', ')}`);
  return slower.length > 0;
}

function runName(): string {
  return `cli-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
}

function writeJson(file: string, result: BenchResult): void {
  writeResultFile(file, `${JSON.stringify(result, null, 2)}\n`);
}

function readResult(file: string): BenchResult {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error: unknown) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  try {
    return parseBenchResult(text);
  } catch (error: unknown) {
    throw new CommandError(`${file} is no result of a benchmark. Give a file that --json wrote.`, { cause: error });
  }
}

function isSound({ profiles, ladders }: BenchResult): boolean {
  return profiles.every(isSoundProfile) && ladders.every(isSoundLadder);
}

function isSoundProfile({ products }: BenchProfileResult): boolean {
  const ours = products.filter(({ product }) => WEIR_PRODUCTS.includes(product));
  return ours.every(({ median, missing }) =>
    median === null ? missing?.startsWith('Not possible') === true : median.errors === 0,
  );
}

/** Loads past the limits are what a ladder looks for; steps without a figure are not. */
function isSoundLadder({ products }: BenchLadder): boolean {
  const ours = products.filter(({ product }) => WEIR_PRODUCTS.includes(product));
  return ours.every(({ missing, steps }) => missing === null && steps.every(({ trial }) => trial !== null));
}

function listText(profiles: readonly BenchProfile[], products: readonly BenchProduct[]): string {
  const width = Math.max(...profiles.map(({ id }) => id.length), ...products.map(({ id }) => id.length)) + 2;
  const mark = ({ quick, full }: BenchProfile): string => (quick ? '*' : full ? '+' : ' ');
  const lines = [
    'Profiles by family (* quick and full set, + full set; a family and all name several):',
    ...profiles.map(
      (profile) => `${mark(profile)} ${profile.family.padEnd(14)}${profile.id.padEnd(width)}${profile.workload}`,
    ),
    '',
    'Products:',
    ...products.map(({ id, name, version, missing }) =>
      missing === null ? `  ${id.padEnd(width)}${name} ${version ?? ''}`.trimEnd() : `  ${id.padEnd(width)}${missing}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
