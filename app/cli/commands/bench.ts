import { readFileSync } from 'node:fs';
import type { BenchProduct, BenchProfile, BenchProgress, BenchResult } from '#contract';
import { BENCH_MODES, MAX_BENCH_CHOICES, toCsv, toMarkdown } from '#contract';
import { BENCH_PROGRAM } from '../../backend/place.ts';
import { BenchProcessError, listBench, runBench } from '../../backend/services/bench/bench-process.ts';
import { parseBenchResult } from '../../contract/bench-validators.ts';
import { parseArguments, parseNumber } from '../arguments.ts';
import { listenForExit } from '../exit-signal.ts';
import { print, tell } from '../output.ts';
import { writeResultFile } from '../result-file.ts';
import { CommandError, UsageError } from '../usage.ts';

/** What everything that was started may take to end. */
const CANCEL_MS = 15_000;
const WEIR_PRODUCTS = ['weir', 'weir-capture'];

interface Choice {
  readonly profiles: readonly BenchProfile[];
  /** Ids; null for every product. */
  readonly products: readonly string[] | null;
  readonly trials: number;
  readonly seconds: number;
}

/** `weir bench`: fails when a profile has no result, or an operation of Weir failed. */
export async function bench(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(
    args,
    {
      full: { type: 'boolean' },
      list: { type: 'boolean' },
      peer: { type: 'string', multiple: true },
      trials: { type: 'string' },
      seconds: { type: 'string' },
      json: { type: 'string' },
      csv: { type: 'string' },
      resume: { type: 'string' },
    },
    new Array<string>(MAX_BENCH_CHOICES).fill('PROFILE'),
  );
  try {
    const known = await listBench(BENCH_PROGRAM);
    if (values.list === true) {
      await print(listText(known.profiles, known.products));
      return 0;
    }
    const choice = choose(known.profiles, known.products, {
      names: positionals,
      full: values.full === true,
      peers: values.peer ?? null,
      trials: values.trials === undefined ? null : parseNumber('--trials', values.trials, 1, 100),
      seconds: values.seconds === undefined ? null : parseNumber('--seconds', values.seconds, 1, 3_600),
    });
    const earlier = values.resume === undefined ? null : readResult(values.resume);
    const result = await measure(choice, earlier, values.json ?? null);
    if (values.csv !== undefined) writeResultFile(values.csv, toCsv(result));
    await print(toMarkdown(result));
    return result.cancelled || result.profiles.every(isSound) ? 0 : 1;
  } catch (error: unknown) {
    if (error instanceof BenchProcessError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

interface Wanted {
  readonly names: readonly string[];
  readonly full: boolean;
  readonly peers: readonly string[] | null;
  readonly trials: number | null;
  readonly seconds: number | null;
}

function choose(profiles: readonly BenchProfile[], products: readonly BenchProduct[], wanted: Wanted): Choice {
  const unknown = wanted.names.find((name) => !profiles.some(({ id }) => id === name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no profile ${JSON.stringify(unknown)}. \`weir bench --list\` names them.`);
  }
  const stranger = wanted.peers?.find((peer) => !products.some(({ id }) => id === peer));
  if (stranger !== undefined) {
    throw new UsageError(`There is no product ${JSON.stringify(stranger)}. \`weir bench --list\` names them.`);
  }
  const chosen = wanted.full
    ? profiles
    : wanted.names.length === 0
      ? profiles.filter(({ quick }) => quick)
      : profiles.filter(({ id }) => wanted.names.includes(id));
  const isQuick = !wanted.full && wanted.names.length === 0;
  const mode = BENCH_MODES[wanted.full ? 'full' : 'quick'];
  return {
    profiles: chosen,
    products: wanted.peers === null ? (isQuick ? mode.products : null) : [...WEIR_PRODUCTS, ...wanted.peers],
    trials: wanted.trials ?? mode.trials,
    seconds: wanted.seconds ?? mode.seconds,
  };
}

async function measure(choice: Choice, earlier: BenchResult | null, jsonFile: string | null): Promise<BenchResult> {
  const left = choice.profiles.filter(({ id }) => !(earlier?.profiles.some(({ profile }) => profile === id) ?? false));
  const join = (result: BenchResult): BenchResult =>
    earlier === null ? result : { ...result, profiles: [...earlier.profiles, ...result.profiles] };
  if (earlier !== null && left.length === 0) return { ...earlier, cancelled: false };
  const order = { ...choice, run: runName(), profiles: left.map(({ id }) => id) };
  const meter = new ProgressLine();
  const run = runBench(
    BENCH_PROGRAM,
    order,
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

function isSound({ products }: BenchResult['profiles'][number]): boolean {
  const ours = products.filter(({ product }) => WEIR_PRODUCTS.includes(product));
  return ours.every(({ median }) => median !== null && median.errors === 0);
}

function listText(profiles: readonly BenchProfile[], products: readonly BenchProduct[]): string {
  const width = Math.max(...profiles.map(({ id }) => id.length), ...products.map(({ id }) => id.length)) + 2;
  const lines = [
    'Profiles (the quick set is marked with *):',
    ...profiles.map(({ id, workload, quick }) => `${quick ? '*' : ' '} ${id.padEnd(width)}${workload}`),
    '',
    'Products:',
    ...products.map(({ id, name, version, missing }) =>
      missing === null ? `  ${id.padEnd(width)}${name} ${version ?? ''}`.trimEnd() : `  ${id.padEnd(width)}${missing}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** What a run is doing, on standard error: one line that is written over on a terminal, a line a step elsewhere. */
class ProgressLine {
  #step = 0;
  readonly #overwrites = process.stderr.isTTY;

  show(progress: BenchProgress): void {
    const { step, steps, profile, product, trial, secondsLeft } = progress;
    if (profile === null || (!this.#overwrites && step === this.#step)) return;
    this.#step = step;
    const what = product === null ? 'the origin alone' : `${product}, trial ${String(trial)}`;
    const text = `${String(step)} of ${String(steps)}: ${profile}, ${what}; about ${String(secondsLeft)} s left`;
    if (this.#overwrites) process.stderr.write(`\r\u001b[Kweir: ${text}`);
    else tell(text);
  }

  end(): void {
    if (this.#overwrites) process.stderr.write('\r\u001b[K');
  }
}
