import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BENCH_LADDERS, shareOfOrigin } from '#contract';
import type {
  BenchLadder,
  BenchLadderKind,
  BenchProductResult,
  BenchProfileResult,
  BenchProgress,
  BenchResult,
  BenchStep,
  BenchTrial,
} from '#contract';
import { closeChildren, startChild, type Child } from './child.ts';
import { commit, environment } from './environment.ts';
import { countSteps, failedStep, intensityAt, limitsOf, stepOf, summaryOf } from './ladder.ts';
import { limitationsOf } from './limitations.ts';
import { measureNatively } from './native-load.ts';
import { makeCertificate } from './origin-certificate.ts';
import { directLoad } from './origin-load.ts';
import { trialsOf } from './products/index.ts';
import type { Product, ProductSetting } from './products/product.ts';
import { NODE_ENVIRONMENT, programPath } from './programs.ts';
import type { RunnableProfile } from './profiles.ts';
import { medianTrial } from './statistics.ts';
import { load, runTrial, type Intensity } from './trial.ts';
import { trialOrder } from './trial-order.ts';
import { baselineOf, verdictOf } from './verdict.ts';
import type { OriginPorts } from './workload.ts';

export interface BenchPlan {
  /** Name of the run. */
  readonly run: string;
  /** Measured by trials of a fixed load. */
  readonly profiles: readonly RunnableProfile[];
  /** Measured on ladders. */
  readonly ladders: readonly { readonly kind: BenchLadderKind; readonly runnable: RunnableProfile }[];
  readonly products: readonly Product[];
  readonly trials: number;
  /** Length of each measured window. */
  readonly seconds: number;
  /** The same on ladders. */
  readonly secondsPerStep: number;
  /** Operations a second that are offered in trials; null for a closed loop. */
  readonly rate: number | null;
  /** Version of Weir. */
  readonly weir: string;
}

const CONNECTIONS = 64;
const HTTP2 = { connections: 4, streams: 16 } as const;
/** What starting and ending a product takes, for the estimate of what is left, s. */
const OVERHEAD_SECONDS = 1.5;
/** What can be offered at a fixed rate. */
const PACED: readonly string[] = ['http1', 'http2'];

/** What every measurement of a run shares. */
interface Site {
  readonly setting: Omit<ProductSetting, 'folder' | 'role'>;
  readonly origin: Child;
}

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
  readonly #stepIntensity: Intensity;
  readonly #results: BenchProfileResult[] = [];
  readonly #ladders: BenchLadder[] = [];
  readonly #steps: number;
  #step = 0;
  #cancelled = false;
  #profile: string | null = null;
  #product: string | null = null;
  #trial = 0;
  #load: number | null = null;
  #live: number[] = [];
  #secondsLeft: number;

  /** @param onProfile called after each profile and ladder with the result so far */
  constructor(plan: BenchPlan, onProgress: (progress: BenchProgress) => void, onProfile: (soFar: BenchResult) => void) {
    this.#plan = plan;
    this.#onProgress = onProgress;
    this.#onProfile = onProfile;
    this.#intensity = this.#intensityFor(plan.seconds, plan.rate);
    this.#stepIntensity = this.#intensityFor(plan.secondsPerStep, null);
    const trials = plan.profiles.reduce(
      (sum, one) => sum + this.#productsOf(one).reduce((all, product) => all + trialsOf(product, plan.trials), 1),
      0,
    );
    const steps = plan.ladders.reduce(
      (sum, { kind, runnable }) =>
        sum + countSteps(kind, this.#productsOf(runnable).filter(({ start }) => start !== null).length),
      0,
    );
    this.#steps = trials + steps;
    this.#secondsLeft = trials * secondsOf(this.#intensity) + steps * secondsOf(this.#stepIntensity);
  }

  /** Ends what runs; `run` then resolves with what was measured until now. */
  cancel(): void {
    this.#cancelled = true;
    void closeChildren();
  }

  async run(): Promise<BenchResult> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-bench-run-'));
    try {
      const site = await this.#startOrigin(folder);
      for (const runnable of this.#plan.profiles) {
        if (this.#cancelled) break;
        const result = await this.#runProfile(runnable, site);
        if (result === null) break;
        this.#results.push(result);
        this.#onProfile(this.#result());
      }
      for (const { kind, runnable } of this.#plan.ladders) {
        if (this.#cancelled) break;
        const ladder = await this.#runLadder(kind, runnable, site);
        if (ladder === null) break;
        this.#ladders.push(ladder);
        this.#onProfile(this.#result());
      }
    } catch (error: unknown) {
      if (!this.#cancelled) throw error;
    } finally {
      await closeChildren();
      rmSync(folder, { recursive: true, force: true });
    }
    this.#product = this.#profile = this.#load = null;
    this.#say(this.#cancelled ? 'cancelled' : 'done');
    return this.#result();
  }

  async #startOrigin(folder: string): Promise<Site> {
    const { newNamesCertificateFile, newNamesKeyFile, ...certificate } = makeCertificate(folder);
    const { productCores, otherCores } = this.#environment;
    const files = [certificate.certificateFile, certificate.keyFile, newNamesCertificateFile, newNamesKeyFile];
    const origin = startChild(process.execPath, [programPath('origin'), ...files], otherCores, NODE_ENVIRONMENT);
    const ports = JSON.parse(await origin.nextLine()) as OriginPorts;
    return { origin, setting: { cores: productCores, otherCores, origin: ports, ...certificate } };
  }

  /** @returns null when it was cancelled before it was whole */
  async #runProfile(runnable: RunnableProfile, site: Site): Promise<BenchProfileResult | null> {
    const { profile } = runnable;
    this.#profile = profile.id;
    this.#begin(null, 0, this.#intensity);
    const products = this.#productsOf(runnable);
    const missing = this.#missingOf(runnable, products);
    const origin = this.#isPaced(runnable)
      ? await this.#measureOrigin(runnable, site, { ...this.#intensity, rate: null })
      : null;
    const trials = new Map<string, BenchTrial[]>(products.map(({ id }) => [id, []]));
    for (let round = 0; round < this.#plan.trials; round += 1) {
      for (const product of trialOrder(products, round, this.#plan.trials)) {
        if (this.#isCancelled()) return null;
        if (round >= trialsOf(product, this.#plan.trials)) continue;
        this.#begin(product.id, round + 1, this.#intensity);
        if (missing.has(product.id)) continue;
        const trial = await this.#tryTrial(runnable, product, site, this.#intensity);
        if (this.#isCancelled()) return null;
        if (typeof trial !== 'string') {
          trials.get(product.id)?.push(trial);
          continue;
        }
        trials.set(product.id, []);
        missing.set(product.id, trial);
      }
    }
    const results = products.map((product): BenchProductResult => {
      const own = trials.get(product.id) ?? [];
      const median = medianTrial(own);
      return {
        product: product.id,
        name: product.name,
        version: product.version(),
        missing: missing.get(product.id) ?? null,
        trials: own,
        median,
        originShare: shareOfOrigin(median, origin),
      };
    });
    const result = { ...factsOf(runnable), origin, products: results, baseline: baselineOf(results, products) };
    return { ...result, verdict: verdictOf(result) };
  }

  /** Every load for every product before the next load, so that a busy minute of the machine meets them all. */
  async #runLadder(kind: BenchLadderKind, runnable: RunnableProfile, site: Site): Promise<BenchLadder | null> {
    this.#profile = runnable.profile.id;
    const limits = limitsOf(runnable);
    const products = this.#productsOf(runnable).filter(({ start }) => start !== null);
    const missing = this.#missingOf(runnable, products);
    const contenders: readonly (Product | null)[] = [null, ...products];
    const steps = new Map<string, BenchStep[]>(contenders.map((product) => [product?.id ?? 'origin', []]));
    const failed = new Set<string>(missing.keys());
    for (const at of BENCH_LADDERS[kind]) {
      const intensity = intensityAt(this.#stepIntensity, kind, at);
      for (const product of contenders) {
        if (this.#isCancelled()) return null;
        const id = product?.id ?? 'origin';
        this.#begin(product?.id ?? null, 1, intensity, at);
        // What broke down under less is not asked for more.
        if (failed.has(id)) continue;
        const trial =
          product === null
            ? await this.#measureOrigin(runnable, site, intensity)
            : await this.#tryTrial(runnable, product, site, intensity);
        if (this.#isCancelled()) return null;
        if (typeof trial === 'string') failed.add(id);
        steps.get(id)?.push(typeof trial === 'string' ? failedStep(at, trial) : stepOf(at, trial, limits));
      }
    }
    return {
      kind,
      ...factsOf(runnable),
      secondsPerStep: this.#plan.secondsPerStep,
      limits,
      products: contenders.map((product) => {
        const own = steps.get(product?.id ?? 'origin') ?? [];
        return {
          product: product?.id ?? 'origin',
          name: product?.name ?? 'origin alone',
          version: product?.version() ?? null,
          missing: product === null ? null : (missing.get(product.id) ?? null),
          steps: own,
          ...summaryOf(own, limits),
        };
      }),
    };
  }

  /** @returns why there is no trial, where it failed */
  async #tryTrial(
    runnable: RunnableProfile,
    product: Product,
    site: Site,
    intensity: Intensity,
  ): Promise<BenchTrial | string> {
    try {
      const { start } = product;
      const trial =
        start === null
          ? await this.#measureNatively(runnable, site, intensity)
          : await runTrial(runnable, { ...product, start }, site.setting, intensity, this.#onLive);
      return trial.operations === 0 ? 'It failed: not one operation succeeded.' : trial;
    } catch (error: unknown) {
      return `It failed: ${reasonOf(error)}`;
    }
  }

  /** The ceiling: the same generator on the origin itself, in a closed loop whatever is offered to products. */
  #measureOrigin(runnable: RunnableProfile, site: Site, intensity: Intensity): Promise<BenchTrial> {
    const { workload, port } = directLoad(runnable);
    const target = {
      port: site.setting.origin[port],
      way: { kind: 'direct' },
      pid: site.origin.pid,
      isWeir: false,
      loopDelays: null,
    } as const;
    return load({ ...runnable, load: workload }, target, intensity, this.#onLive);
  }

  /** The origin once more, by a generator that is none of ours. */
  #measureNatively(runnable: RunnableProfile, site: Site, intensity: Intensity): Promise<BenchTrial> {
    const { workload, port } = directLoad(runnable);
    const http2 = workload.protocol === 'http2';
    const { connections, streams } = http2 ? intensity.http2 : { connections: intensity.connections, streams: 1 };
    const offered = { http2, tls: workload.tls, path: workload.path, port: site.setting.origin[port] };
    return measureNatively({ ...offered, connections, streams }, site.origin.pid, intensity);
  }

  readonly #onLive = (operations: number): void => {
    this.#live.push(operations * 2);
    this.#say('running');
  };

  #intensityFor(seconds: number, rate: number | null): Intensity {
    return {
      warmUpMs: seconds >= 5 ? 2_000 : Math.min(1_000, seconds * 1_000),
      measureMs: seconds * 1_000,
      connections: CONNECTIONS,
      http2: HTTP2,
      rate,
      cores: this.#environment.otherCores,
    };
  }

  #productsOf({ profile }: RunnableProfile): Product[] {
    return this.#plan.products.filter(({ id }) => profile.products.includes(id));
  }

  /** Why products do not take part, by id. */
  #missingOf(runnable: RunnableProfile, products: readonly Product[]): Map<string, string> {
    const unpaced = this.#isPaced(runnable) ? null : 'Not possible: only requests of HTTP are offered at a fixed rate';
    return new Map(
      products.flatMap((product) => {
        const why = unpaced ?? product.missing(runnable.role);
        return why === null ? [] : [[product.id, why]];
      }),
    );
  }

  #isPaced({ load: { protocol, duplex } }: RunnableProfile): boolean {
    return this.#plan.rate === null || (PACED.includes(protocol) && !duplex);
  }

  #begin(product: string | null, trial: number, intensity: Intensity, at: number | null = null): void {
    this.#product = product;
    this.#trial = trial;
    this.#load = at;
    this.#live = [];
    this.#step += 1;
    this.#say('running');
    this.#secondsLeft -= secondsOf(intensity);
  }

  #isCancelled(): boolean {
    return this.#cancelled;
  }

  #say(state: BenchProgress['state']): void {
    this.#onProgress({
      run: this.#plan.run,
      state,
      step: this.#step,
      steps: this.#steps,
      secondsLeft: state === 'running' ? Math.max(0, Math.ceil(this.#secondsLeft)) : 0,
      profile: this.#profile,
      product: this.#product,
      trial: this.#trial,
      load: this.#load,
      live: this.#live,
      results: this.#results,
      problem: null,
    });
  }

  #result(): BenchResult {
    const { trials, seconds, run, weir, rate } = this.#plan;
    return {
      schema: 'weir-bench/2',
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
        rate,
      },
      profiles: this.#results,
      ladders: this.#ladders,
      limitations: limitationsOf(this.#environment, this.#results.length === 0 ? null : trials, rate),
      cancelled: this.#cancelled,
    };
  }
}

function factsOf({
  profile,
}: RunnableProfile): Pick<BenchLadder, 'profile' | 'family' | 'title' | 'workload' | 'unit'> {
  const { id, family, title, workload, unit } = profile;
  return { profile: id, family, title, workload, unit };
}

function secondsOf({ warmUpMs, measureMs }: Intensity): number {
  return (warmUpMs + measureMs) / 1_000 + OVERHEAD_SECONDS;
}

/** What matters of a program's last words: the line that names the error, where one does. */
function reasonOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error))
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.find((line) => /^\w*Error\b|\[(?:emerg|ALERT)\]/.test(line)) ?? lines[0] ?? 'no reason was given';
}
