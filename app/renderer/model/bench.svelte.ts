import type {
  BenchMeasure,
  BenchMode,
  BenchProduct,
  BenchProfile,
  BenchProgress,
  BenchResult,
  BenchRunInfo,
  Calls,
} from '#contract';
import { BENCH_MODES } from '#contract';
import type { Backend } from './connection.svelte.ts';
import { Remembered, oneOf } from './remembered.svelte.ts';
import type { KeyValueStore } from './remembered.svelte.ts';

/** What a run is to measure. */
export type BenchOrder = Calls['bench.start']['input'];

/** What the user chose for the next run: ids; null stands for the quick set, and for the mode's usual products. */
export interface BenchChoice {
  readonly profiles: readonly string[] | null;
  readonly products: readonly string[] | null;
  readonly mode: BenchMode;
}

/** What the page of the benchmark shows. */
export type BenchView = 'choose' | 'running' | 'result';

const FIRST_CHOICE: BenchChoice = { profiles: null, products: null, mode: 'quick' };

/** The benchmark: what can be measured, the run under way, stored runs, and which of them are looked at. */
export class Bench {
  readonly #backend: Backend;
  readonly measure: Remembered<BenchMeasure>;
  readonly choice: Remembered<BenchChoice>;
  #profiles = $state.raw<readonly BenchProfile[]>([]);
  #products = $state.raw<readonly BenchProduct[]>([]);
  #progress = $state.raw<BenchProgress | null>(null);
  #unheard = true;
  #runs = $state.raw<readonly BenchRunInfo[]>([]);
  #damaged = $state.raw<readonly string[]>([]);
  #shown = $state.raw<BenchResult | null>(null);
  #earlier = $state.raw<BenchResult | null>(null);
  #choosing = $state(false);
  #dismissed = $state('');
  #loaded = $state(false);
  #problem = $state<string | null>(null);

  constructor(backend: Backend, store: KeyValueStore = localStorage) {
    this.#backend = backend;
    this.measure = new Remembered('bench-measure', 'throughput', oneOf('throughput', 'cpu'), store);
    this.choice = new Remembered('bench-choice', FIRST_CHOICE, isChoice, store);
    backend.stream(
      'bench.progress',
      {},
      {
        items: (items) => {
          const newest = items.at(-1);
          if (newest !== undefined) this.#follow(newest.progress);
        },
        // Each item is the whole state, and a new backend sends its own at once.
        gap: () => undefined,
      },
    );
  }

  /** True once profiles and history were asked for and answered. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Why the benchmark cannot be used here; null when it can. */
  get problem(): string | null {
    return this.#problem;
  }

  get profiles(): readonly BenchProfile[] {
    return this.#profiles;
  }

  get products(): readonly BenchProduct[] {
    return this.#products;
  }

  get progress(): BenchProgress | null {
    return this.#progress;
  }

  get running(): boolean {
    return this.#progress?.state === 'running';
  }

  /** The newest run, when it failed and nobody has looked away from it. */
  get failure(): BenchProgress | null {
    const progress = this.#progress;
    return progress?.state === 'failed' && progress.run !== this.#dismissed ? progress : null;
  }

  /** Newest first. */
  get runs(): readonly BenchRunInfo[] {
    return this.#runs;
  }

  /** Files of the history that are no results. */
  get damaged(): readonly string[] {
    return this.#damaged;
  }

  /** The stored run that is looked at. */
  get shown(): BenchResult | null {
    return this.#shown;
  }

  /** The stored run that the shown one is compared with. */
  get earlier(): BenchResult | null {
    return this.#earlier;
  }

  get view(): BenchView {
    if (this.running) return 'running';
    return this.#choosing || this.#shown === null ? 'choose' : 'result';
  }

  /** Profiles that the next run measures. */
  get chosenProfiles(): readonly string[] {
    const { profiles } = this.choice.value;
    const known = this.#profiles;
    if (profiles === null) return known.filter(({ quick }) => quick).map(({ id }) => id);
    return known.filter(({ id }) => profiles.includes(id)).map(({ id }) => id);
  }

  /** Products that are here and that the next run measures. */
  get chosenProducts(): readonly string[] {
    const { products } = this.choice.value;
    const here = this.#here;
    return products === null
      ? this.#usual(this.choice.value.mode)
      : here.filter((id) => this.isWeir(id) || products.includes(id));
  }

  /** Weir's own products stand first in each profile, and are always measured. */
  isWeir(product: string): boolean {
    return this.#profiles.some(({ products }) => products[0] === product);
  }

  /** Opens the page: asks what can be measured and which runs are stored, and shows the newest. */
  async open(): Promise<void> {
    try {
      const [{ profiles, products }] = await Promise.all([
        this.#backend.call('bench.profiles', {}),
        this.#refresh().then(() => this.#showNewest()),
      ]);
      this.#profiles = profiles;
      this.#products = products;
      this.#problem = null;
    } catch (error: unknown) {
      this.#problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.#loaded = true;
    }
  }

  /** @throws ContractError `conflict` when a run is under way */
  async start(order: BenchOrder): Promise<void> {
    await this.#backend.call('bench.start', order);
    this.#choosing = false;
  }

  /** What is chosen, as an order. */
  get order(): BenchOrder {
    const { mode } = this.choice.value;
    return { profiles: this.chosenProfiles, products: this.#orNull(this.chosenProducts, mode), mode };
  }

  /**
   * Runs the quick set over everything that is here.
   * @throws ContractError `conflict` when a run is under way
   */
  async startQuick(): Promise<void> {
    if (this.#profiles.length === 0) await this.open();
    if (this.#problem !== null) return;
    const profiles = this.#profiles.filter(({ quick }) => quick).map(({ id }) => id);
    await this.start({ profiles, products: null, mode: 'quick' });
  }

  /** The order that measures what a stored run measured, as far as it is still known; of ladders beside trials the trials. */
  orderOf({ profiles, ladders, methodology }: BenchResult): BenchOrder {
    const kind = profiles.length === 0 ? ladders[0]?.kind : undefined;
    const parts = kind === undefined ? profiles : ladders.filter((ladder) => ladder.kind === kind);
    const known = parts.filter(({ profile }) => this.#profiles.some(({ id }) => id === profile));
    const measured = new Set(known.flatMap(({ products }) => products.map(({ product }) => product)));
    const mode = kind ?? (methodology.secondsPerTrial >= BENCH_MODES.full.seconds ? 'full' : 'quick');
    return {
      profiles: known.map(({ profile }) => profile),
      products: this.#orNull(
        this.#here.filter((id) => measured.has(id)),
        mode,
      ),
      mode,
    };
  }

  /** @throws ContractError */
  async cancel(): Promise<void> {
    if (this.#progress !== null) await this.#backend.call('bench.cancel', { run: this.#progress.run });
  }

  /**
   * Looks at a stored run.
   * @throws ContractError `not-found`
   */
  async show(id: string): Promise<void> {
    const { result } = await this.#backend.call('bench.get', { id });
    this.#shown = result;
    if (this.#earlier?.id === id) this.#earlier = null;
    this.leave();
  }

  /**
   * Compares the shown run with another one, or with none for null.
   * @throws ContractError `not-found`
   */
  async compareWith(id: string | null): Promise<void> {
    this.#earlier = id === null ? null : (await this.#backend.call('bench.get', { id })).result;
  }

  /**
   * Deletes a stored run for good.
   * @throws ContractError
   */
  async remove(id: string): Promise<void> {
    await this.#backend.call('bench.remove', { id });
    if (this.#earlier?.id === id) this.#earlier = null;
    if (this.#shown?.id === id) this.#shown = null;
    await this.#refresh();
    await this.#showNewest();
  }

  /** Shows what a new run would measure. */
  choose(): void {
    this.#choosing = true;
  }

  /** Back from choosing, and away from a failure. */
  leave(): void {
    this.#choosing = false;
    this.#dismissed = this.#progress?.run ?? '';
  }

  get #here(): readonly string[] {
    return this.#products.filter(({ missing }) => missing === null).map(({ id }) => id);
  }

  /** What a mode measures of what is here, unless other products are chosen. */
  #usual(mode: BenchMode): readonly string[] {
    const usual = BENCH_MODES[mode].products;
    return usual === null ? this.#here : this.#here.filter((id) => usual.includes(id));
  }

  /** Null for the usual products of a mode, so that one which comes later takes part. */
  #orNull(products: readonly string[], mode: BenchMode): readonly string[] | null {
    const usual = this.#usual(mode);
    return products.length === usual.length && usual.every((id) => products.includes(id)) ? null : products;
  }

  #follow(next: BenchProgress | null): void {
    const before = this.#progress;
    const first = this.#unheard;
    this.#unheard = false;
    const ended = next !== null && next.state !== 'running' && next.state !== 'failed';
    // A short run may begin and end between two messages. What ended before this page was here is not shown for that.
    const seen = !first && (before?.run !== next?.run || before?.state === 'running');
    if (!ended || !seen) {
      this.#progress = next;
      // Of a run that failed, what was finished is in the history.
      if (next?.state === 'failed' && before !== null) this.#refresh().catch(() => undefined);
      return;
    }
    // The run is in view until its result is there: an older one must not flash up in between. Nothing is stored of a run
    // that was cancelled before its first figure.
    this.#refresh()
      .then(() => this.show(next.run))
      .catch(() => undefined)
      .finally(() => {
        if (this.#progress === before) this.#progress = next;
      });
  }

  async #refresh(): Promise<void> {
    const { runs, damaged } = await this.#backend.call('bench.history', {});
    this.#runs = runs;
    this.#damaged = damaged;
  }

  async #showNewest(): Promise<void> {
    const [newest] = this.#runs;
    if (this.#shown !== null || newest === undefined) return;
    const { result } = await this.#backend.call('bench.get', { id: newest.id });
    this.#shown ??= result;
  }
}

function isChoice(value: unknown): value is BenchChoice {
  if (typeof value !== 'object' || value === null) return false;
  const { profiles, products, mode } = value as Partial<Record<keyof BenchChoice, unknown>>;
  const isList = (list: unknown): boolean =>
    list === null || (Array.isArray(list) && list.every((id) => typeof id === 'string'));
  return isList(profiles) && isList(products) && typeof mode === 'string' && Object.hasOwn(BENCH_MODES, mode);
}
