/**
 * The benchmark as a process of its own, for the command line and for the inspector's panel.
 *
 * `--list` prints one JSON line, `{"profiles": BenchProfile[], "products": BenchProduct[]}`. Otherwise the argument is one
 * JSON object, see `Request`; lines are `{"type":"progress","progress":BenchProgress}`, after each profile and ladder
 * `{"type":"partial","result":BenchResult}`, and last
 * `{"type":"result","result":BenchResult}`. SIGTERM, SIGINT and the end of standard input cancel: what was
 * started is ended, and the result so far is printed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchProduct } from '#contract';
import { products as allProducts } from './products/index.ts';
import { PROFILES, type RunnableProfile } from './profiles.ts';
import { BenchRun } from './runner.ts';

interface Request {
  readonly run: string;
  /** Ids, of what is measured by trials, on ramps and on sweeps; each keeps the order of the list. */
  readonly profiles: readonly string[];
  readonly ramps: readonly string[];
  readonly sweeps: readonly string[];
  /** Ids, or null for every product. */
  readonly products: readonly string[] | null;
  readonly trials: number;
  readonly seconds: number;
  readonly secondsPerStep: number;
  /** Operations a second that are offered in trials; null for a closed loop. */
  readonly rate: number | null;
}

/** Version of Weir, from the nearest package file above this program. */
function version(): string {
  for (const up of ['..', '../..', '../../..']) {
    const file = join(import.meta.dirname, up, 'package.json');
    if (!existsSync(file)) continue;
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof content === 'object' && content !== null && 'version' in content) return String(content.version);
  }
  return 'unknown';
}

function print(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const products = allProducts(version());
const [argument] = process.argv.slice(2);

if (argument === '--list') {
  const list = products.map((product): BenchProduct => ({
    id: product.id,
    name: product.name,
    version: product.version(),
    missing: product.missing(),
  }));
  print({ profiles: PROFILES.map(({ profile }) => profile), products: list });
} else {
  const request = JSON.parse(argument ?? '{}') as Request;
  const chosen = (ids: readonly string[]): readonly RunnableProfile[] =>
    PROFILES.filter(({ profile }) => ids.includes(profile.id));
  const profiles = chosen(request.profiles);
  const ladders = [
    ...chosen(request.ramps).map((runnable) => ({ kind: 'ramp', runnable }) as const),
    ...chosen(request.sweeps).map((runnable) => ({ kind: 'sweep', runnable }) as const),
  ];
  if (profiles.length + ladders.length === 0) throw new Error('None of the profiles is known. --list names them.');
  const run = new BenchRun(
    {
      ...request,
      profiles,
      ladders,
      products: products.filter(({ id }) => request.products === null || request.products.includes(id)),
      weir: version(),
    },
    (progress) => {
      print({ type: 'progress', progress });
    },
    (result) => {
      print({ type: 'partial', result });
    },
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      run.cancel();
    });
  }
  // Whoever started this has gone, or asks it to end on a system without signals.
  process.stdin.on('end', () => {
    run.cancel();
  });
  process.stdin.resume();
  process.stdout.on('error', () => {
    run.cancel();
  });
  print({ type: 'result', result: await run.run() });
}
process.stdout.write('', () => process.exit(0));
