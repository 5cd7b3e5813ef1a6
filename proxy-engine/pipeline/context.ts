import type { Tap } from '../capture/tap.ts';
import type { EngineSettings } from '../model/engine-config.ts';
import type { ConnectionId, ExchangeId } from '../model/ids.ts';
import type { Clock } from './clock.ts';
import type { Lifetimes } from './lifetimes.ts';
import type { Origins } from './origins.ts';
import type { Pacing } from './pacing.ts';

/** What the engine counts; see `EngineStats`. */
export interface Counters {
  exchanges: number;
  unrecorded: number;
  activeExchanges: number;
  clientConnections: number;
  originConnections: number;
  bytesToOrigin: number;
  bytesToClient: number;
}

/** What every part of the pipeline shares within one engine. */
export interface PipelineContext {
  readonly clock: Clock;
  readonly tap: Tap;
  readonly origins: Origins;
  readonly lifetimes: Lifetimes;
  readonly counters: Counters;
  readonly pacing: Pacing;
  /** What `Via` holds of requests that came round through upstream proxies; null while there are none. */
  readonly loopMarker: string | null;
  /** Replaced as a whole by `configure`; read when something begins. */
  readonly settings: EngineSettings;
  /** The engine is stopping: no connection is kept open for another exchange. */
  readonly draining: boolean;
  /** Runs a task once everything that has arrived by now was read. */
  soon(task: () => void): void;
  takeExchangeId(): ExchangeId;
  takeConnectionId(): ConnectionId;
  /** A new Sec-WebSocket-Key, for handshakes that Weir itself makes (RFC 6455 §4.1). */
  webSocketKey(): string;
  /** The Sec-WebSocket-Accept that answers a key (RFC 6455 §4.2.2). */
  webSocketAccept(key: string): string;
}
