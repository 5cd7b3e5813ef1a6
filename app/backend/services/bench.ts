import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { BenchMode, BenchProgress, BenchResult, BenchState } from '#contract';
import { BENCH_MODES, ContractError } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers, StreamHandlers } from '../transport/server.ts';
import type { BenchProcess } from './bench/bench-process.ts';
import { BenchProcessError, listBench, runBench } from './bench/bench-process.ts';
import { BenchResults } from './bench/bench-results.ts';

type BenchCall = 'bench.profiles' | 'bench.start' | 'bench.cancel' | 'bench.history' | 'bench.get' | 'bench.remove';

/** What the program may take to end everything that it started: when a person cancels, and when Weir ends. */
const CANCEL_MS = 15_000;
const CLOSE_MS = 3_000;

export interface BenchService {
  readonly calls: Pick<CallHandlers, BenchCall>;
  readonly streams: Pick<StreamHandlers, 'bench.progress'>;
  /** Ends the run under way: nobody would read its result. */
  close(): Promise<void>;
}

/**
 * The benchmark: runs the program that measures, one run at a time, and keeps its results.
 * @param program path of that program, a script for Node
 */
export function createBenchService(core: Pick<BackendCore, 'folder' | 'report'>, program: string): BenchService {
  const results = new BenchResults(core.folder.bench);
  const watchers = new Set<(state: BenchState) => void>();
  let progress: BenchProgress | null = null;
  let running: { readonly run: string; readonly process: BenchProcess; readonly ended: Promise<void> } | null = null;
  let listing: ReturnType<typeof listBench> | null = null;
  let saidDamaged = '';

  function publish(next: BenchProgress): void {
    progress = next;
    for (const watcher of watchers) watcher({ progress });
  }

  function demandProgram(): void {
    if (existsSync(program)) return;
    throw new ContractError('unavailable', `The benchmark is missing: there is no ${program}. Install Weir again.`);
  }

  function begin(profiles: readonly string[], products: readonly string[] | null, mode: BenchMode): string {
    const run = runName(new Date());
    const { trials, seconds, products: usual, ladder } = BENCH_MODES[mode];
    const on = (kind: typeof ladder): readonly string[] => (kind === ladder ? profiles : []);
    const order = { run, profiles: on(null), ramps: on('ramp'), sweeps: on('sweep'), rate: null };
    publish({ ...IDLE, run, steps: profiles.length });
    let finished: BenchResult | null = null;
    const child = runBench(
      program,
      { ...order, products: products ?? usual, trials, seconds, secondsPerStep: seconds },
      (next) => {
        // Until the result is stored the run is not over, whatever the program says.
        publish({ ...next, run, state: 'running' });
      },
      (partial) => (finished = partial),
    );
    running = { run, process: child, ended: follow(run, child, () => finished) };
    return run;
  }

  /** @param finished what a program that fails had finished before */
  async function follow(run: string, child: BenchProcess, finished: () => BenchResult | null): Promise<void> {
    const before = (): BenchProgress => progress ?? { ...IDLE, run };
    try {
      const result = { ...(await child.result), id: run };
      // A run that was cancelled before its first figure has nothing to keep.
      if (hasFigures(result)) await results.add(result);
      running = null;
      publish({
        ...before(),
        state: result.cancelled ? 'cancelled' : 'done',
        secondsLeft: 0,
        results: result.profiles,
        problem: null,
      });
    } catch (error: unknown) {
      running = null;
      await keep(run, finished());
      const problem = error instanceof BenchProcessError ? error.message : `The result was not stored: ${say(error)}`;
      core.report(`The benchmark failed: ${problem}`);
      publish({ ...before(), state: 'failed', secondsLeft: 0, problem });
    }
  }

  async function keep(run: string, finished: BenchResult | null): Promise<void> {
    if (finished === null || !hasFigures(finished)) return;
    await results.add({ ...finished, id: run, cancelled: true }).catch((error: unknown) => {
      core.report(`What the benchmark had finished was not stored: ${say(error)}`);
    });
  }

  return {
    calls: {
      async 'bench.profiles'() {
        demandProgram();
        listing ??= listBench(program).finally(() => (listing = null));
        return listing.catch((error: unknown) => {
          throw new ContractError('unavailable', say(error));
        });
      },
      'bench.start'({ profiles, products, mode }) {
        if (running !== null) {
          throw new ContractError('conflict', 'A benchmark runs already. Cancel it, or wait until it has ended.');
        }
        demandProgram();
        return { run: begin([...new Set(profiles)], products === null ? null : [...new Set(products)], mode) };
      },
      'bench.cancel'({ run }) {
        if (running?.run === run) running.process.cancel(CANCEL_MS);
        return {};
      },
      async 'bench.history'() {
        const history = await results.list();
        const damaged = history.damaged.join(', ');
        if (damaged !== saidDamaged && damaged !== '') {
          core.report(
            `These files in ${core.folder.bench} are no results of a benchmark and are left out: ${damaged}.`,
          );
        }
        saidDamaged = damaged;
        return history;
      },
      async 'bench.get'({ id }) {
        const result = await results.read(id);
        if (result === null) throw notFound();
        return { result };
      },
      async 'bench.remove'({ id }) {
        if (!(await results.remove(id))) throw notFound();
        return {};
      },
    },
    streams: {
      'bench.progress'(_input, sink, { signal }) {
        const watcher = (state: BenchState): void => {
          sink.push(state);
        };
        watchers.add(watcher);
        watcher({ progress });
        signal.addEventListener('abort', () => watchers.delete(watcher), { once: true });
      },
    },
    async close() {
      running?.process.cancel(CLOSE_MS);
      await running?.ended;
    },
  };
}

function hasFigures({ profiles, ladders }: BenchResult): boolean {
  return profiles.length + ladders.length > 0;
}

const IDLE: BenchProgress = {
  run: '',
  state: 'running',
  step: 0,
  steps: 0,
  secondsLeft: 0,
  profile: null,
  product: null,
  trial: 0,
  load: null,
  live: [],
  results: [],
  problem: null,
};

/** `20261130-121855-9f3c2a`: sorts by time, and is a name of a file. */
function runName(now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${time}-${randomBytes(3).toString('hex')}`;
}

function notFound(): ContractError {
  return new ContractError('not-found', 'There is no such run any more, or its file is damaged.');
}

function say(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
