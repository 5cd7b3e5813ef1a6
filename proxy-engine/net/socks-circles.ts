import { randomBytes } from 'node:crypto';
import type { UpstreamProxy } from '../model/upstream-proxy.ts';
import { formatAddress } from './addresses.ts';
import type { DialFailure } from './dialer.ts';

/** As many ways to one place through one proxy at once make it worth asking whether they go round. */
const SUSPICIOUS_WAYS = 16;
/** An answer to that holds for so long, and a probe may take so long, ms. */
const REMEMBERED_MS = 60_000;
const PROBE_MS = 10_000;
/** Never resolved (RFC 6761 §6.4): a probe that comes to its end finds nobody. */
const PROBE_DOMAIN = '.weir-loop.invalid';

/**
 * Opens a way to a name that nobody has.
 * @param onOver called once, when it failed
 * @returns ends it
 */
export type Probe = (proxy: UpstreamProxy, host: string, onOver: () => void) => () => void;

/** What is known of one proxy. */
interface ProxyState {
  /** Ways that stand or are being opened, by where they lead. */
  readonly ways: Map<string, number>;
  /** No probe is sent before that, ms. */
  nextProbe: number;
  /** It is known to lead back to us until then, ms. */
  circleUntil: number;
}

/**
 * Finds upstream proxies of SOCKS that lead back to Weir (rule 44). SOCKS has no place for a mark: once suspiciously many ways
 * to one place go through one proxy, it is asked for a name that was made up for the purpose. When somebody asks one of our
 * own doors for that name, the circle is proven, and nothing goes through that proxy for a while.
 */
export class SocksCircles {
  readonly #probe: Probe;
  readonly #now: () => number;
  readonly #proxies = new Map<string, ProxyState>();
  /** Probes under way: what to do when one comes back, by name. */
  readonly #probes = new Map<string, () => void>();

  /** @param now milliseconds */
  constructor(probe: Probe, now: () => number) {
    this.#probe = probe;
    this.#now = now;
  }

  /** Why nothing goes through that proxy at present; null when it may. */
  failureOf(proxy: UpstreamProxy): DialFailure | null {
    const { host, port } = proxy;
    const state = this.#proxies.get(formatAddress(host, port));
    if (state === undefined || state.circleUntil <= this.#now()) return null;
    return {
      code: 'loop.marker',
      message: `The upstream proxy ${formatAddress(host, port)} leads back to Weir; the request would go round for ever.`,
    };
  }

  /**
   * A way is being opened through a proxy.
   * @returns to be called once when it has ended
   */
  enter(proxy: UpstreamProxy, target: { readonly host: string; readonly port: number }): () => void {
    const name = formatAddress(proxy.host, proxy.port);
    const state = this.#stateOf(name);
    const place = formatAddress(target.host, target.port);
    const ways = (state.ways.get(place) ?? 0) + 1;
    state.ways.set(place, ways);
    if (ways >= SUSPICIOUS_WAYS && state.nextProbe <= this.#now()) this.#ask(proxy, state);
    return () => {
      const left = (state.ways.get(place) ?? 1) - 1;
      if (left > 0) state.ways.set(place, left);
      else state.ways.delete(place);
      if (state.ways.size === 0 && Math.max(state.nextProbe, state.circleUntil) <= this.#now()) {
        this.#proxies.delete(name);
      }
    };
  }

  /** Whether a client asks for a name of ours, which proves a circle. Such a request goes nowhere. */
  recognises(host: string): boolean {
    if (!host.endsWith(PROBE_DOMAIN)) return false;
    const onBack = this.#probes.get(host);
    onBack?.();
    return onBack !== undefined;
  }

  #stateOf(name: string): ProxyState {
    let state = this.#proxies.get(name);
    if (state === undefined) {
      state = { ways: new Map(), nextProbe: 0, circleUntil: 0 };
      this.#proxies.set(name, state);
    }
    return state;
  }

  #ask(proxy: UpstreamProxy, state: ProxyState): void {
    state.nextProbe = this.#now() + REMEMBERED_MS;
    const host = `${randomBytes(16).toString('hex')}${PROBE_DOMAIN}`;
    const over = (): void => {
      clearTimeout(timer);
      this.#probes.delete(host);
    };
    const timer = setTimeout(() => {
      over();
      end();
    }, PROBE_MS);
    timer.unref();
    this.#probes.set(host, () => {
      state.circleUntil = this.#now() + REMEMBERED_MS;
      over();
      end();
    });
    const end = this.#probe(proxy, host, over);
  }
}
