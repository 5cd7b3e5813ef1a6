import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { successShare, type BenchTrial } from '#contract';
import { readTreeUsage } from './process-tree.ts';
import { which } from './products/which.ts';
import type { Workload } from './workload.ts';

/*
 * Generators of others: wrk for HTTP/1, h2load for HTTP/2. What ours says about an origin is checked by what they say, and a proxy
 * idles less under them.
 */

/** A workload that one of them can offer: repeated GETs on connections that stay. */
export interface NativeLoad {
  readonly http2: boolean;
  readonly tls: boolean;
  readonly path: string;
  readonly port: number;
  /** Connections, and streams of each over HTTP/2. */
  readonly connections: number;
  readonly streams: number;
}

/** What a generator counted in one run. */
export interface NativeCount {
  readonly operations: number;
  readonly errors: number;
  readonly seconds: number;
  /** Milliseconds; null where it does not say. */
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

const run = promisify(execFile);

/** Whether one of them can offer a workload at all. */
export function fitsNative({ protocol, sends, fresh, grpc, duplex, readPauseMs, lossy, idle }: Workload): boolean {
  const isPlainGet = sends === 0 && !fresh && !grpc && !duplex && readPauseMs === 0 && !lossy && idle === 0;
  return isPlainGet && (protocol === 'http1' || protocol === 'http2');
}

export function nativeGenerator(http2: boolean): 'wrk' | 'h2load' {
  return http2 ? 'h2load' : 'wrk';
}

/**
 * Runs one of them.
 *
 * @param seconds how long, whole ones
 * @param cores `taskset` syntax, or null
 * @throws when it is not installed, or not one request succeeded
 */
export async function offerNatively(load: NativeLoad, seconds: number, cores: string | null): Promise<NativeCount> {
  const { http2, tls, path, port, connections, streams } = load;
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${String(port)}${path}`;
  const length = String(Math.max(1, Math.round(seconds)));
  const args = http2
    ? ['-c', String(connections), '-m', String(streams), '-D', length, url]
    : ['-t1', '-c', String(connections), '-d', length, '--latency', url];
  const program = which(nativeGenerator(http2)) ?? nativeGenerator(http2);
  const [command, ...rest] = cores === null ? [program, ...args] : ['taskset', '-c', cores, program, ...args];
  const { stdout } = await run(command, rest);
  const count = http2 ? readH2load(stdout) : readWrk(stdout);
  if (count.operations === 0) throw new Error(`Not one request succeeded:\n${stdout}`);
  return count;
}

/** Loads a program twice, to warm it up and to measure it, and reads the CPU of its process tree around the second time. */
export async function measureNatively(
  load: NativeLoad,
  pid: number,
  {
    warmUpMs,
    measureMs,
    cores,
  }: { readonly warmUpMs: number; readonly measureMs: number; readonly cores: string | null },
): Promise<BenchTrial> {
  await offerNatively(load, warmUpMs / 1_000, cores);
  const before = readTreeUsage(pid);
  const { operations, errors, seconds, ...latencies } = await offerNatively(load, measureMs / 1_000, cores);
  const after = readTreeUsage(pid);
  const cpu = before === null || after === null ? null : after.cpuMicroseconds - before.cpuMicroseconds;
  return {
    operations,
    errors,
    seconds,
    operationsPerSecond: operations / seconds,
    successShare: successShare(operations, errors),
    ...latencies,
    p999: null,
    cpuPerOperation: cpu === null ? null : cpu / operations,
    engineCpuPerOperation: null,
    residentBytes: after?.residentBytes ?? null,
    proportionalBytes: null,
    loopDelayP99: null,
    loopDelayMax: null,
  };
}

/** @param text what `wrk --latency` prints */
export function readWrk(text: string): NativeCount {
  const at = (share: string): number | null =>
    durationOf(new RegExp(`^ *${share} +([\\d.]+\\w+)`, 'm').exec(text)?.[1]);
  const [, requests = '0', seconds = '0s'] = /(\d+) requests in ([\d.]+\w+)/.exec(text) ?? [];
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  const broken = /connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text)?.slice(1) ?? [];
  return {
    operations: Number(requests) - refused,
    errors: refused + broken.reduce((sum, one) => sum + Number(one), 0),
    seconds: (durationOf(seconds) ?? 0) / 1_000,
    p50: at('50%'),
    p90: at('90%'),
    p99: at('99%'),
    max: durationOf(/^ *Latency +\S+ +\S+ +([\d.]+\w+)/m.exec(text)?.[1]),
  };
}

/** @param text what h2load prints; it knows the mean and the longest latency alone */
export function readH2load(text: string): NativeCount {
  const count = (what: string): number => Number(new RegExp(`(\\d+) ${what}`).exec(text)?.[1] ?? 0);
  return {
    operations: count('succeeded'),
    errors: count('failed') + count('errored') + count('timeout'),
    seconds: (durationOf(/finished in ([\d.]+\w+)/.exec(text)?.[1]) ?? 0) / 1_000,
    p50: null,
    p90: null,
    p99: null,
    max: durationOf(/time for request: +\S+ +([\d.]+\w+)/.exec(text)?.[1]),
  };
}

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 };

/** @returns milliseconds of `1.20ms` and the like */
function durationOf(text: string | undefined): number | null {
  const [, number, unit = ''] = /^([\d.]+)([a-z]+)$/.exec(text ?? '') ?? [];
  const factor = UNITS[unit];
  return number === undefined || factor === undefined ? null : Number(number) * factor;
}
