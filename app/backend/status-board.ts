import type { EngineStats } from '#engine';
import type { AppStatus, CertificateAuthorityInfo, ListenerInfo, SessionInfo, StoreTrouble } from '#contract';

type StatusListener = (status: AppStatus) => void;

export interface StatusSources {
  readonly listeners: () => readonly ListenerInfo[];
  readonly stats: () => Promise<EngineStats>;
  readonly certificateAuthority: () => CertificateAuthorityInfo;
  /** False when this run captures nothing at all. */
  readonly capture: boolean;
  readonly session: SessionInfo;
  /** Revision of the schemas of Protocol Buffers. */
  readonly protos: number;
  /** Microseconds since the Unix epoch. */
  readonly now: () => number;
}

/** How often counters are read while somebody watches. */
const SAMPLE_MS = 500;
/** Rates are averaged over this many samples: two seconds. */
const RATE_SAMPLES = 4;

/** Devices that are named at once; further ones wait for a decision about these. */
const MOST_DEVICES = 16;

interface RateSample {
  readonly at: number;
  readonly exchanges: number;
}

/** What the toolbar and the status bar show, kept in one place. Counters are only read while somebody watches. */
export class StatusBoard {
  readonly #sources: StatusSources;
  readonly #watchers = new Set<StatusListener>();
  #timer: NodeJS.Timeout | null = null;
  #samples: RateSample[] = [];
  #stats: EngineStats | null = null;
  #recording: boolean;
  #unrecordedAtPause = 0;
  #session: SessionInfo;
  #trouble: StoreTrouble | null = null;
  #restartedAt: number | null = null;
  #searchLag = 0;
  #systemProxy = false;
  #protos: number;
  readonly #waitingDevices = new Set<string>();

  constructor(sources: StatusSources) {
    this.#sources = sources;
    this.#recording = sources.capture;
    this.#session = sources.session;
    this.#protos = sources.protos;
  }

  /** False while recording is paused or this run captures nothing. */
  get recording(): boolean {
    return this.#recording;
  }

  get session(): SessionInfo {
    return this.#session;
  }

  /** Sends the status at once, at every change, and twice a second. @returns how to stop */
  watch(listener: StatusListener): () => void {
    this.#watchers.add(listener);
    void this.#sample();
    this.#timer ??= setInterval(() => void this.#sample(), SAMPLE_MS);
    return () => {
      this.#watchers.delete(listener);
      if (this.#watchers.size === 0) this.stop();
    };
  }

  async recordingChanged(on: boolean): Promise<void> {
    this.#recording = on;
    if (!on) this.#unrecordedAtPause = (await this.#sources.stats()).unrecorded;
    await this.#sample();
  }

  sessionChanged(session: SessionInfo): void {
    this.#session = session;
    this.#publish();
  }

  troubleChanged(trouble: StoreTrouble | null): void {
    this.#trouble = trouble;
    this.#publish();
  }

  searchLagChanged(exchanges: number): void {
    this.#searchLag = exchanges;
    this.#publish();
  }

  listenersChanged(): void {
    this.#publish();
  }

  /** Another machine was turned away. @returns whether that is news */
  deviceWaits(address: string): boolean {
    if (this.#waitingDevices.has(address) || this.#waitingDevices.size >= MOST_DEVICES) return false;
    this.#waitingDevices.add(address);
    this.#publish();
    return true;
  }

  /** Somebody decided who may come in; who still may not will ask again. */
  devicesDecided(): void {
    this.#waitingDevices.clear();
    this.#publish();
  }

  systemProxyChanged(on: boolean): void {
    this.#systemProxy = on;
    this.#publish();
  }

  protosChanged(revision: number): void {
    this.#protos = revision;
    this.#publish();
  }

  /** The engine stopped unexpectedly and runs again. */
  engineRestarted(): void {
    this.#restartedAt = this.#sources.now();
    this.#publish();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#samples = [];
  }

  async #sample(): Promise<void> {
    const stats = await this.#sources.stats();
    this.#stats = stats;
    this.#samples = [...this.#samples.slice(-RATE_SAMPLES), { at: this.#sources.now(), exchanges: stats.exchanges }];
    this.#publish();
  }

  #publish(): void {
    if (this.#watchers.size === 0 || this.#stats === null) return;
    const status = this.#describe(this.#stats);
    for (const watcher of this.#watchers) watcher(status);
  }

  #describe({ unrecorded, losses }: EngineStats): AppStatus {
    return {
      recording: this.#recording,
      passedWhilePaused: this.#recording ? 0 : Math.max(0, unrecorded - this.#unrecordedAtPause),
      listeners: this.#sources.listeners(),
      session: this.#session,
      rate: this.#rate(),
      memoryBytes: process.memoryUsage.rss(),
      storeTrouble: this.#trouble,
      lostBodies: losses.truncatedBodies + losses.droppedBodies,
      lostExchanges: losses.droppedExchanges + (this.#trouble?.lostExchanges ?? 0),
      certificateAuthority: this.#sources.certificateAuthority(),
      restartedAt: this.#restartedAt,
      searchLag: this.#searchLag,
      systemProxy: this.#systemProxy,
      waitingDevices: [...this.#waitingDevices],
      protos: this.#protos,
    };
  }

  #rate(): number {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.at === first.at) return 0;
    return (last.exchanges - first.exchanges) / ((last.at - first.at) / 1_000_000);
  }
}
