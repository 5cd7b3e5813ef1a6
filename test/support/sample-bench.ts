import type {
  BenchFamily,
  BenchLadder,
  BenchLadderKind,
  BenchProduct,
  BenchProductResult,
  BenchProfile,
  BenchProfileResult,
  BenchProgress,
  BenchResult,
  BenchTrial,
  BenchUnit,
} from '../../app/contract/index.ts';
import { BENCH_LADDERS, shareOfOrigin } from '../../app/contract/index.ts';

/*
 * An invented benchmark: profiles, products and figures that look like real ones and are the same every time. For tests
 * and pictures; nothing of it was measured.
 */

const REVERSE = ['weir', 'weir-capture', 'nginx', 'haproxy'];
const INTERCEPTION = ['weir', 'weir-capture', 'mockttp', 'mitmproxy'];

function sampleProfile(
  id: string,
  family: BenchFamily,
  title: string,
  workload: string,
  unit: BenchUnit,
  products: readonly string[],
  quick: boolean,
): BenchProfile {
  return { id, family, title, workload, unit, products, quick, full: true };
}

export const SAMPLE_PROFILES: readonly BenchProfile[] = [
  sampleProfile(
    'http1-small',
    'reverse',
    'HTTP/1.1',
    'GET of 42 bytes of JSON over kept connections, plain on both legs',
    'requests',
    REVERSE,
    true,
  ),
  sampleProfile(
    'https-http1',
    'tls',
    'HTTPS · HTTP/1.1',
    'The same with TLS towards the client',
    'requests',
    REVERSE,
    true,
  ),
  sampleProfile(
    'https-http2',
    'tls',
    'HTTPS · HTTP/2',
    '4 connections × 16 streams with TLS, HTTP/1.1 behind',
    'requests',
    REVERSE,
    true,
  ),
  sampleProfile(
    'new-connections',
    'tls',
    'New connections',
    'A TLS connection for each request',
    'connections',
    REVERSE,
    false,
  ),
  sampleProfile('heavy-64k', 'heavy', '64 KiB over HTTPS', 'GET of 64 KiB over TLS.', 'requests', REVERSE, false),
  sampleProfile(
    'grpc-unary',
    'streams',
    'gRPC unary',
    'A small call and its answer, HTTP/2 on both legs',
    'requests',
    ['weir', 'weir-capture', 'nginx'],
    false,
  ),
  sampleProfile('websocket-echo', 'streams', 'WebSocket', '32 bytes there and back.', 'round trips', REVERSE, true),
  sampleProfile('tcp-echo', 'relays', 'TCP', '32 bytes there and back through a relay.', 'round trips', REVERSE, false),
  sampleProfile(
    'intercept-http1',
    'interception',
    'Intercepted HTTPS',
    'CONNECT, TLS on both legs',
    'requests',
    INTERCEPTION,
    true,
  ),
];

export const SAMPLE_PRODUCTS: readonly BenchProduct[] = [
  { id: 'weir', name: 'Weir, capture off', version: '0.1.0', missing: null },
  { id: 'weir-capture', name: 'Weir, capture on', version: '0.1.0', missing: null },
  { id: 'nginx', name: 'nginx', version: '1.22.1', missing: null },
  {
    id: 'haproxy',
    name: 'HAProxy',
    version: null,
    missing: 'haproxy is not on the PATH. On Debian: apt-get install haproxy.',
  },
  { id: 'mockttp', name: 'mockttp', version: '4.6.5', missing: null },
  {
    id: 'mitmproxy',
    name: 'mitmproxy',
    version: null,
    missing: 'mitmdump is not on the PATH. On Debian: apt-get install mitmproxy.',
  },
];

/** Operations a second and CPU microseconds an operation of each product, by profile. */
const FIGURES: Readonly<Record<string, Readonly<Record<string, readonly [rate: number, cpu: number]>>>> = {
  'http1-small': { origin: [98_000, 0], weir: [41_310, 27.9], nginx: [39_720, 28.6] },
  'https-http1': { origin: [82_400, 0], weir: [31_870, 45.1], nginx: [33_190, 43.8] },
  'https-http2': { origin: [88_300, 0], weir: [58_120, 22.4], nginx: [24_120, 51.2] },
  'new-connections': { origin: [4_900, 0], weir: [2_410, 388], nginx: [2_520, 371] },
  'heavy-64k': { origin: [19_800, 0], weir: [9_640, 96.3], nginx: [6_850, 131.5] },
  'grpc-unary': { origin: [79_100, 0], weir: [49_002, 25], nginx: [22_480, 54.4] },
  'websocket-echo': { origin: [151_000, 0], weir: [71_615, 12.9], nginx: [71_300, 13.2] },
  'tcp-echo': { origin: [163_000, 0], weir: [82_240, 10.8], nginx: [80_610, 11.1] },
  'intercept-http1': { origin: [37_600, 0], weir: [9_860, 96.2], mockttp: [1_420, 645.2] },
};

/** What recording makes of the figures of Weir without it. */
function recorded(figure: readonly [number, number] = [1, 1]): readonly [rate: number, cpu: number] {
  const [rate, cpu] = figure;
  return [Math.round(rate * 0.71), Number((cpu + 24.6).toFixed(1))];
}

/** How far the trials of a product lie from its middle one. */
const WOBBLES = [1, 0.986, 1.013, 0.994, 1.021];

/** What is to be measured, as the program takes it. */
export interface SampleOrder {
  readonly run: string;
  readonly profiles: readonly string[];
  readonly ramps?: readonly string[];
  readonly sweeps?: readonly string[];
  readonly products: readonly string[] | null;
  readonly trials: number;
  readonly seconds: number;
}

/** An invented trial. `at` counts the trials of one product. */
function sampleTrial([rate, cpu]: readonly [number, number], at: number, seconds: number, factor: number): BenchTrial {
  const perSecond = Math.round(rate * (WOBBLES[at % WOBBLES.length] ?? 1) * factor);
  const p50 = Number((64_000 / perSecond).toFixed(2));
  return {
    operations: perSecond * seconds,
    errors: 0,
    seconds,
    operationsPerSecond: perSecond,
    successShare: 1,
    p50,
    p90: Number((p50 * 1.6).toFixed(2)),
    p99: Number((p50 * 3.1).toFixed(2)),
    p999: Number((p50 * 5.4).toFixed(2)),
    max: Number((p50 * 9.7).toFixed(2)),
    cpuPerOperation: cpu === 0 ? null : Number((cpu / factor / (WOBBLES[at % WOBBLES.length] ?? 1)).toFixed(1)),
    engineCpuPerOperation: null,
    residentBytes: cpu === 0 ? null : 96_000_000 + Math.round(cpu * 10_000),
    proportionalBytes: cpu === 0 ? null : 88_000_000 + Math.round(cpu * 10_000),
    loopDelayP99: null,
    loopDelayMax: null,
  };
}

function median(trials: readonly BenchTrial[]): BenchTrial | null {
  const [first] = trials;
  if (first === undefined) return null;
  const middle = (of: (trial: BenchTrial) => number): number => {
    const sorted = trials.map(of).sort((one, other) => one - other);
    const half = Math.floor(sorted.length / 2);
    return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
  };
  return {
    ...first,
    operationsPerSecond: middle((trial) => trial.operationsPerSecond),
    p50: middle((trial) => trial.p50 ?? 0),
    p99: middle((trial) => trial.p99 ?? 0),
    cpuPerOperation: middle((trial) => trial.cpuPerOperation ?? 0),
  };
}

/** The invented result of one profile; `better` multiplies Weir's speed over HTTP/2. */
export function sampleProfileResult(order: SampleOrder, id: string, better = 1): BenchProfileResult {
  const facts = SAMPLE_PROFILES.find((profile) => profile.id === id);
  if (facts === undefined) throw new Error(`There is no profile ${id}.`);
  const known = FIGURES[id] ?? {};
  const figures: typeof known = { ...known, 'weir-capture': recorded(known['weir']) };
  const origin = figures['origin'] === undefined ? null : sampleTrial(figures['origin'], 0, order.seconds, 1);
  const products = facts.products
    .filter((product) => product === 'weir' || order.products === null || order.products.includes(product))
    .map((product): BenchProductResult => {
      const about = SAMPLE_PRODUCTS.find((candidate) => candidate.id === product);
      const figure = figures[product];
      const factor = product === 'weir' && id === 'https-http2' ? better : 1;
      const trials =
        figure === undefined
          ? []
          : Array.from({ length: order.trials }, (_, at) => sampleTrial(figure, at, order.seconds, factor));
      return {
        product,
        name: about?.name ?? product,
        version: about?.version ?? null,
        missing: trials.length === 0 ? (about?.missing ?? 'It was not measured.') : null,
        trials,
        median: median(trials),
        originShare: shareOfOrigin(median(trials), origin),
      };
    });
  const rival = products.find(({ product, median: middle }) => !product.startsWith('weir') && middle !== null);
  const weir = products[0]?.median ?? null;
  const ratio = (weir?.operationsPerSecond ?? 0) / (rival?.median?.operationsPerSecond ?? 1);
  return {
    profile: id,
    family: facts.family,
    title: facts.title,
    workload: facts.workload,
    unit: facts.unit,
    origin,
    products,
    baseline: rival?.product ?? null,
    verdict:
      rival === undefined
        ? 'Weir was measured alone.'
        : `Weir carries ${facts.title} at ${ratio.toFixed(2)}× ${rival.name}, noise ±1 %.`,
  };
}

/** An invented ladder: throughput rises with the load up to what the profile’s figures say, latency with it. */
function sampleLadder(kind: BenchLadderKind, id: string): BenchLadder {
  const facts = SAMPLE_PROFILES.find((profile) => profile.id === id);
  if (facts === undefined) throw new Error(`There is no profile ${id}.`);
  const figures = FIGURES[id] ?? {};
  return {
    kind,
    profile: id,
    family: facts.family,
    title: facts.title,
    workload: facts.workload,
    unit: facts.unit,
    secondsPerStep: 3,
    limits: { errorShare: 0.001, p99: 50 },
    products: ['origin', 'weir', 'nginx'].map((product) => {
      const about = SAMPLE_PRODUCTS.find((candidate) => candidate.id === product);
      const [rate, cpu] = figures[product] ?? [1, 1];
      const steps = BENCH_LADDERS[kind].map((load, at) => {
        const trial = sampleTrial([Math.round((rate * load) / (load + 4)), cpu], 0, 3, 1);
        return { load, trial: { ...trial, p99: load * (at + 1) }, problem: null, holds: load * (at + 1) <= 50 };
      });
      return {
        product,
        name: about?.name ?? 'origin alone',
        version: about?.version ?? null,
        missing: null,
        steps,
        sustained: steps.findLast(({ holds }) => holds)?.load ?? null,
        peak: Math.max(...steps.map(({ trial }) => trial.operationsPerSecond)),
      };
    }),
  };
}

/** The invented result of a run. */
export function sampleResult(
  order: SampleOrder,
  options: Partial<BenchResult> & { better?: number } = {},
): BenchResult {
  const { better, ...rest } = options;
  return {
    schema: 'weir-bench/2',
    id: order.run,
    startedAt: '2026-03-03T09:12:04.000Z',
    finishedAt: '2026-03-03T09:12:51.000Z',
    weir: '0.1.0',
    commit: '4f1c2d9',
    environment: {
      cpu: 'Invented CPU @ 3.0 GHz',
      cores: 2,
      memoryBytes: 25_769_803_776,
      system: 'Linux 6.1 x64',
      runtime: 'Node.js 24.21.0',
      productCores: '0',
      otherCores: '1',
    },
    methodology: {
      trials: order.trials,
      secondsPerTrial: order.seconds,
      warmUpSeconds: 1,
      connections: 64,
      http2: { connections: 4, streams: 16 },
      rate: null,
    },
    profiles: order.profiles.map((id) => sampleProfileResult(order, id, better)),
    ladders: [
      ...(order.ramps ?? []).map((id) => sampleLadder('ramp', id)),
      ...(order.sweeps ?? []).map((id) => sampleLadder('sweep', id)),
    ],
    limitations: [
      'Every figure of this run is invented: it shows how results look.',
      'Generator, origin and product share two cores, so CPU an operation says more than throughput.',
    ],
    cancelled: false,
    ...rest,
  };
}

/** What the invented run says while it measures its `at`-th profile. */
export function sampleProgress(order: SampleOrder, at: number): BenchProgress {
  const id = order.profiles[at] ?? null;
  const rate = FIGURES[id ?? '']?.['weir']?.[0] ?? 0;
  return {
    run: order.run,
    state: 'running',
    step: at * order.trials,
    steps: order.profiles.length * order.trials,
    secondsLeft: (order.profiles.length - at) * order.trials * (order.seconds + 1),
    profile: id,
    product: 'weir',
    trial: 1,
    load: null,
    live: Array.from({ length: 16 }, (_, half) => Math.round(rate * (half === 0 ? 0.6 : (WOBBLES[half % 5] ?? 1)))),
    results: order.profiles.slice(0, at).map((done) => sampleProfileResult(order, done)),
    problem: null,
  };
}
