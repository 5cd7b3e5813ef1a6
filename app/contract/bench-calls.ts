import type { BenchLadderKind, BenchProduct, BenchProfile, BenchProgress, BenchResult, BenchRunInfo } from './bench.ts';

/** How a run measures: trials of a fixed load, a few or many, or one trial for each load of a ladder. */
export type BenchMode = 'quick' | 'full' | BenchLadderKind;

/** How a mode measures. */
export interface BenchModeSettings {
  /** Of each product in each profile. */
  readonly trials: number;
  /** Length of each measured window. */
  readonly seconds: number;
  /** Ids of the products that take part unless others are chosen; null for all. */
  readonly products: readonly string[] | null;
  /** Whether profiles are measured on a ladder, and on which; null for trials of a fixed load. */
  readonly ladder: BenchLadderKind | null;
}

/** The quick mode ends within a minute for the quick set, hence its short list of products. */
export const BENCH_MODES: Readonly<Record<BenchMode, BenchModeSettings>> = {
  quick: {
    trials: 2,
    seconds: 1,
    products: ['weir', 'weir-capture', 'nginx', 'mockttp', 'mitmproxy', 'relay'],
    ladder: null,
  },
  full: { trials: 3, seconds: 10, products: null, ladder: null },
  ramp: { trials: 1, seconds: 3, products: null, ladder: 'ramp' },
  sweep: { trials: 1, seconds: 3, products: null, ladder: 'sweep' },
};

/** What is measured on ladders unless others are asked for. */
export const BENCH_LADDER_PROFILES: readonly string[] = ['http1-small', 'https-http2', 'intercept-http1'];

/** Most profiles or products that one run names. */
export const MAX_BENCH_CHOICES = 200;

/** What the backend's benchmark is doing: the newest run since the backend began; null before the first. */
export interface BenchState {
  readonly progress: BenchProgress | null;
}

/** Calls of the benchmark. It runs in processes of its own, on ports of its own, beside the traffic of the user. */
export interface BenchCalls {
  /** What can be measured here. Fails with `unavailable` when the benchmark's program cannot be run. */
  'bench.profiles': {
    input: Record<string, never>;
    output: { profiles: readonly BenchProfile[]; products: readonly BenchProduct[] };
  };
  /** Begins a run; null measures every product that is here. Fails with `conflict` while another runs. */
  'bench.start': {
    input: { profiles: readonly string[]; products: readonly string[] | null; mode: BenchMode };
    output: { run: string };
  };
  /** Ends the run under way; what was finished is kept. Nothing happens when that run has ended. */
  'bench.cancel': { input: { run: string }; output: Record<string, never> };
  /** Stored runs, the newest first, and the names of files that are no results. */
  'bench.history': {
    input: Record<string, never>;
    output: { runs: readonly BenchRunInfo[]; damaged: readonly string[] };
  };
  /** Fails with `not-found`. */
  'bench.get': { input: { id: string }; output: { result: BenchResult } };
  /** Deletes a stored run for good. Fails with `not-found`. */
  'bench.remove': { input: { id: string }; output: Record<string, never> };
}

/** Streams of the benchmark. */
export interface BenchStreams {
  /** What it does now, at once, and then each change, whole each time. */
  'bench.progress': { input: Record<string, never>; item: BenchState };
}
