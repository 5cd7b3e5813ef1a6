import { Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { CertificateAuthorityPem, EngineConfig, EngineSettings, EngineStats, ListenerConfig } from '#engine';
import type { ListenerInfo } from '#contract';
import { ContractError } from '#contract';
import type { NewClient } from './client-programs.ts';
import type { EngineCalls, EngineCommand, EngineEvent } from './engine-messages.ts';
import { endThread } from './end-thread.ts';
import { findSharedPort } from './shared-port.ts';
import { ThreadCalls } from './thread-calls.ts';

export interface EngineHostOptions {
  /** What every engine begins with; ids and listeners are filled in for each thread. */
  readonly config: Omit<EngineConfig, 'firstExchangeId' | 'firstConnectionId' | 'idStep' | 'sharedPorts' | 'listeners'>;
  readonly listeners: readonly ListenerConfig[];
  /** Number of engine threads. More than one need a platform whose listeners can share a port. */
  readonly workers: number;
  readonly nextExchangeId: number;
  readonly nextConnectionId: number;
  /** A port for one engine's batches, whose other end is with the store; null when nothing is captured. */
  readonly openCapturePort: () => MessagePort | null;
  /** Another machine was turned away because nobody has approved it. */
  readonly onUnknownClient: (address: string) => void;
  /** Programs of this computer connected. */
  readonly onClients?: ((clients: readonly NewClient[]) => void) | undefined;
  /** An engine ended unexpectedly and is being started again. */
  readonly onCrash: (error: Error) => void;
  /** It accepts again, on these listeners. */
  readonly onRestart: (listeners: readonly ListenerInfo[]) => void;
}

/** The engine's threads as the backend uses them: one engine to look at. */
export interface EngineHost {
  readonly listeners: readonly ListenerInfo[];
  /** @throws ContractError `conflict` when an address is taken; none of them is open then */
  addListeners(listeners: readonly ListenerConfig[]): Promise<readonly ListenerInfo[]>;
  removeListeners(listeners: readonly ListenerInfo[]): Promise<void>;
  configure(settings: EngineSettings): void;
  /** Leaves of what connects from now on are signed by another authority; also after a crash. */
  useAuthority(authority: CertificateAuthorityPem): void;
  /** Gives every engine a new capture port: the store's writer was started again. */
  renewCapturePorts(): void;
  setRecording(on: boolean): void;
  /** Summed over the threads, those that crashed included. */
  stats(): Promise<EngineStats>;
  /** What the taps hold is with the store when it resolves. */
  flush(): Promise<void>;
  stop(drainMs: number): Promise<void>;
}

/** Ids that a crashed engine may have given away without the store hearing of them. */
const ID_GAP = 1_000_000;
const RESTART_DELAYS_MS = [0, 100, 500, 1_000, 2_000] as const;
/** A thread that lived this long had not crashed because of how it was started. */
const SETTLED_MS = 10_000;
/** Longer than any drain needs to end; a thread that does not answer by then is ended. */
const STOP_GRACE_MS = 2_000;

interface Thread {
  readonly worker: Worker;
  readonly calls: ThreadCalls<EngineCalls>;
}

const EMPTY_STATS: EngineStats = {
  exchanges: 0,
  unrecorded: 0,
  activeExchanges: 0,
  clientConnections: 0,
  originConnections: 0,
  bytesToOrigin: 0,
  bytesToClient: 0,
  losses: { truncatedBodies: 0, droppedBodies: 0, droppedExchanges: 0 },
};

/**
 * Starts the engine threads and opens every listener, or none.
 *
 * @throws ContractError `conflict` when an address cannot be listened on
 */
export async function startEngines(options: EngineHostOptions): Promise<EngineHost> {
  const host = new Engines(options);
  await host.start();
  return host;
}

class Engines implements EngineHost {
  readonly #options: EngineHostOptions;
  readonly #threads: (Thread | null)[];
  /** Last counters of each thread, and what ended threads had counted. */
  readonly #lastStats: EngineStats[];
  #endedStats = EMPTY_STATS;
  #settings: EngineSettings;
  /** Set when another one took the place of the configured one. */
  #authority: CertificateAuthorityPem | null = null;
  #recording = true;
  #listeners: readonly ListenerInfo[] = [];
  /** Configurations of `#listeners`, with the ports that the system gave. */
  #open: readonly ListenerConfig[] = [];
  #stopping = false;

  constructor(options: EngineHostOptions) {
    this.#options = options;
    this.#settings = options.config.settings;
    this.#threads = Array.from({ length: options.workers }, () => null);
    this.#lastStats = Array.from({ length: options.workers }, () => EMPTY_STATS);
  }

  get listeners(): readonly ListenerInfo[] {
    return this.#listeners;
  }

  async start(): Promise<void> {
    const listeners = await this.#fixPorts(this.#options.listeners);
    const starts = await Promise.allSettled(this.#threads.map((_, index) => this.#startThread(index, 0, listeners)));
    const failed = starts.find((start) => start.status === 'rejected');
    if (failed !== undefined) {
      await this.stop(0);
      throw failed.reason;
    }
    const opened = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    this.#listeners = opened[0] ?? [];
    this.#open = withPorts(listeners, this.#listeners);
  }

  async addListeners(wanted: readonly ListenerConfig[]): Promise<readonly ListenerInfo[]> {
    const listeners = await this.#fixPorts(wanted);
    const live = this.#live();
    const outcomes = await Promise.allSettled(live.map(({ calls }) => calls.call('addListeners', listeners)));
    const opened = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    const added = opened[0] ?? [];
    if (failed !== undefined) {
      await closeListeners(live, added);
      throw failed.reason;
    }
    this.#listeners = [...this.#listeners, ...added];
    this.#open = [...this.#open, ...withPorts(listeners, added)];
    return added;
  }

  async removeListeners(removed: readonly ListenerInfo[]): Promise<void> {
    const isRemoved = (port: number, address: string): boolean =>
      removed.some((listener) => listener.port === port && listener.address === address);
    this.#open = this.#open.filter((_, index) => {
      const info = this.#listeners[index];
      return info === undefined || !isRemoved(info.port, info.address);
    });
    this.#listeners = this.#listeners.filter(({ port, address }) => !isRemoved(port, address));
    await closeListeners(this.#live(), removed);
  }

  configure(settings: EngineSettings): void {
    this.#settings = settings;
    this.#tell({ type: 'configure', settings });
  }

  useAuthority(authority: CertificateAuthorityPem): void {
    this.#authority = authority;
    this.#tell({ type: 'authority', authority });
  }

  renewCapturePorts(): void {
    for (const { worker } of this.#live()) {
      const port = this.#options.openCapturePort();
      if (port !== null) worker.postMessage({ type: 'capture', port } satisfies EngineCommand, [port]);
    }
  }

  setRecording(on: boolean): void {
    this.#recording = on;
    this.#tell({ type: 'recording', on });
  }

  async stats(): Promise<EngineStats> {
    await Promise.all(
      this.#threads.map(async (thread, index) => {
        // A thread that ends meanwhile is counted by its last answer.
        const stats = await thread?.calls.call('stats', null).catch(() => undefined);
        if (stats !== undefined) this.#lastStats[index] = stats;
      }),
    );
    return this.#lastStats.reduce(sum, this.#endedStats);
  }

  async flush(): Promise<void> {
    await Promise.all(this.#live().map(({ calls }) => calls.call('flush', null).catch(() => undefined)));
  }

  async stop(drainMs: number): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#live().map((thread) => endEngine(thread, drainMs)));
  }

  #certificates(): EngineConfig['certificates'] {
    const { certificates } = this.#options.config;
    if (this.#authority === null) return certificates;
    return { ...certificates, caCertificate: this.#authority.certificate, caKey: this.#authority.key };
  }

  #live(): Thread[] {
    return this.#threads.filter((thread) => thread !== null);
  }

  #tell(command: EngineCommand): void {
    for (const { worker } of this.#live()) worker.postMessage(command);
  }

  /** Several threads share each port, so it must be free, and known, before the first of them listens. */
  #fixPorts(listeners: readonly ListenerConfig[]): Promise<readonly ListenerConfig[]> {
    if (this.#options.workers === 1) return Promise.resolve(listeners);
    return Promise.all(listeners.map(async (listener) => ({ ...listener, port: await findSharedPort(listener) })));
  }

  async #startThread(
    index: number,
    generation: number,
    listeners: readonly ListenerConfig[],
  ): Promise<readonly ListenerInfo[]> {
    const { config, workers, nextExchangeId, nextConnectionId, openCapturePort } = this.#options;
    const worker = new Worker(
      new URL(`./engine-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
      {
        name: `engine ${String(index)}`,
        // Short-lived objects are few here; room for many would only make the process look hungry under load.
        resourceLimits: { maxYoungGenerationSizeMb: 16 },
      },
    );
    const calls = new ThreadCalls<EngineCalls>(worker, 'engine');
    const thread: Thread = { worker, calls };
    const startedAt = performance.now();
    let cause: unknown = null;
    worker.on('message', (event: EngineEvent) => {
      if (event.type === 'clients') this.#options.onClients?.(event.clients);
      else if (event.type === 'unknown-client') this.#options.onUnknownClient(event.address);
      else calls.settle(event.id, event.type === 'result' ? { output: event.output } : { failure: event.failure });
    });
    worker.on('error', (error) => (cause = error));
    worker.once('exit', () => {
      if (this.#threads[index] !== thread) return;
      this.#threads[index] = null;
      if (this.#stopping) return;
      this.#endedStats = sum(this.#endedStats, gaugesAtRest(this.#lastStats[index] ?? EMPTY_STATS));
      this.#lastStats[index] = EMPTY_STATS;
      this.#options.onCrash(new Error('An engine thread ended unexpectedly.', { cause }));
      const attempt = performance.now() - startedAt > SETTLED_MS ? 0 : generation;
      this.#restartLater(
        index,
        generation + 1,
        RESTART_DELAYS_MS[Math.min(attempt, RESTART_DELAYS_MS.length - 1)] ?? 0,
      );
    });
    this.#threads[index] = thread;
    const capturePort = openCapturePort();
    const skipped = generation * ID_GAP * workers + index;
    const input = {
      config: {
        ...config,
        certificates: this.#certificates(),
        settings: this.#settings,
        listeners,
        firstExchangeId: nextExchangeId + skipped,
        firstConnectionId: nextConnectionId + skipped,
        idStep: workers,
        sharedPorts: workers > 1,
      },
      capturePort,
    };
    const opened = await calls.call('start', input, { transfer: capturePort === null ? [] : [capturePort] });
    if (!this.#recording) worker.postMessage({ type: 'recording', on: false });
    return opened;
  }

  #restartLater(index: number, generation: number, delayMs: number): void {
    setTimeout(() => {
      if (this.#stopping) return;
      this.#startThread(index, generation, this.#open).then(
        () => {
          this.#options.onRestart(this.#listeners);
        },
        (error: unknown) => {
          this.#options.onCrash(error instanceof Error ? error : new Error(String(error)));
          // Ends the thread without listeners; its exit starts the next attempt.
          const thread = this.#threads[index];
          if (thread) void endEngine(thread, 0);
        },
      );
    }, delayMs);
  }
}

/** A thread that ends meanwhile has closed them too. */
async function closeListeners(threads: readonly Thread[], listeners: readonly ListenerInfo[]): Promise<void> {
  await Promise.all(
    threads.map(async ({ calls }) => {
      try {
        await calls.call('removeListeners', listeners);
      } catch (error: unknown) {
        if (!(error instanceof ContractError && error.code === 'unavailable')) throw error;
      }
    }),
  );
}

/** The thread lets go of everything and ends. */
async function endEngine({ worker, calls }: Thread, drainMs: number): Promise<void> {
  // What it answers does not matter, nor whether it does: only its end does.
  calls.call('stop', { drainMs }).catch(() => undefined);
  await endThread(worker, drainMs + STOP_GRACE_MS);
}

/** The configurations with the ports that were given. */
function withPorts(listeners: readonly ListenerConfig[], opened: readonly ListenerInfo[]): readonly ListenerConfig[] {
  return listeners.map((listener, index) => ({ ...listener, port: opened[index]?.port ?? listener.port }));
}

function gaugesAtRest(stats: EngineStats): EngineStats {
  return { ...stats, activeExchanges: 0, clientConnections: 0, originConnections: 0 };
}

function sum(a: EngineStats, b: EngineStats): EngineStats {
  return {
    exchanges: a.exchanges + b.exchanges,
    unrecorded: a.unrecorded + b.unrecorded,
    activeExchanges: a.activeExchanges + b.activeExchanges,
    clientConnections: a.clientConnections + b.clientConnections,
    originConnections: a.originConnections + b.originConnections,
    bytesToOrigin: a.bytesToOrigin + b.bytesToOrigin,
    bytesToClient: a.bytesToClient + b.bytesToClient,
    losses: {
      truncatedBodies: a.losses.truncatedBodies + b.losses.truncatedBodies,
      droppedBodies: a.losses.droppedBodies + b.losses.droppedBodies,
      droppedExchanges: a.losses.droppedExchanges + b.losses.droppedExchanges,
    },
  };
}
