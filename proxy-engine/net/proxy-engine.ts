import type { Socket } from 'node:net';
import type { CaptureTap } from '../capture/create-tap.ts';
import type { CaptureLosses } from '../capture/tap.ts';
import type { EngineConfig, EngineSettings, ListenerConfig, ListenerInfo } from '../model/engine-config.ts';
import type { Counters, PipelineContext } from '../pipeline/context.ts';
import { Lifetimes } from '../pipeline/lifetimes.ts';
import { Pacing } from '../pipeline/pacing.ts';
import { ClientDoor } from './client-door.ts';
import { Dial, type DialObserver } from './dialer.ts';
import type { Doorkeeping, LeafSource } from './doorkeeping.ts';
import { KeyLog } from './key-log.ts';
import { openListener, type OpenListener } from './listener.ts';
import { OriginPool } from './origin-pool.ts';
import { OriginTls } from './origin-tls.ts';
import { OwnAddresses } from './own-addresses.ts';
import { HostResolver } from './resolver.ts';
import { SystemClock } from './system-clock.ts';
import type { ChainReader } from './tls-facts.ts';

/** Pace of the coarse clock, and with it of every deadline, ms. */
const TICK_MS = 100;

/** What other folders of the engine contribute; handed in because folders of one level do not know each other. */
export interface EngineParts {
  readonly tap: CaptureTap;
  readonly leaves: LeafSource;
  readonly readChain: ChainReader;
}

/** Listeners, clients, origins and the clock of one engine: see `Engine` for what its methods promise. */
export class ProxyEngine {
  readonly #config: EngineConfig;
  readonly #tap: CaptureTap;
  readonly #clock = new SystemClock();
  readonly #lifetimes = new Lifetimes();
  readonly #pacing: Pacing;
  readonly #own = new OwnAddresses();
  readonly #resolver = new HostResolver();
  readonly #tls: OriginTls;
  readonly #pool: OriginPool;
  readonly #keyLog: KeyLog | null;
  readonly #keeping: Doorkeeping;
  readonly #sockets = new Set<Socket>();
  readonly #ticker: NodeJS.Timeout;
  readonly #counters: Counters = {
    exchanges: 0,
    unrecorded: 0,
    activeExchanges: 0,
    clientConnections: 0,
    originConnections: 0,
    bytesToOrigin: 0,
    bytesToClient: 0,
  };
  #listeners: OpenListener[] = [];
  #settings: EngineSettings;
  #nextExchangeId: number;
  #nextConnectionId: number;
  #draining = false;
  #onLastSocket: (() => void) | null = null;

  constructor(config: EngineConfig, parts: EngineParts) {
    this.#config = config;
    this.#settings = config.settings;
    this.#tap = parts.tap;
    this.#pacing = new Pacing(this.#clock);
    this.#nextExchangeId = config.firstExchangeId;
    this.#nextConnectionId = config.firstConnectionId;
    for (const address of config.ownAddresses) this.#own.addText(address);
    this.#keyLog = config.keyLogFile === null ? null : new KeyLog(config.keyLogFile);
    this.#tls = new OriginTls(parts.readChain, this.#keyLog);
    this.#pool = new OriginPool((host, port, observer) => this.#dial(host, port, observer), this.#tls);
    const context = this.#createContext();
    this.#pool.join(context);
    this.#keeping = {
      context,
      leaves: parts.leaves,
      keyLog: this.#keyLog,
      dialOrigin: (host, port, observer) => this.#dial(host, port, observer),
      learnProtocol: (route, onKnown) => this.#pool.learn(route, onKnown),
    };
    this.#ticker = setInterval(() => {
      const now = this.#clock.tick();
      this.#lifetimes.tick(now);
      this.#pacing.tick();
      this.#pool.sweep(now);
    }, TICK_MS);
    this.#ticker.unref();
  }

  async listen(): Promise<readonly ListenerInfo[]> {
    return this.addListeners(this.#config.listeners);
  }

  async addListeners(configs: readonly ListenerConfig[]): Promise<readonly ListenerInfo[]> {
    const opened: OpenListener[] = [];
    try {
      for (const config of configs) opened.push(await this.#openListener(config));
    } catch (error: unknown) {
      for (const listener of opened) listener.server.close();
      throw error;
    }
    for (const { info } of opened) this.#own.add(info.address, info.port);
    this.#listeners.push(...opened);
    return opened.map(({ info }) => info);
  }

  async removeListeners(infos: readonly ListenerInfo[]): Promise<void> {
    const isNamed = ({ info }: OpenListener): boolean =>
      infos.some(({ address, port }) => address === info.address && port === info.port);
    const removed = this.#listeners.filter(isNamed);
    this.#listeners = this.#listeners.filter((listener) => !isNamed(listener));
    for (const { info, server } of removed) {
      this.#own.remove(info.address, info.port);
      // Its callback waits for every connection; the port is free as soon as `close` has been called.
      server.close();
    }
    return Promise.resolve();
  }

  configure(settings: EngineSettings): void {
    const before = this.#settings;
    this.#settings = settings;
    this.#tap.setRecordedBodyBytes(settings.limits.recordedBodyBytes);
    if (!sameTrust(before, settings)) {
      this.#tls.distrust();
      this.#pool.distrust();
    }
  }

  setRecording(on: boolean): void {
    this.#tap.setRecording(on && this.#config.capture);
  }

  returnCaptureCredit(bytes: number, slabs: readonly ArrayBuffer[] = []): void {
    this.#tap.returnCredit(bytes, slabs);
    this.#pacing.onCredit();
  }

  flushCapture(): void {
    this.#tap.flush();
  }

  stats(): Counters & { readonly losses: CaptureLosses } {
    return { ...this.#counters, losses: this.#tap.losses };
  }

  async stop(drainMs: number): Promise<void> {
    this.#draining = true;
    for (const { server } of this.#listeners) server.close();
    this.#listeners = [];
    this.#lifetimes.drain();
    this.#pool.closeIdle();
    await this.#untilSilent(drainMs);
    this.#lifetimes.stop();
    this.#pool.closeIdle();
    await this.#untilSilent(FAREWELL_MS);
    for (const socket of this.#sockets) socket.destroy();
    await this.#untilSilent(FAREWELL_MS);
    clearInterval(this.#ticker);
    this.#tap.flush();
    await this.#keyLog?.close();
  }

  #openListener(config: ListenerConfig): Promise<OpenListener> {
    return openListener(config, this.#config.sharedPorts, (socket) => {
      this.#watch(socket);
      this.#counters.clientConnections += 1;
      socket.once('close', () => {
        this.#counters.clientConnections -= 1;
      });
      ClientDoor.open(this.#keeping, config.mode, socket);
    });
  }

  #dial(host: string, port: number, observer: DialObserver): () => void {
    const override = Object.hasOwn(this.#settings.hostOverrides, host) ? this.#settings.hostOverrides[host] : undefined;
    const place = override === undefined ? { host, port } : splitOverride(override, port);
    const dial = new Dial(
      place.host,
      place.port,
      this.#settings.timeouts,
      this.#resolver,
      (address, at) => this.#own.has(address, at),
      {
        onResolved: () => {
          observer.onResolved();
        },
        onConnected: (socket) => {
          this.#watch(socket);
          observer.onConnected(socket);
        },
        onFailed: (reason) => {
          observer.onFailed(reason);
        },
      },
    );
    return () => {
      dial.cancel();
    };
  }

  /** Keeps account of every socket, so that stopping can wait for the last and end what does not end by itself. */
  #watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#onLastSocket?.();
    });
  }

  #untilSilent(limitMs: number): Promise<void> {
    if (this.#sockets.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onLastSocket = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #createContext(): PipelineContext {
    const settings = (): EngineSettings => this.#settings;
    const isDraining = (): boolean => this.#draining;
    return {
      clock: this.#clock,
      tap: this.#tap,
      origins: this.#pool,
      lifetimes: this.#lifetimes,
      pacing: this.#pacing,
      counters: this.#counters,
      get settings() {
        return settings();
      },
      get draining() {
        return isDraining();
      },
      soon: (task) => {
        setImmediate(task);
      },
      takeExchangeId: () => {
        const id = this.#nextExchangeId;
        this.#nextExchangeId += this.#config.idStep;
        return id;
      },
      takeConnectionId: () => {
        const id = this.#nextConnectionId;
        this.#nextConnectionId += this.#config.idStep;
        return id;
      },
    };
  }
}

/** How long the last answers and closes may take once everything was told to end, ms. */
const FAREWELL_MS = 100;

/** @param text `host:port`, or a host alone that keeps the port */
function splitOverride(text: string, port: number): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text);
  if (match === null) return { host: text, port };
  return { host: match[1] ?? match[2] ?? text, port: match[3] === undefined ? port : Number.parseInt(match[3], 10) };
}

function sameTrust(before: EngineSettings, after: EngineSettings): boolean {
  const trust = (settings: EngineSettings): string =>
    JSON.stringify([settings.insecure, settings.trustedHosts, settings.originCertificateAuthorities]);
  return trust(before) === trust(after);
}
