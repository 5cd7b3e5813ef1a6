import { BENCH_MODES, ContractError } from '../../app/contract/index.ts';
import type { BenchCalls, BenchResult, BenchState } from '../../app/contract/index.ts';
import { SAMPLE_PRODUCTS, SAMPLE_PROFILES, sampleProgress, sampleResult } from './sample-bench.ts';
import type { SampleOrder } from './sample-bench.ts';

type Handlers = {
  readonly [Name in keyof BenchCalls]: (input: BenchCalls[Name]['input']) => BenchCalls[Name]['output'];
};

/** The benchmark's part of a backend in memory; a test plays its runs. */
export class FakeBench {
  readonly #publish: (state: BenchState) => void;
  #stored: BenchResult[] = [];
  #order: SampleOrder | null = null;
  #runs = 0;
  state: BenchState = { progress: null };

  constructor(publish: (state: BenchState) => void) {
    this.#publish = publish;
  }

  /** Puts a run into the history. */
  store(result: BenchResult): void {
    this.#stored = [result, ...this.#stored];
  }

  /** Says what a run at its `at`-th profile says. */
  reach(at: number): void {
    if (this.#order !== null) this.#say({ progress: sampleProgress(this.#order, at) });
  }

  /** Brings the run under way to its end. */
  finish(state: 'done' | 'cancelled' = 'done'): void {
    const order = this.#order;
    if (order === null) return;
    this.#order = null;
    const result = sampleResult(order, { cancelled: state === 'cancelled' });
    this.store(result);
    this.#say({ progress: { ...sampleProgress(order, order.profiles.length), state, results: result.profiles } });
  }

  /** Lets the run under way fail. */
  fail(problem: string): void {
    const order = this.#order;
    if (order === null) return;
    this.#order = null;
    this.#say({ progress: { ...sampleProgress(order, 0), state: 'failed', problem } });
  }

  #say(state: BenchState): void {
    this.state = state;
    this.#publish(state);
  }

  readonly calls: Handlers = {
    'bench.profiles': () => ({ profiles: SAMPLE_PROFILES, products: SAMPLE_PRODUCTS }),
    'bench.start': ({ profiles, products, mode }) => {
      if (this.#order !== null) throw new ContractError('conflict', 'A benchmark runs already.');
      this.#runs += 1;
      const { trials, seconds, ladder } = BENCH_MODES[mode];
      const on = (kind: typeof ladder): readonly string[] => (kind === ladder ? profiles : []);
      const parts = { profiles: on(null), ramps: on('ramp'), sweeps: on('sweep') };
      this.#order = { run: `run-${String(this.#runs)}`, ...parts, trials, seconds, products };
      this.reach(0);
      return { run: this.#order.run };
    },
    'bench.cancel': () => {
      this.finish('cancelled');
      return {};
    },
    'bench.history': () => ({
      runs: this.#stored.map(({ id, startedAt, profiles, cancelled }) => ({
        id,
        startedAt,
        profiles: profiles.map(({ profile }) => profile),
        cancelled,
        verdict: profiles[0]?.verdict ?? '',
      })),
      damaged: [],
    }),
    'bench.get': ({ id }) => {
      const result = this.#stored.find((stored) => stored.id === id);
      if (result === undefined) throw new ContractError('not-found', 'There is no such run any more.');
      return { result };
    },
    'bench.remove': ({ id }) => {
      this.#stored = this.#stored.filter((stored) => stored.id !== id);
      return {};
    },
  };
}
