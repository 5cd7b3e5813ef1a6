import * as v from 'valibot';
import { BENCH_FAMILIES } from './bench.ts';
import type {
  BenchLadder,
  BenchProduct,
  BenchProfile,
  BenchProfileResult,
  BenchProgress,
  BenchResult,
  BenchTrial,
} from './bench.ts';
import type { BenchCalls, BenchStreams } from './bench-calls.ts';
import { MAX_BENCH_CHOICES } from './bench-calls.ts';
import { upgradeBenchResult } from './bench-upgrade.ts';

type SchemaFor<Shape> = v.GenericSchema<unknown, Shape>;

const amount = v.pipe(v.number(), v.minValue(0), v.maxValue(Number.MAX_VALUE));
const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER));
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const text = v.pipe(v.string(), v.maxLength(4_096));
const time = v.pipe(v.string(), v.maxLength(40), v.isoTimestamp());

/** A name that is also a safe name of a file. */
const identifier = v.pipe(v.string(), v.regex(/^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/));
const identifiers = v.pipe(v.array(identifier), v.minLength(1), v.maxLength(MAX_BENCH_CHOICES));
const family = v.picklist(BENCH_FAMILIES);
const unit = v.picklist(['requests', 'messages', 'round trips', 'connections']);

const trial: SchemaFor<BenchTrial> = v.object({
  operations: count,
  errors: count,
  seconds: amount,
  operationsPerSecond: amount,
  successShare: share,
  p50: v.nullable(amount),
  p90: v.nullable(amount),
  p99: v.nullable(amount),
  p999: v.nullable(amount),
  max: v.nullable(amount),
  cpuPerOperation: v.nullable(amount),
  engineCpuPerOperation: v.nullable(amount),
  residentBytes: v.nullable(amount),
  proportionalBytes: v.nullable(amount),
  // Results from before it was looked at have none.
  loopDelayP99: v.optional(v.nullable(amount), null),
  loopDelayMax: v.optional(v.nullable(amount), null),
});

const profileResult: SchemaFor<BenchProfileResult> = v.object({
  profile: identifier,
  family,
  title: text,
  workload: text,
  unit,
  origin: v.nullable(trial),
  products: v.pipe(
    v.array(
      v.object({
        product: identifier,
        name: text,
        version: v.nullable(text),
        missing: v.nullable(text),
        trials: v.pipe(v.array(trial), v.maxLength(1_000)),
        median: v.nullable(trial),
        originShare: v.nullable(amount),
      }),
    ),
    v.maxLength(MAX_BENCH_CHOICES),
  ),
  baseline: v.nullable(identifier),
  verdict: text,
});
const profileResults = v.pipe(v.array(profileResult), v.maxLength(MAX_BENCH_CHOICES));

const ladder: SchemaFor<BenchLadder> = v.object({
  kind: v.picklist(['ramp', 'sweep']),
  profile: identifier,
  family,
  title: text,
  workload: text,
  unit,
  secondsPerStep: amount,
  limits: v.object({ errorShare: share, p99: amount }),
  products: v.pipe(
    v.array(
      v.object({
        product: identifier,
        name: text,
        version: v.nullable(text),
        missing: v.nullable(text),
        steps: v.pipe(
          v.array(v.object({ load: count, trial: v.nullable(trial), problem: v.nullable(text), holds: v.boolean() })),
          v.maxLength(100),
        ),
        sustained: v.nullable(count),
        peak: v.nullable(amount),
      }),
    ),
    v.maxLength(MAX_BENCH_CHOICES),
  ),
});

/** A result of the present version; its JSON schema is docs/weir-bench.schema.json. */
export const BENCH_RESULT: SchemaFor<BenchResult> = v.object({
  schema: v.literal('weir-bench/2'),
  id: identifier,
  startedAt: time,
  finishedAt: time,
  weir: text,
  commit: v.nullable(text),
  environment: v.object({
    cpu: text,
    cores: count,
    memoryBytes: amount,
    system: text,
    runtime: text,
    productCores: v.nullable(text),
    otherCores: v.nullable(text),
  }),
  methodology: v.object({
    trials: count,
    secondsPerTrial: amount,
    warmUpSeconds: amount,
    connections: count,
    http2: v.object({ connections: count, streams: count }),
    rate: v.nullable(amount),
  }),
  profiles: profileResults,
  ladders: v.pipe(v.array(ladder), v.maxLength(2 * MAX_BENCH_CHOICES)),
  limitations: v.pipe(v.array(text), v.maxLength(100)),
  cancelled: v.boolean(),
});

const progress: SchemaFor<BenchProgress> = v.object({
  run: identifier,
  state: v.picklist(['running', 'done', 'cancelled', 'failed']),
  step: count,
  steps: count,
  secondsLeft: amount,
  profile: v.nullable(text),
  product: v.nullable(text),
  trial: count,
  load: v.nullable(count),
  live: v.pipe(v.array(amount), v.maxLength(10_000)),
  results: profileResults,
  problem: v.nullable(text),
});

const profile: SchemaFor<BenchProfile> = v.object({
  id: identifier,
  family,
  title: text,
  workload: text,
  unit,
  products: v.pipe(v.array(identifier), v.maxLength(MAX_BENCH_CHOICES)),
  quick: v.boolean(),
  full: v.boolean(),
});

const product: SchemaFor<BenchProduct> = v.object({
  id: identifier,
  name: text,
  version: v.nullable(text),
  missing: v.nullable(text),
});

/** What the benchmark's program says about itself: one line of JSON. */
export const BENCH_LIST: SchemaFor<{
  readonly profiles: readonly BenchProfile[];
  readonly products: readonly BenchProduct[];
}> = v.object({
  profiles: v.pipe(v.array(profile), v.maxLength(MAX_BENCH_CHOICES)),
  products: v.pipe(v.array(product), v.maxLength(MAX_BENCH_CHOICES)),
});

/** A line of the benchmark's program while it runs. */
export const BENCH_LINE: SchemaFor<
  | { readonly type: 'progress'; readonly progress: BenchProgress }
  /** What is finished, after each profile. */
  | { readonly type: 'partial'; readonly result: BenchResult }
  | { readonly type: 'result'; readonly result: BenchResult }
> = v.variant('type', [
  v.object({ type: v.literal('progress'), progress }),
  v.object({ type: v.literal('partial'), result: BENCH_RESULT }),
  v.object({ type: v.literal('result'), result: BENCH_RESULT }),
]);

/** A result as it is stored and exported, also by earlier versions. @throws when the text is not the JSON of one */
export function parseBenchResult(text: string): BenchResult {
  return v.parse(BENCH_RESULT, upgradeBenchResult(JSON.parse(text)));
}

const nothing = v.strictObject({});

/** A schema for the input of each call. */
export const BENCH_CALL_INPUTS: { readonly [Name in keyof BenchCalls]: SchemaFor<BenchCalls[Name]['input']> } = {
  'bench.profiles': nothing,
  'bench.start': v.strictObject({
    profiles: identifiers,
    products: v.nullable(identifiers),
    mode: v.picklist(['quick', 'full', 'ramp', 'sweep']),
  }),
  'bench.cancel': v.strictObject({ run: identifier }),
  'bench.history': nothing,
  'bench.get': v.strictObject({ id: identifier }),
  'bench.remove': v.strictObject({ id: identifier }),
};

/** A schema for the input of each stream. */
export const BENCH_STREAM_INPUTS: {
  readonly [Name in keyof BenchStreams]: SchemaFor<BenchStreams[Name]['input']>;
} = {
  'bench.progress': nothing,
};
