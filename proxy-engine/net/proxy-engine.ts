import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { CaptureTap } from '../capture/create-tap.ts';
import type { CaptureLosses } from '../capture/tap.ts';
import type { EngineConfig, EngineSettings, ListenerConfig, ListenerInfo } from '../model/engine-config.ts';
import type { Counters, PipelineContext } from '../pipeline/context.ts';
import { Lifetimes } from '../pipeline/lifetimes.ts';
import { Pacing } from '../pipeline/pacing.ts';
import { ClientDoor } from './client-door.ts';
import type { Doorkeeping, LeafSource } from './doorkeeping.ts';
import { GuestList } from './guest-list.ts';
import { KeyLog } from './key-log.ts';
import { openListener, openUdpListener, type OpenListener } from './listener.ts';
import { OriginPool } from './origin-pool.ts';
import { OriginTls } from './origin-tls.ts';
import { Outbound } from './outbound.ts';
import { OwnAddresses } from './own-addresses.ts';
import { Refusals } from './refusals.ts';
import { SystemClock } from './system-clock.ts';
import type { ChainReader } from './tls-facts.ts';
import { isLocalAddress } from './visitor.ts';

/** What makes a Sec-WebSocket-Accept of a key (RFC 6455 §1.3). */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Pace of the coarse clock, and with it of every deadline, ms. */
const TICK_MS = 100;

/** What other folders of the engine contribute; handed in because folders of one level do not know each other. */
export interface EngineParts {
  readonly tap: CaptureTap;
  readonly leaves: LeafSource;
  readonly readChain: ChainReader;
  /** Hears of each other machine that was turned away, once. */
  readonly onUnknownClient?: ((address: string) => void) | undefined;
  /** Whether an address is this machine's; replaced in tests. */
  readonly isLocalClient?: ((address: string) => boolean) | undefined;
}

/** Listeners, clients, origins and the clock of one engine: see `Engine` for what its methods promise. */
export class ProxyEngine {
  readonly #config: EngineConfig;
  readonly #tap: CaptureTap;
  readonly #clock = new SystemClock();
  readonly #lifetimes = new Lifetimes();
  readonly #pacing: Pacing;
  readonly #own = new OwnAddresses();
  readonly #ownUdp = new OwnAddresses();
  readonly #tls: OriginTls;
  readonly #outbound: Outbound;
  readonly #pool: OriginPool;
  readonly #keyLog: KeyLog | null;
  readonly #guestList: GuestList;
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
    this.#tls = new OriginTls(() => this.#settings, parts.readChain, this.#keyLog);
    this.#outbound = new Outbound({
      settings: () => this.#settings,
      own: this.#own,
      ownUdp: this.#ownUdp,
      tls: this.#tls,
      instance: config.instance,
      watch: (socket) => {
        this.#watch(socket);
      },
    });
    this.#pool = new OriginPool(this.#outbound, this.#tls);
    this.#guestList = new GuestList(
      config.settings.approvedClients,
      parts.isLocalClient ?? isLocalAddress,
      (address) => {
        parts.onUnknownClient?.(address);
      },
    );
    const context = this.#createContext();
    this.#pool.join(context);
    this.#keeping = {
      context,
      leaves: parts.leaves,
      keyLog: this.#keyLog,
      outbound: this.#outbound,
      guestList: this.#guestList,
      refusals: new Refusals(
        () => this.#settings,
        () => this.#clock.coarse,
      ),
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

  prepare(): Promise<void> {
    return this.#tls.prepare();
  }

  async addListeners(configs: readonly ListenerConfig[]): Promise<readonly ListenerInfo[]> {
    const opened: OpenListener[] = [];
    try {
      for (const config of configs) opened.push(await this.#openListener(config));
    } catch (error: unknown) {
      for (const listener of opened) listener.close();
      throw error;
    }
    for (const { config, info } of opened) this.#ownOf(config).add(info.address, info.port);
    this.#listeners.push(...opened);
    return opened.map(({ info }) => info);
  }

  async removeListeners(infos: readonly ListenerInfo[]): Promise<void> {
    const isNamed = ({ info }: OpenListener): boolean =>
      infos.some(({ mode, address, port }) => mode === info.mode && address === info.address && port === info.port);
    const removed = this.#listeners.filter(isNamed);
    this.#listeners = this.#listeners.filter((listener) => !isNamed(listener));
    for (const { config, info, close } of removed) {
      this.#ownOf(config).remove(info.address, info.port);
      close();
    }
    return Promise.resolve();
  }

  configure(settings: EngineSettings): void {
    const before = this.#settings;
    this.#settings = settings;
    this.#guestList.approve(settings.approvedClients);
    this.#tap.setRecordedBodyBytes(settings.limits.recordedBodyBytes);
    if (!sameWay(before, settings)) {
      this.#tls.distrust();
      this.#outbound.configure();
      this.#pool.distrust();
    }
  }

  useAuthority(authority: { readonly certificate: string; readonly key: string }): void {
    this.#keeping.leaves.useAuthority(authority);
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
    // Sessions of UDP end with their listener, once they had their time.
    const udp = this.#listeners.filter(({ config }) => config.mode.kind === 'udp');
    for (const listener of this.#listeners) if (!udp.includes(listener)) listener.close();
    this.#listeners = [];
    this.#lifetimes.drain();
    this.#pool.closeIdle();
    this.#outbound.stop();
    await this.#untilSilent(drainMs);
    for (const listener of udp) listener.close();
    this.#lifetimes.stop();
    this.#pool.closeIdle();
    await this.#untilSilent(FAREWELL_MS);
    for (const socket of this.#sockets) socket.destroy();
    await this.#untilSilent(FAREWELL_MS);
    clearInterval(this.#ticker);
    this.#tap.flush();
    await this.#keyLog?.close();
  }

  #ownOf({ mode }: ListenerConfig): OwnAddresses {
    return mode.kind === 'udp' ? this.#ownUdp : this.#own;
  }

  #openListener(config: ListenerConfig): Promise<OpenListener> {
    const { sharedPorts } = this.#config;
    if (config.mode.kind === 'udp') return openUdpListener(this.#keeping, config, config.mode, sharedPorts);
    return openListener(config, sharedPorts, (socket) => {
      this.#watch(socket);
      this.#counters.clientConnections += 1;
      socket.once('close', () => {
        this.#counters.clientConnections -= 1;
      });
      ClientDoor.open(this.#keeping, config.mode, socket);
    });
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
    const marker = (): string | null => this.#outbound.loopMarker;
    return {
      clock: this.#clock,
      tap: this.#tap,
      origins: this.#pool,
      lifetimes: this.#lifetimes,
      pacing: this.#pacing,
      counters: this.#counters,
      get loopMarker() {
        return marker();
      },
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
      webSocketKey: () => randomBytes(16).toString('base64'),
      webSocketAccept: (key) => createHash('sha1').update(`${key}${WEBSOCKET_GUID}`, 'latin1').digest('base64'),
    };
  }
}

/** How long the last answers and closes may take once everything was told to end, ms. */
const FAREWELL_MS = 100;

/** Whether origins are reached and trusted as before. */
function sameWay(before: EngineSettings, after: EngineSettings): boolean {
  const way = (settings: EngineSettings): string =>
    JSON.stringify([
      settings.insecure,
      settings.trustedHosts,
      settings.originCertificateAuthorities,
      settings.upstreamProxy,
      settings.upstreamRules,
      settings.noProxy,
      settings.legacyHosts,
      settings.clientCertificates,
    ]);
  return way(before) === way(after);
}
