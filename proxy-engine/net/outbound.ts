import type { Socket } from 'node:net';
import type { EngineSettings } from '../model/engine-config.ts';
import type { UpstreamProxy } from '../model/upstream-proxy.ts';
import { formatAddress } from './addresses.ts';
import { Dial, type DialFailure, type DialObserver, type DialOptions } from './dialer.ts';
import type { OriginTls } from './origin-tls.ts';
import type { OwnAddresses } from './own-addresses.ts';
import { HostResolver } from './resolver.ts';
import { SocksCircles } from './socks-circles.ts';
import { SpareConnections } from './spare-connections.ts';
import { UpstreamChoice } from './upstream-choice.ts';
import { openTunnel } from './upstream-tunnel.ts';
import { closedToOthers, nameClosedToOthers } from './visitor.ts';

const PROBE_PORT = 443;

/** What the ways out of an engine depend on. */
export interface OutboundParts {
  readonly settings: () => EngineSettings;
  readonly own: OwnAddresses;
  /** The same for datagrams. */
  readonly ownUdp: OwnAddresses;
  readonly tls: OriginTls;
  /** Name of this instance, for the marker on hops through upstream proxies. */
  readonly instance: string;
  /** Hears of every socket that is opened. */
  readonly watch: (socket: Socket) => void;
}

/** Ends with one call, unless given up. */
export interface AddressObserver {
  /** @param port the wanted one, unless the name was overridden */
  onResolved(address: string, port: number): void;
  onFailed(failure: DialFailure): void;
}

/**
 * The ways out: directly or through an upstream proxy, past our own listeners, and for clients of other machines past what
 * belongs to this machine alone.
 */
export class Outbound {
  readonly #parts: OutboundParts;
  readonly #resolver = new HostResolver();
  readonly #spares = new SpareConnections();
  readonly #circles = new SocksCircles(
    (proxy, host, onOver) => this.#probeCircle(proxy, host, onOver),
    () => performance.now(),
  );
  #choice: UpstreamChoice;

  constructor(parts: OutboundParts) {
    this.#parts = parts;
    this.#choice = new UpstreamChoice(parts.settings());
  }

  /** Settings changed. */
  configure(): void {
    this.#choice = new UpstreamChoice(this.#parts.settings());
    this.#spares.clear();
  }

  stop(): void {
    this.#spares.clear();
  }

  /** Whether a client asks for a name that only a way through an upstream proxy and back can have brought. */
  isCircling(host: string): boolean {
    return this.#circles.recognises(host);
  }

  /** What a request that came round through upstream proxies carries in `Via`; null while there are none. */
  get loopMarker(): string | null {
    return this.#choice.isAny ? `weir-${this.#parts.instance}` : null;
  }

  /** A name for the proxy that a host is reached through, for the keys of pools; empty for a direct connection. */
  upstreamKey(host: string, port: number): string {
    const proxy = this.#choice.for(host, port);
    return proxy === null ? '' : JSON.stringify(proxy);
  }

  /** Field lines for requests that an upstream proxy forwards in absolute form; null where none does. */
  forwardLines(host: string, port: number, via: string): string | null {
    const proxy = this.#choice.for(host, port);
    return proxy === null || proxy.scheme === 'socks5' ? null : this.#lines(proxy, via);
  }

  dial(host: string, port: number, observer: DialObserver, options: DialOptions): () => void {
    const spare = options.toProxy ? null : this.#spares.take(placeKey(host, port, options));
    if (spare !== null) return handOver(spare, observer);
    const { hostOverrides } = this.#parts.settings();
    const override = Object.hasOwn(hostOverrides, host) ? hostOverrides[host] : undefined;
    const place = override === undefined ? { host, port } : splitOverride(override, port);
    const proxy = this.#choice.for(host, port);
    return proxy === null
      ? this.#dialDirectly(place.host, place.port, observer, options.restricted)
      : this.#dialThrough(proxy, place, observer, options);
  }

  /**
   * Finds the address for datagrams, which go directly.
   *
   * @returns how to give up
   */
  resolve(host: string, port: number, restricted: boolean, observer: AddressObserver): () => void {
    const { hostOverrides, timeouts } = this.#parts.settings();
    const override = Object.hasOwn(hostOverrides, host) ? hostOverrides[host] : undefined;
    const place = override === undefined ? { host, port } : splitOverride(override, port);
    return this.#resolver.resolve(place.host, timeouts.resolve, (result) => {
      if (!result.ok) {
        observer.onFailed(result);
        return;
      }
      const [address = ''] = result.addresses;
      const isOwn = this.#parts.ownUdp.has(address, place.port);
      const closed = restricted ? closedToOthers(address, place.port) : null;
      const refusal = isOwn ? selfLoop(address, place.port) : closed;
      if (refusal === null) observer.onResolved(address, place.port);
      else observer.onFailed(refusal);
    });
  }

  /** Keeps a connection that stands and was not used, for whoever dials the same place next. */
  keep(host: string, port: number, options: DialOptions, socket: Socket): void {
    this.#spares.keep(placeKey(host, port, options), socket);
  }

  #dialDirectly(host: string, port: number, observer: DialObserver, restricted: boolean): () => void {
    const refuse = (address: string, at: number): DialFailure | null =>
      this.#ownListener(address, at) ?? (restricted ? closedToOthers(address, at) : null);
    const dial = new Dial(host, port, this.#parts.settings().timeouts, this.#resolver, refuse, {
      onResolved: () => {
        observer.onResolved();
      },
      onConnected: (socket) => {
        this.#parts.watch(socket);
        observer.onConnected(socket);
      },
      onFailed: (reason) => {
        observer.onFailed(reason);
      },
    });
    return () => {
      dial.cancel();
    };
  }

  #dialThrough(
    proxy: UpstreamProxy,
    target: { readonly host: string; readonly port: number },
    observer: DialObserver,
    { restricted, toProxy, via }: DialOptions,
  ): () => void {
    // The proxy resolves names, so that only what is written can be looked at.
    const closed = restricted ? nameClosedToOthers(target.host, target.port) : null;
    if (closed !== null) {
      observer.onFailed(closed);
      return () => undefined;
    }
    if (proxy.scheme !== 'socks5') return this.#openThrough(proxy, toProxy ? null : target, via, observer);
    const circle = this.#circles.failureOf(proxy);
    if (circle !== null) {
      observer.onFailed(circle);
      return () => undefined;
    }
    const leave = once(this.#circles.enter(proxy, target));
    const cancel = this.#openThrough(proxy, target, via, {
      onResolved: () => {
        observer.onResolved();
      },
      onConnected: (socket) => {
        socket.once('close', leave);
        observer.onConnected(socket);
      },
      onFailed: (reason) => {
        leave();
        observer.onFailed(this.#circles.failureOf(proxy) ?? reason);
      },
    });
    return () => {
      leave();
      cancel();
    };
  }

  /** @param target null when requests go to the proxy itself */
  #openThrough(
    proxy: UpstreamProxy,
    target: { readonly host: string; readonly port: number } | null,
    via: string,
    observer: DialObserver,
  ): () => void {
    const { timeouts, limits, insecure, trustedHosts } = this.#parts.settings();
    const trusted = trustedHosts.map((host) => host.toLowerCase());
    const plan = {
      proxy,
      target,
      timeout: timeouts.connect,
      limits,
      secureContext: () => this.#parts.tls.trusted(),
      verified: !insecure && !trusted.includes(proxy.host) && !trusted.includes(formatAddress(proxy.host, proxy.port)),
      lines: proxy.scheme === 'socks5' ? '' : this.#lines(proxy, via),
    };
    let cancel = this.#dialDirectly(
      proxy.host,
      proxy.port,
      {
        onResolved: () => {
          observer.onResolved();
        },
        onConnected: (socket) => {
          cancel = openTunnel(plan, socket, observer);
        },
        onFailed: (reason) => {
          observer.onFailed(proxyFailure(reason));
        },
      },
      false,
    );
    return () => {
      cancel();
    };
  }

  /** A way that stands is kept open: what it leads to may yet come back to us. */
  #probeCircle(proxy: UpstreamProxy, host: string, onOver: () => void): () => void {
    let end = this.#openThrough(proxy, { host, port: PROBE_PORT }, '', {
      onResolved: () => undefined,
      onConnected: (socket) => {
        socket.on('error', () => undefined);
        socket.resume();
        end = () => {
          socket.destroy();
        };
      },
      onFailed: onOver,
    });
    return () => {
      end();
    };
  }

  #ownListener(address: string, port: number): DialFailure | null {
    return this.#parts.own.has(address, port) ? selfLoop(address, port) : null;
  }

  /** @param received members of Via that came with what is sent on */
  #lines({ credentials }: UpstreamProxy, received: string): string {
    const via = `Via: ${received === '' ? '' : `${received}, `}1.1 weir-${this.#parts.instance}\r\n`;
    if (credentials === null) return via;
    const basic = Buffer.from(`${credentials.user}:${credentials.password}`, 'utf8').toString('base64');
    return `Proxy-Authorization: Basic ${basic}\r\n${via}`;
  }
}

/** However often it is called, it happens once. */
function once(task: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    task();
  };
}

function selfLoop(address: string, port: number): DialFailure {
  return {
    code: 'loop.self',
    message: `${formatAddress(address, port)} is a listener of Weir itself; the request would go round for ever.`,
  };
}

function placeKey(host: string, port: number, { restricted, via }: DialOptions): string {
  return `${restricted ? 'restricted ' : ''}${host} ${String(port)} ${via}`;
}

/** As a dial that is done at once, but not before its caller knows of it. */
function handOver(socket: Socket, observer: DialObserver): () => void {
  let cancelled = false;
  setImmediate(() => {
    if (cancelled) return;
    observer.onResolved();
    observer.onConnected(socket);
  });
  return () => {
    cancelled = true;
    socket.destroy();
  };
}

/** A failed connection to the proxy is the proxy's failure, whatever it would have been for an origin. */
function proxyFailure({ code, message }: DialFailure): DialFailure {
  const said = `The upstream proxy: ${message}`;
  if (code === 'loop.self') return { code, message };
  if (code === 'dns.not-found') return { code: 'upstream-proxy.not-found', message: said };
  if (code.endsWith('.timeout')) return { code: 'upstream-proxy.timeout', message: said };
  return { code: 'upstream-proxy.connect', message: said };
}

/** @param text `host:port`, or a host alone that keeps the port */
function splitOverride(text: string, port: number): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text);
  if (match === null) return { host: text, port };
  return { host: match[1] ?? match[2] ?? text, port: match[3] === undefined ? port : Number.parseInt(match[3], 10) };
}
