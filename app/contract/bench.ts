/** What one operation of a profile is: a request and its response, or a message and its echo. */
export type BenchUnit = 'requests' | 'messages' | 'round trips' | 'connections';

/** Groups of profiles, in the order in which they are shown. */
export const BENCH_FAMILIES = [
  'reverse',
  'tls',
  'heavy',
  'shape',
  'streams',
  'relays',
  'interception',
  'inspection',
  'scale',
  'matrix',
] as const;
export type BenchFamily = (typeof BENCH_FAMILIES)[number];

/** One load against one role of a product. */
export interface BenchProfile {
  readonly id: string;
  readonly family: BenchFamily;
  readonly title: string;
  /** One sentence: what is sent, by which protocol, and what stands behind. */
  readonly workload: string;
  readonly unit: BenchUnit;
  /** Ids of the products that can take part, Weir's own first. */
  readonly products: readonly string[];
  /** Part of the quick set, which ends within a minute. */
  readonly quick: boolean;
  /** Part of the full set, which ends within an hour. */
  readonly full: boolean;
}

/** A program that can be measured. */
export interface BenchProduct {
  readonly id: string;
  readonly name: string;
  /** As the program says it; null where it is not here. */
  readonly version: string | null;
  /** Why it cannot be measured here, with the next step; null when it can. */
  readonly missing: string | null;
}

/** What one product did in one trial. */
export interface BenchTrial {
  readonly operations: number;
  readonly errors: number;
  /** Length of the measured window. */
  readonly seconds: number;
  readonly operationsPerSecond: number;
  /** Operations that succeeded among all that ended, 0 to 1. */
  readonly successShare: number;
  /**
   * Latencies, milliseconds: of a closed loop from the sending, of a fixed rate from the intended time of sending. Null where the
   * offered rate was not achieved: they would tell the backlog, not the product.
   */
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
  readonly max: number | null;
  /** CPU of the product's whole process tree, microseconds an operation; null where the system does not say. */
  readonly cpuPerOperation: number | null;
  /** Of it, what Weir's engine threads used; null for other products, and where the system does not say. */
  readonly engineCpuPerOperation: number | null;
  /** Resident memory of the tree at the window's end, bytes; null where the system does not say. */
  readonly residentBytes: number | null;
  /** The same with shared pages divided among those that share them (PSS), bytes. */
  readonly proportionalBytes: number | null;
  /**
   * How late the event loop that carries the traffic was, looked at every 10 ms, milliseconds; null for programs that are none of
   * Node's.
   */
  readonly loopDelayP99: number | null;
  readonly loopDelayMax: number | null;
}

export interface BenchProductResult {
  readonly product: string;
  readonly name: string;
  readonly version: string | null;
  /** Why there is no trial; null when there is one. */
  readonly missing: string | null;
  readonly trials: readonly BenchTrial[];
  /** Of each figure by itself; null without a trial. */
  readonly median: BenchTrial | null;
  /** The median's operations a second as a share of what the origin does alone; null where either is not known. */
  readonly originShare: number | null;
}

export interface BenchProfileResult {
  readonly profile: string;
  readonly family: BenchFamily;
  readonly title: string;
  readonly workload: string;
  readonly unit: BenchUnit;
  /** The origin alone, under the same generator: the ceiling. Null where a profile has none. */
  readonly origin: BenchTrial | null;
  readonly products: readonly BenchProductResult[];
  /** The product that ratios divide by: the rival with the least CPU an operation; null when none was measured. */
  readonly baseline: string | null;
  /** One sentence, with the noise in it. */
  readonly verdict: string;
}

export interface BenchEnvironment {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly runtime: string;
  /** Cores of the product and of everything else, `taskset` syntax; null where nothing was pinned. */
  readonly productCores: string | null;
  readonly otherCores: string | null;
}

/** The loads that a ladder climbs: connections, or for a ramp over HTTP/2 streams. */
export const BENCH_LADDERS = {
  /** What is under way at once; over HTTP/2 these are streams of at most four connections. */
  ramp: [8, 16, 32, 64],
  /** Connections; over HTTP/2 with one stream each. */
  sweep: [1, 10, 100, 1_000],
} as const satisfies Record<string, readonly number[]>;
export type BenchLadderKind = keyof typeof BENCH_LADDERS;

/** One product under one load of a ladder, one trial. */
export interface BenchStep {
  /** One of the loads of its ladder. */
  readonly load: number;
  readonly trial: BenchTrial | null;
  /** Why there is no trial; null when there is one. */
  readonly problem: string | null;
  /** Whether the trial is within the ladder's limits. */
  readonly holds: boolean;
}

/** One product, or `origin`, on a ladder. */
export interface BenchLadderProduct {
  readonly product: string;
  readonly name: string;
  readonly version: string | null;
  /** Why it was not measured; null when it was. */
  readonly missing: string | null;
  readonly steps: readonly BenchStep[];
  /** The last load within the limits; null when there is none. */
  readonly sustained: number | null;
  /** Most operations a second of any step within the limit of errors; null when there is none. */
  readonly peak: number | null;
}

/** A profile under rising load. */
export interface BenchLadder {
  readonly kind: BenchLadderKind;
  readonly profile: string;
  readonly family: BenchFamily;
  readonly title: string;
  readonly workload: string;
  readonly unit: BenchUnit;
  /** Length of each measured window. */
  readonly secondsPerStep: number;
  readonly limits: {
    /** Operations that may fail, 0 to 1. */
    readonly errorShare: number;
    /** Milliseconds. */
    readonly p99: number;
  };
  /** What the origin does alone first, then the products. */
  readonly products: readonly BenchLadderProduct[];
}

/** A finished (or cancelled) run. Its JSON form is the file format; `schema` names its version. */
export interface BenchResult {
  readonly schema: 'weir-bench/2';
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly weir: string;
  readonly commit: string | null;
  readonly environment: BenchEnvironment;
  readonly methodology: {
    readonly trials: number;
    readonly secondsPerTrial: number;
    readonly warmUpSeconds: number;
    readonly connections: number;
    readonly http2: { readonly connections: number; readonly streams: number };
    /** Operations a second that are offered, over all connections; null for a closed loop, where an answer brings the next request. */
    readonly rate: number | null;
  };
  readonly profiles: readonly BenchProfileResult[];
  readonly ladders: readonly BenchLadder[];
  /** What a reader must know before quoting a figure. */
  readonly limitations: readonly string[];
  readonly cancelled: boolean;
}

/** What a run is doing. */
export interface BenchProgress {
  readonly run: string;
  readonly state: 'running' | 'done' | 'cancelled' | 'failed';
  /** Steps are trials and their preparation. */
  readonly step: number;
  readonly steps: number;
  readonly secondsLeft: number;
  readonly profile: string | null;
  readonly product: string | null;
  readonly trial: number;
  /** Of a ladder's step; null in a trial of a fixed load. */
  readonly load: number | null;
  /** Operations a second of each half second of the trial under way. */
  readonly live: readonly number[];
  /** Profiles that are finished. */
  readonly results: readonly BenchProfileResult[];
  /** Why it failed, with the next step; null otherwise. */
  readonly problem: string | null;
}

/** A run in the history. */
export interface BenchRunInfo {
  readonly id: string;
  readonly startedAt: string;
  /** Those that were measured, by trials or on ladders. */
  readonly profiles: readonly string[];
  readonly cancelled: boolean;
  /** Verdict of the first profile; of a run with ladders alone, what they are. */
  readonly verdict: string;
}
