import type { ConnectionRecord } from '../capture/tap.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { Http1Origin } from '../pipeline/http1-origin.ts';
import { Http2Origin } from '../pipeline/http2-origin.ts';
import type { OriginProtocol, OriginRoute, Origins, OriginWaiter, RouteOptions } from '../pipeline/origins.ts';
import { dialOrigin } from './origin-dial.ts';
import type { OriginTls, SecureOrigin } from './origin-tls.ts';
import type { Outbound } from './outbound.ts';
import { SharedDial } from './shared-dial.ts';
import { UpgradeDial } from './upgrade-dial.ts';

/** How often idle connections are looked at, ms of the coarse clock. */
const SWEEP_EVERY_MS = 1_000;
/** A route without connections is forgotten after this, ms. */
const ROUTE_KEPT_MS = 60_000;

/** Origins whose protocol is remembered. */
const REMEMBERED = 4_096;
/** A failure that nobody waited for is told to whoever asks within this, instead of being found out once more, ms. */
const FAILURE_KEPT_MS = 2_000;

interface FailedDial {
  readonly error: ExchangeError;
  readonly connection: ConnectionRecord | null;
  /** Coarse milliseconds. */
  readonly until: number;
}

interface PooledRoute extends OriginRoute {
  readonly key: string;
  readonly tunnelled: boolean;
  /** Whoever asks for this place gets this route; false when settings changed or nobody had asked for long. */
  isCurrent: boolean;
  /** The one that was used last stands last. */
  readonly idle: Http1Origin[];
  /** Connections that many exchanges share. */
  readonly shared: Http2Origin[];
  /** The dial that whoever comes may wait for, while it is not known that the origin speaks HTTP/1. */
  dial: SharedDial | null;
  failed: FailedDial | null;
  /** Whether its origin takes extended CONNECT; null until one connection has told. */
  takesUpgrades: boolean | null;
  /** Coarse milliseconds of the last look-up. */
  usedAt: number;
}

/**
 * Connections to origins: kept by route while idle, newest first out, so that the rest can grow old and be closed. One
 * sweep a second looks at all of them; none has a timer of its own.
 */
export class OriginPool implements Origins {
  readonly #outbound: Outbound;
  readonly #tls: OriginTls;
  readonly #routes = new Map<string, PooledRoute>();
  /** What origins speak, by route. */
  readonly #spoken = new Map<string, OriginProtocol>();
  #context: PipelineContext | null = null;
  #last: PooledRoute | null = null;
  #nextSweep = 0;
  /** Connections with lower ids were verified by settings that no longer hold. */
  #trustedFrom = 0;

  constructor(outbound: Outbound, tls: OriginTls) {
    this.#outbound = outbound;
    this.#tls = tls;
  }

  /** Called once, before anything else: the context names the pool and the pool works within the context. */
  join(context: PipelineContext): void {
    this.#context = context;
  }

  get #joined(): PipelineContext {
    if (this.#context === null) throw new Error('The pool has not joined an engine yet.');
    return this.#context;
  }

  route(scheme: 'http' | 'https', host: string, port: number, options: RouteOptions): PooledRoute {
    const { serverName = host, priorKnowledge = false, restricted = false, tunnelled = false, via = '' } = options;
    const last = this.#last;
    if (
      last !== null &&
      last.port === port &&
      last.host === host &&
      last.scheme === scheme &&
      last.serverName === serverName &&
      last.priorKnowledge === priorKnowledge &&
      last.restricted === restricted &&
      last.via === via &&
      last.tunnelled === tunnelled
    ) {
      return last;
    }
    const upstream = this.#outbound.upstreamKey(host, port);
    const kind = `${priorKnowledge ? 'h2c' : scheme}${restricted ? ' restricted' : ''}${tunnelled ? ' tunnelled' : ''}`;
    const key = `${kind} ${host} ${String(port)} ${serverName} ${upstream} ${via}`;
    let route = this.#routes.get(key);
    if (route === undefined) {
      const isForwarded = scheme === 'http' && !priorKnowledge && !tunnelled;
      const forwardLines = isForwarded ? this.#outbound.forwardLines(host, port, via) : null;
      const place = { scheme, host, port, serverName, priorKnowledge, restricted, via, tunnelled, forwardLines };
      route = {
        ...place,
        key,
        usedAt: 0,
        isCurrent: true,
        idle: [],
        shared: [],
        dial: null,
        failed: null,
        takesUpgrades: null,
      };
      this.#routes.set(key, route);
    }
    route.usedAt = this.#joined.clock.coarse;
    this.#last = route;
    return route;
  }

  mayUpgrade(route: OriginRoute | null): boolean {
    return route === null || !route.priorKnowledge || pooled(route).takesUpgrades !== false;
  }

  take(route: OriginRoute, upgradesBy: OriginProtocol | null): Http1Origin | null {
    const { idle, shared } = pooled(route);
    if (shared.length > 0 && upgradesBy !== 'http/1.1') {
      for (const connection of shared) {
        if (connection.canOpen && (upgradesBy === null || connection.takesUpgrades === true))
          return connection.openStream();
      }
    }
    return idle.pop() ?? null;
  }

  requireHttp1(route: OriginRoute): void {
    if (!route.priorKnowledge) this.#remember(pooled(route), 'http/1.1');
  }

  dial(route: OriginRoute, waiter: OriginWaiter, upgradesBy: OriginProtocol | null): () => void {
    const target = pooled(route);
    if (!this.#mayShare(target)) return this.#dialAlone(target, waiter);
    if (upgradesBy === null) return this.#dialToShare(target, waiter);
    return UpgradeDial.begin(upgradesBy, waiter, {
      route: target,
      shared: target.shared,
      dialAlone: (alone) => this.#dialAlone(target, alone),
      dialToShare: (sharing) => this.#dialToShare(target, sharing),
    });
  }

  #dialToShare(target: PooledRoute, waiter: OriginWaiter): () => void {
    if (this.#tellFailure(target, waiter)) return () => undefined;
    const dial = this.#shareDial(target);
    // One that failed at once, as where the answer of a look-up is known, did so before it could be waited for.
    if (target.dial !== dial && this.#tellFailure(target, waiter)) return () => undefined;
    const leave = dial.join(waiter);
    return () => {
      leave();
      this.#abandon(target, dial);
    };
  }

  /** Tells the first exchange that comes why the last dial failed, for which nobody waited. Returns whether there was one. */
  #tellFailure(target: PooledRoute, waiter: OriginWaiter): boolean {
    const { failed } = target;
    target.failed = null;
    if (failed === null || failed.until <= this.#joined.clock.coarse) return false;
    waiter.onOriginFailed(failed.error, failed.connection);
    return true;
  }

  /**
   * Learns what an origin speaks: from what is known, else by a connection that the first exchange then gets. `onKnown` is
   * called with null when the origin cannot be reached; the first exchange is told why. Returns a way to give up.
   */
  learn(route: OriginRoute, onKnown: (protocol: OriginProtocol | null) => void): () => void {
    const target = pooled(route);
    const known = this.#protocolOf(target);
    if (known !== null) {
      onKnown(known);
      return () => undefined;
    }
    const dial = this.#shareDial(target);
    const ask = (): void => {
      onKnown(this.#protocolOf(target));
    };
    // A dial that failed at once has said so before anybody could ask.
    if (target.dial !== dial) {
      ask();
      return () => undefined;
    }
    dial.askers.add(ask);
    return () => {
      dial.askers.delete(ask);
      this.#abandon(target, dial);
    };
  }

  release(origin: Http1Origin): void {
    const { limits } = this.#joined.settings;
    if (origin.translation !== null) {
      origin.discard(false);
      return;
    }
    const { idle, isCurrent } = pooled(origin.route);
    const isUsable = isCurrent && !origin.isGone && origin.id >= this.#trustedFrom;
    if (!isUsable || this.#joined.draining || limits.idlePerOrigin === 0) {
      origin.discard(false);
      return;
    }
    if (idle.length >= limits.idlePerOrigin) idle.shift()?.discard(false);
    origin.idleSince = this.#joined.clock.coarse;
    idle.push(origin);
  }

  forget(origin: Http1Origin): void {
    const idle = pooled(origin.route).idle;
    const at = idle.lastIndexOf(origin);
    if (at !== -1) idle.splice(at, 1);
  }

  /** Trust or the way changed: what was verified and reached before is not used again. */
  distrust(): void {
    this.#trustedFrom = this.#joined.takeConnectionId();
    this.closeIdle();
    for (const route of this.#routes.values()) route.isCurrent = false;
    this.#routes.clear();
    this.#last = null;
  }

  closeIdle(): void {
    for (const route of this.#routes.values()) {
      for (const origin of route.idle.splice(0)) origin.discard(false);
      for (const connection of [...route.shared]) connection.retire();
    }
  }

  /** Closes what has been idle for too long; called often, works rarely. */
  sweep(now: number): void {
    if (now < this.#nextSweep) return;
    this.#nextSweep = now + SWEEP_EVERY_MS;
    const kept = this.#joined.settings.timeouts.originKeepAlive;
    for (const [key, route] of this.#routes) {
      while (kept > 0 && route.idle[0] !== undefined && route.idle[0].idleSince + kept <= now) {
        route.idle.shift()?.discard(false);
      }
      for (const connection of [...route.shared]) {
        if (kept > 0 && connection.isIdle && connection.idleSince + kept <= now) connection.retire();
      }
      const isBusy = route.idle.length > 0 || route.shared.length > 0 || route.dial !== null;
      if (isBusy || route.usedAt + ROUTE_KEPT_MS > now) continue;
      // Whoever still holds the route can go on using it; it only is no longer shared.
      route.isCurrent = false;
      this.#routes.delete(key);
      if (this.#last === route) this.#last = null;
    }
  }

  // ---- inside ------------------------------------------------------------------------------------------------------

  #protocolOf(route: PooledRoute): OriginProtocol | null {
    if (route.scheme === 'http') return route.priorKnowledge ? 'h2' : 'http/1.1';
    return this.#spoken.get(route.key) ?? null;
  }

  #remember(route: PooledRoute, protocol: OriginProtocol): void {
    if (route.scheme === 'http') return;
    this.#spoken.delete(route.key);
    this.#spoken.set(route.key, protocol);
    if (this.#spoken.size <= REMEMBERED) return;
    const [oldest] = this.#spoken.keys();
    if (oldest !== undefined) this.#spoken.delete(oldest);
  }

  /** Whether its next connection may be one for many: not when it is known to speak HTTP/1. */
  #mayShare(route: PooledRoute): boolean {
    return this.#protocolOf(route) !== 'http/1.1';
  }

  #dialAlone(route: PooledRoute, waiter: OriginWaiter): () => void {
    return dialOrigin(this.#joined, this.#outbound, this.#tls, route, ['http/1.1'], {
      onResolved: () => {
        waiter.onResolved();
      },
      onTcpConnected: () => {
        waiter.onTcpConnected();
      },
      onConnected: (connected) => {
        waiter.onOrigin(this.#openHttp1(route, connected));
      },
      onFailed: (error, connection) => {
        waiter.onOriginFailed(error, connection);
      },
    });
  }

  #shareDial(route: PooledRoute): SharedDial {
    if (route.dial !== null) return route.dial;
    const dial = new SharedDial(
      (ended, connected) => {
        route.dial = null;
        this.#remember(route, connected.protocol);
        if (connected.protocol === 'h2') this.#serveShared(route, ended, connected);
        else this.#serveFirst(route, ended, connected);
        for (const ask of ended.askers) ask();
      },
      (ended, error, connection) => {
        route.dial = null;
        if (ended.waiters.size === 0) {
          route.failed = { error, connection, until: this.#joined.clock.coarse + FAILURE_KEPT_MS };
        }
        for (const waiter of ended.waiters) waiter.onOriginFailed(error, connection);
        for (const ask of ended.askers) ask();
      },
    );
    route.dial = dial;
    dial.cancel = dialOrigin(this.#joined, this.#outbound, this.#tls, route, ['h2', 'http/1.1'], dial);
    return dial;
  }

  #abandon(route: PooledRoute, dial: SharedDial): void {
    if (route.dial !== dial || dial.waiters.size > 0 || dial.askers.size > 0) return;
    route.dial = null;
    dial.cancel();
  }

  #serveShared(route: PooledRoute, dial: SharedDial, { id, link, describe }: SecureOrigin): void {
    const connection = new Http2Origin(this.#joined, link, route, describe, id, (gone) => {
      const at = route.shared.indexOf(gone);
      if (at !== -1) route.shared.splice(at, 1);
    });
    route.shared.push(connection);
    connection.onceKnown(() => {
      route.takesUpgrades = connection.takesUpgrades;
    });
    link.resume();
    for (const waiter of dial.waiters) waiter.onOrigin(connection.openStream());
  }

  /** It speaks HTTP/1 after all: one gets the connection, the others their own. */
  #serveFirst(route: PooledRoute, dial: SharedDial, connected: SecureOrigin): void {
    const [first, ...others] = dial.waiters;
    const origin = this.#openHttp1(route, connected);
    if (first === undefined) this.release(origin);
    else first.onOrigin(origin);
    for (const waiter of others) this.#redial(route, waiter);
  }

  #redial(route: PooledRoute, waiter: OriginWaiter): void {
    waiter.onRedialled(this.#dialAlone(route, waiter));
  }

  #openHttp1(route: PooledRoute, { id, link, describe }: SecureOrigin): Http1Origin {
    const origin = new Http1Origin(this.#joined, link, route, describe, id);
    link.resume();
    return origin;
  }
}

/** Routes are made by the pool alone, so each has its places. */
function pooled(route: OriginRoute): PooledRoute {
  return route as PooledRoute;
}
