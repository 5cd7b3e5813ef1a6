import type { CaptureLosses } from './capture/tap.ts';
import type { ConnectionId } from './model/ids.ts';
import type { EngineSettings, ListenerConfig, ListenerInfo } from './model/engine-config.ts';

/** Counters since the engine began, and gauges as of now. */
export interface EngineStats {
  readonly exchanges: number;
  /** Exchanges that passed while recording was paused. */
  readonly unrecorded: number;
  readonly activeExchanges: number;
  readonly clientConnections: number;
  readonly originConnections: number;
  readonly bytesToOrigin: number;
  readonly bytesToClient: number;
  readonly losses: CaptureLosses;
}

/** What an engine tells by itself. */
export interface EngineObserver {
  /** Another machine was turned away because nobody has approved it; told once for each address. */
  readonly onUnknownClient?: ((address: string) => void) | undefined;
  /** A client's connection is in use for the first time and is recorded; told once for each. */
  readonly onClient?: ((connection: ConnectionId, address: string) => void) | undefined;
  /** Whether an address is this machine's; the system is asked when absent. */
  readonly isLocalClient?: ((address: string) => boolean) | undefined;
}

/** A running engine. Everything is asynchronous to its traffic: no call here makes traffic wait. */
export interface Engine {
  /**
   * Opens every configured listener, or none.
   * @throws ListenError when an address cannot be listened on; the message says which and what to do
   */
  listen(): Promise<readonly ListenerInfo[]>;
  /** Does ahead what the first connection to a TLS origin would wait for; some hundred milliseconds of work. */
  prepare(): Promise<void>;
  /** Adds listeners to a running engine; same errors. */
  addListeners(listeners: readonly ListenerConfig[]): Promise<readonly ListenerInfo[]>;
  /** Stops accepting on these; connections that they accepted go on. Unknown ones are ignored. */
  removeListeners(listeners: readonly ListenerInfo[]): Promise<void>;
  /** New settings apply to what begins afterwards. */
  configure(settings: EngineSettings): void;
  /**
   * Leaves of what connects from now on are signed by another authority, PEM; connections that are open go on.
   * @throws PkiError when it cannot sign
   */
  useAuthority(authority: { readonly certificate: string; readonly key: string }): void;
  setRecording(on: boolean): void;
  /** The store took this many bytes of batches; capture may hand over as many more. Buffers given back are used again. */
  returnCaptureCredit(bytes: number, slabs?: readonly ArrayBuffer[]): void;
  /** Hands over what the tap holds now. */
  flushCapture(): void;
  stats(): EngineStats;
  /** Stops accepting, lets exchanges finish for up to `drainMs`, then cuts them; resolves when every socket is closed. */
  stop(drainMs: number): Promise<void>;
}
