import type { BenchProduct, BenchProfile, BenchProgress, BenchResult, BenchRunInfo } from './bench.ts';

/** How thoroughly a run measures. */
export type BenchMode = 'quick' | 'full';

/** How a mode measures. */
export interface BenchModeSettings {
  /** Of each product in each profile. */
  readonly trials: number;
  /** Length of each measured window. */
  readonly seconds: number;
  /** Ids of the products that take part unless others are chosen; null for all. */
  readonly products: readonly string[] | null;
}

/** The quick mode ends within a minute for the quick set, hence its short list of products. */
export const BENCH_MODES: Readonly<Record<BenchMode, BenchModeSettings>> = {
  quick: { trials: 2, seconds: 1, products: ['weir', 'weir-capture', 'nginx', 'mockttp', 'mitmproxy', 'relay'] },
  full: { trials: 3, seconds: 10, products: null },
};

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
