import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchProductResult, BenchProfileResult, BenchProgress, BenchResult, BenchTrial } from '#contract';
import { closeChildren, startChild, type Child } from './child.ts';
import { commit, environment } from './environment.ts';
import { makeCertificate, type CertificateFiles } from './origin-certificate.ts';
import type { Product } from './products/product.ts';
import { NODE_ENVIRONMENT, programPath } from './programs.ts';
import type { RunnableProfile } from './profiles.ts';
import { medianTrial } from './statistics.ts';
import { load, runTrial, type Intensity } from './trial.ts';
import { baselineOf, verdictOf } from './verdict.ts';
import type { OriginPorts } from './workload.ts';

export interface BenchPlan {
  /** Name of the run. */
  readonly run: string;
  readonly profiles: readonly RunnableProfile[];
  readonly products: readonly Product[];
  readonly trials: number;
  /** Length of each measured window. */
  readonly seconds: number;
  /** Version of Weir. */
  readonly weir: string;
}

const CONNECTIONS = 64;
const HTTP2 = { connections: 4, streams: 16 } as const;
/** What starting and ending a product takes, for the estimate of what is left, s. */
const OVERHEAD_SECONDS = 1.5;

/**
 * Runs profiles one after the other; within one, trials alternate the products' order. A product that cannot be started,
 * or fails in a trial, is left out of that profile with the reason.
 */
export class BenchRun {
  readonly #plan: BenchPlan;
  readonly #onProgress: (progress: BenchProgress) => void;
  readonly #onProfile: (soFar: BenchResult) => void;
  readonly #startedAt = new Date();
  readonly #environment = environment();
  readonly #intensity: Intensity;
  readonly #results: BenchProfileResult[] = [];
  readonly #steps: number;
  #step = 0;
  #cancelled = false;
  #profile: string | null = null;
  #product: string | null = null;
  #trial = 0;
  #live: number[] = [];
  #folder = '';

  /** @param onProfile called after each profile with the result so far */
  constructor(plan: BenchPlan, onProgress: (progress: BenchProgress) => void, onProfile: (soFar: BenchResult) => void) {
    this.#plan = plan;
    this.#onProgress = onProgress;
    this.#onProfile = onProfile;
    this.#intensity = {
      warmUpMs: plan.seconds >= 5 ? 2_000 : 1_000,
      measureMs: plan.seconds * 1_000,
      connections: CONNECTIONS,
      http2: HTTP2,
      cores: this.#environment.otherCores,
    };
    this.#steps = plan.profiles.reduce((sum, runnable) => sum + this.#stepsOf(runnable), 0);
  }

  /** Ends what runs; `run` then resolves with what was measured until now. */
  cancel(): void {
    this.#cancelled = true;
    void closeChildren();
  }

  async run(): Promise<BenchResult> {
    this.#folder = mkdtempSync(join(tmpdir(), 'weir-bench-run-'));
    try {
      const certificate = makeCertificate(this.#folder);
      const origin = startChild(
        process.execPath,
        [programPath('origin'), certificate.certificateFile, certificate.keyFile],
        this.#environment.otherCores,
        NODE_ENVIRONMENT,
      );
      const ports = JSON.parse(await origin.nextLine()) as OriginPorts;
      for (const runnable of this.#plan.profiles) {
        if (this.#cancelled) break;
        const result = await this.#runProfile(runnable, origin, ports, certificate);
        if (result === null) break;
        this.#results.push(result);
        this.#onProfile(this.#result());
      }
    } catch (error: unknown) {
      if (!this.#cancelled) throw error;
    } finally {
      await closeChildren();
      rmSync(this.#folder, { recursive: true, force: true });
    }
    this.#product = this.#profile = null;
    this.#say(this.#cancelled ? 'cancelled' : 'done');
    return this.#result();
  }

  /** @returns null when it was cancelled before it was whole */
  async #runProfile(
    runnable: RunnableProfile,
    originChild: Child,
    ports: OriginPorts,
    certificate: CertificateFiles,
  ): Promise<BenchProfileResult | null> {
    const { profile } = runnable;
    this.#profile = profile.id;
    this.#begin(null, 0);
    const origin = await this.#measureOrigin(runnable, originChild, ports);
    const products = this.#productsOf(runnable);
    const trials = new Map<string, BenchTrial[]>(products.map(({ id }) => [id, []]));
    const missing = new Map<string, string>();
    for (const product of products) {
      const why = product.missing(runnable.role);
      if (why !== null) missing.set(product.id, why);
    }
    for (let round = 0; round < this.#plan.trials; round += 1) {
      for (const product of round % 2 === 0 ? products : [...products].reverse()) {
        if (this.#isCancelled()) return null;
        this.#begin(product.id, round + 1);
        if (missing.has(product.id)) continue;
        try {
          const setting = { cores: this.#environment.productCores, origin: ports, ...certificate };
          const trial = await runTrial(runnable, product, setting, this.#intensity, this.#onLive);
          if (trial.operations === 0) throw new Error('Not one operation succeeded.');
          trials.get(product.id)?.push(trial);
        } catch (error: unknown) {
          if (this.#isCancelled()) return null;
          trials.set(product.id, []);
          missing.set(product.id, `It failed: ${reasonOf(error)}`);
        }
      }
    }
    const results = products.map((product): BenchProductResult => {
      const own = trials.get(product.id) ?? [];
      const { id, name } = product;
      const version = product.version();
      return { product: id, name, version, missing: missing.get(id) ?? null, trials: own, median: medianTrial(own) };
    });
    const result = {
      profile: profile.id,
      family: profile.family,
      title: profile.title,
      workload: profile.workload,
      unit: profile.unit,
      origin,
      products: results,
      baseline: baselineOf(results, products),
    };
    return { ...result, verdict: verdictOf(result) };
  }

  /** The ceiling: the same generator on the origin itself, where the origin speaks what the front speaks. */
  async #measureOrigin(runnable: RunnableProfile, child: Child, ports: OriginPorts): Promise<BenchTrial | null> {
    const { role, load: workload } = runnable;
    const isHttp2 = workload.protocol === 'http2';
    if (isHttp2 && role.kind === 'reverse' && role.origin === 'plain') {
      // HTTP/2 stands in front of HTTP/1 only: the ceiling is what the HTTP/1 origin can do.
      const plain = { ...runnable, load: { ...workload, protocol: 'http1' as const, tls: false } };
      return load(
        plain,
        { port: ports.plain, connectTo: null, pid: child.pid, isWeir: false },
        this.#intensity,
        this.#onLive,
      );
    }
    const port =
      role.kind === 'tcp'
        ? ports.tcp
        : role.kind === 'udp'
          ? ports.udp
          : isHttp2
            ? ports.h2c
            : role.kind === 'explicit'
              ? ports.tls
              : ports.plain;
    const tls = role.kind === 'explicit';
    const direct = { ...runnable, load: { ...workload, tls } };
    return load(direct, { port, connectTo: null, pid: child.pid, isWeir: false }, this.#intensity, this.#onLive);
  }

  readonly #onLive = (operations: number): void => {
    this.#live.push(operations * 2);
    this.#say('running');
  };

  #productsOf({ profile }: RunnableProfile): Product[] {
    return this.#plan.products.filter(({ id }) => profile.products.includes(id));
  }

  #stepsOf(runnable: RunnableProfile): number {
    return 1 + this.#plan.trials * this.#productsOf(runnable).length;
  }

  #begin(product: string | null, trial: number): void {
    this.#product = product;
    this.#trial = trial;
    this.#live = [];
    this.#step += 1;
    this.#say('running');
  }

  #isCancelled(): boolean {
    return this.#cancelled;
  }

  #say(state: BenchProgress['state']): void {
    const { warmUpMs, measureMs } = this.#intensity;
    const each = (warmUpMs + measureMs) / 1_000 + OVERHEAD_SECONDS;
    this.#onProgress({
      run: this.#plan.run,
      state,
      step: this.#step,
      steps: this.#steps,
      secondsLeft: state === 'running' ? Math.ceil((this.#steps - this.#step + 1) * each) : 0,
      profile: this.#profile,
      product: this.#product,
      trial: this.#trial,
      live: this.#live,
      results: this.#results,
      problem: null,
    });
  }

  #result(): BenchResult {
    const { trials, seconds, run, weir } = this.#plan;
    const { otherCores, cores } = this.#environment;
    return {
      schema: 'weir-bench/1',
      id: run,
      startedAt: this.#startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
      weir,
      commit: commit(),
      environment: this.#environment,
      methodology: {
        trials,
        secondsPerTrial: seconds,
        warmUpSeconds: this.#intensity.warmUpMs / 1_000,
        connections: CONNECTIONS,
        http2: HTTP2,
      },
      profiles: this.#results,
      limitations: [
        'Ratios hold within one run on one machine; absolute figures do not travel.',
        ...(trials < 3
          ? [`Only ${String(trials)} ${trials === 1 ? 'trial' : 'trials'}: differences below ten per cent mean little.`]
          : []),
        ...(cores <= 2 ? ['Generator and origin share a core: look at CPU an operation before throughput.'] : []),
        ...(otherCores === null ? ['Nothing was pinned to cores on this system.'] : []),
        ...(process.platform === 'linux'
          ? []
          : ['This system does not tell the CPU of other processes: ratios are of throughput.']),
      ],
      cancelled: this.#cancelled,
    };
  }
}

/** What matters of a program's last words: the line that names the error, where one does. */
function reasonOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error))
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.find((line) => /^\w*Error\b|\[(?:emerg|ALERT)\]/.test(line)) ?? lines[0] ?? 'no reason was given';
}
