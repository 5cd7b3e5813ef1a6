import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { successShare, type BenchTrial } from '#contract';
import { startChild, type Child } from './child.ts';
import { readLoopDelays } from './loop-delays.ts';
import { readThreadCpu, readTreeProportional, readTreeUsage, type TreeUsage } from './process-tree.ts';
import type { Product, ProductSetting, Role } from './products/product.ts';
import { NODE_ENVIRONMENT, programPath } from './programs.ts';
import type { RunnableProfile } from './profiles.ts';
import type { GeneratorLine, GeneratorPlan, GeneratorResult, OriginPorts, Way } from './workload.ts';

/** How hard and how long. */
export interface Intensity {
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly connections: number;
  readonly http2: { readonly connections: number; readonly streams: number };
  /** Operations a second that are offered; null for a closed loop. */
  readonly rate: number | null;
  /** Cores of generator and origin, `taskset` syntax, or null. */
  readonly cores: string | null;
}

/** How the system names the threads of Weir's engine. */
const ENGINE_THREADS = 'engine ';

/** A rate is achieved from this share of it on. */
const ACHIEVED_SHARE = 0.99;

/** A product that is a program. */
type Startable = Product & { readonly start: NonNullable<Product['start']> };

/** Told each half second of a trial, with the operations since the last time. */
export type OnLive = (operations: number) => void;

/** Starts a product afresh, loads it, reads its CPU at both ends of the measured window, and ends it. */
export async function runTrial(
  runnable: RunnableProfile,
  product: Startable,
  setting: Omit<ProductSetting, 'folder' | 'role'>,
  intensity: Intensity,
  onLive: OnLive,
): Promise<BenchTrial> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  try {
    const running = await product.start({ ...setting, role: runnable.role, folder });
    try {
      const way = wayOf(runnable.role, setting.origin);
      const { port, child } = running;
      const target = { port, way, pid: child.pid, isWeir: product.isWeir, loopDelays: folder };
      const trial = await load(runnable, target, intensity, onLive);
      await running.check?.();
      return trial;
    } finally {
      for (const child of running.beside ?? []) await child.close();
      await running.child.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function wayOf(role: Role, ports: OriginPorts): Way {
  if (role.kind !== 'explicit') return { kind: 'direct' };
  return { kind: role.way, origin: `localhost:${String(ports[role.origin])}` };
}

/** Where the load goes, and whose CPU is charged. */
export interface LoadTarget {
  readonly port: number;
  readonly way: Way;
  readonly pid: number;
  readonly isWeir: boolean;
  /** Where the program's probe writes; null where it has none. */
  readonly loopDelays: string | null;
}

/** Loads whatever listens on a port. */
export async function load(
  { load: workload }: RunnableProfile,
  target: LoadTarget,
  intensity: Intensity,
  onLive: OnLive,
): Promise<BenchTrial> {
  const link = workload.lossy ? await startLink(target.port, intensity.cores) : null;
  const isHttp2 = workload.protocol === 'http2';
  const plan: GeneratorPlan = {
    workload,
    port: link?.port ?? target.port,
    way: target.way,
    host: target.way.kind === 'direct' ? `127.0.0.1:${String(target.port)}` : target.way.origin,
    connections: isHttp2 ? intensity.http2.connections : intensity.connections,
    streams: intensity.http2.streams,
    rate: intensity.rate,
    warmUpMs: intensity.warmUpMs,
    measureMs: intensity.measureMs,
  };
  const generator = startChild(
    process.execPath,
    [programPath('generator'), JSON.stringify(plan)],
    intensity.cores,
    NODE_ENVIRONMENT,
  );
  try {
    let before: TreeUsage | null = null;
    let after: TreeUsage | null = null;
    let proportionalBytes: number | null = null;
    let engine: number | null = null;
    let [from, to] = [0, 0];
    const readEngine = (): number | null => (target.isWeir ? readThreadCpu(target.pid, ENGINE_THREADS) : null);
    for (;;) {
      const line = JSON.parse(await generator.nextLine()) as GeneratorLine;
      if (line.type === 'warm') {
        from = Date.now();
        before = readTreeUsage(target.pid);
        engine = readEngine();
      } else if (line.type === 'live') onLive(line.operations);
      else if (line.type === 'measured') {
        after = readTreeUsage(target.pid);
        to = Date.now();
        const now = readEngine();
        engine = engine === null || now === null ? null : now - engine;
        proportionalBytes = readTreeProportional(target.pid);
      } else {
        const { operations, errors, seconds } = line;
        const late = target.loopDelays === null ? null : readLoopDelays(target.loopDelays, from, to);
        const cpu = before === null || after === null ? null : after.cpuMicroseconds - before.cpuMicroseconds;
        return {
          operations,
          errors,
          seconds,
          operationsPerSecond: operations / seconds,
          successShare: successShare(operations, errors),
          ...latenciesOf(line, intensity.rate),
          cpuPerOperation: cpu === null || operations === 0 ? null : cpu / operations,
          engineCpuPerOperation: engine === null || operations === 0 ? null : engine / operations,
          residentBytes: after?.residentBytes ?? null,
          proportionalBytes,
          loopDelayP99: late?.p99 ?? null,
          loopDelayMax: late?.max ?? null,
        };
      }
    }
  } finally {
    await generator.close();
    await link?.child.close();
  }
}

async function startLink(
  port: number,
  cores: string | null,
): Promise<{ readonly child: Child; readonly port: number }> {
  const child = startChild(process.execPath, [programPath('link'), String(port)], cores, NODE_ENVIRONMENT);
  return { child, port: Number(await child.nextLine()) };
}

function latenciesOf(
  { operations, seconds, p50, p90, p99, p999, max }: GeneratorResult,
  rate: number | null,
): Pick<BenchTrial, 'p50' | 'p90' | 'p99' | 'p999' | 'max'> {
  const isAchieved = rate === null || operations >= ACHIEVED_SHARE * rate * seconds;
  return isAchieved ? { p50, p90, p99, p999, max } : { p50: null, p90: null, p99: null, p999: null, max: null };
}
