import type { PipelineContext } from '../pipeline/context.ts';
import { failure } from '../pipeline/failures.ts';
import { Http1Origin } from '../pipeline/http1-origin.ts';
import { DEAF } from '../pipeline/link.ts';
import type { OriginRoute, Origins, OriginWaiter } from '../pipeline/origins.ts';
import { remoteAddress } from './addresses.ts';
import type { DialOrigin } from './dialer.ts';
import type { OriginTls } from './origin-tls.ts';
import { SocketLink } from './socket-link.ts';

/** How often idle connections are looked at, ms of the coarse clock. */
const SWEEP_EVERY_MS = 1_000;
/** A route without connections is forgotten after this, ms. */
const ROUTE_KEPT_MS = 60_000;

interface PooledRoute extends OriginRoute {
  /** The one that was used last stands last. */
  readonly idle: Http1Origin[];
  /** Coarse milliseconds of the last look-up. */
  usedAt: number;
}

/**
 * Connections to origins: kept by route while idle, newest first out, so that the rest can grow old and be closed. One
 * sweep a second looks at all of them; none has a timer of its own.
 */
export class OriginPool implements Origins {
  readonly #dialOrigin: DialOrigin;
  readonly #tls: OriginTls;
  readonly #routes = new Map<string, PooledRoute>();
  #context: PipelineContext | null = null;
  #last: PooledRoute | null = null;
  #nextSweep = 0;
  /** Connections with lower ids were verified by settings that no longer hold. */
  #trustedFrom = 0;

  constructor(dialOrigin: DialOrigin, tls: OriginTls) {
    this.#dialOrigin = dialOrigin;
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

  route(scheme: 'http' | 'https', host: string, port: number, serverName: string | null): PooledRoute {
    const name = serverName ?? host;
    const last = this.#last;
    if (
      last !== null &&
      last.port === port &&
      last.host === host &&
      last.scheme === scheme &&
      last.serverName === name
    ) {
      return last;
    }
    const key = `${scheme} ${host} ${String(port)} ${name}`;
    let route = this.#routes.get(key);
    if (route === undefined) {
      route = { scheme, host, port, serverName: name, idle: [], usedAt: 0 };
      this.#routes.set(key, route);
    }
    route.usedAt = this.#joined.clock.coarse;
    this.#last = route;
    return route;
  }

  take(route: OriginRoute): Http1Origin | null {
    return idleOf(route).pop() ?? null;
  }

  dial(route: OriginRoute, waiter: OriginWaiter): () => void {
    let cancelled = false;
    let cancelTls: () => void = () => undefined;
    const context = this.#joined;
    const cancelDial = this.#dialOrigin(route.host, route.port, {
      onResolved: () => {
        waiter.onResolved();
      },
      onConnected: (socket) => {
        waiter.onTcpConnected();
        if (route.scheme === 'https') {
          cancelTls = this.#tls.secure(context, route, socket, waiter);
          return;
        }
        const id = context.takeConnectionId();
        const address = remoteAddress(socket);
        const link = new SocketLink(socket, DEAF);
        const origin = new Http1Origin(
          context,
          link,
          route,
          () => ({ id, side: 'origin', address, protocol: 'http/1.1', tls: null }),
          id,
        );
        link.resume();
        waiter.onOrigin(origin);
      },
      onFailed: ({ code, message }) => {
        if (!cancelled) waiter.onOriginFailed(failure(code, message), null);
      },
    });
    return () => {
      cancelled = true;
      cancelDial();
      cancelTls();
    };
  }

  release(origin: Http1Origin): void {
    const { limits } = this.#joined.settings;
    if (origin.isGone || origin.id < this.#trustedFrom || this.#joined.draining || limits.idlePerOrigin === 0) {
      origin.discard(false);
      return;
    }
    const idle = idleOf(origin.route);
    if (idle.length >= limits.idlePerOrigin) idle.shift()?.discard(false);
    origin.idleSince = this.#joined.clock.coarse;
    idle.push(origin);
  }

  forget(origin: Http1Origin): void {
    const idle = idleOf(origin.route);
    const at = idle.lastIndexOf(origin);
    if (at !== -1) idle.splice(at, 1);
  }

  /** Trust changed: what was verified before is not used again. */
  distrust(): void {
    this.#trustedFrom = this.#joined.takeConnectionId();
    this.closeIdle();
  }

  closeIdle(): void {
    for (const route of this.#routes.values()) {
      for (const origin of route.idle.splice(0)) origin.discard(false);
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
      if (route.idle.length > 0 || route.usedAt + ROUTE_KEPT_MS > now) continue;
      // Whoever still holds the route can go on using it; it only is no longer shared.
      this.#routes.delete(key);
      if (this.#last === route) this.#last = null;
    }
  }
}

/** Routes are made by the pool alone, so each has its idle list. */
function idleOf(route: OriginRoute): Http1Origin[] {
  return (route as PooledRoute).idle;
}
