import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { EngineLimits } from '../model/engine-config.ts';
import type { UpstreamProxy } from '../model/upstream-proxy.ts';
import type { LinkHandler } from '../pipeline/link.ts';
import { createResponseDecoder, type Http1Sink, type ResponseHead } from '../protocol/http1/index.ts';
import { SocksClientHandshake, type SocksOutcome } from '../protocol/socks/index.ts';
import { formatAddress } from './addresses.ts';
import type { DialFailure, DialObserver } from './dialer.ts';
import { SocketLink } from './socket-link.ts';
import { layOver, leaveEarly } from './socket-layers.ts';

/** What a connection through an upstream proxy needs to know. */
export interface TunnelPlan {
  readonly proxy: UpstreamProxy;
  /** Where the tunnel leads; null when requests go to the proxy itself in absolute form. */
  readonly target: { readonly host: string; readonly port: number } | null;
  /** Until the tunnel stands, ms; 0 for no limit. */
  readonly timeout: number;
  readonly limits: EngineLimits;
  /** For TLS to the proxy itself. */
  readonly secureContext: () => SecureContext;
  readonly verified: boolean;
  /** Field lines that go with CONNECT: credentials, and the mark of this instance. */
  readonly lines: string;
}

type Fail = (failure: DialFailure) => void;

/** What each refusal of a SOCKS server says about the origin. */
const SOCKS_REASONS: Readonly<Record<SocksOutcome, string>> = {
  granted: '',
  failure: 'it failed without saying why',
  'not-allowed': 'its rules do not allow it',
  'network-unreachable': 'the network cannot be reached from there',
  'host-unreachable': 'the host cannot be reached from there',
  refused: 'the origin refused the connection',
  expired: 'it took too long',
  'command-unsupported': 'it does not do CONNECT',
  'address-unsupported': 'it does not take such an address',
};

/**
 * Goes on from a TCP connection to an upstream proxy to one that leads to the origin. Ends with exactly one call of
 * `onConnected` or `onFailed`, unless given up.
 *
 * @returns how to give up
 */
export function openTunnel(
  plan: TunnelPlan,
  socket: Socket,
  observer: Pick<DialObserver, 'onConnected' | 'onFailed'>,
): () => void {
  const name = formatAddress(plan.proxy.host, plan.proxy.port);
  let over = false;
  let abandon = (): void => {
    socket.destroy();
  };
  const finish = (): boolean => {
    if (over) return false;
    over = true;
    if (timer !== null) clearTimeout(timer);
    return true;
  };
  const fail: Fail = (failure) => {
    if (!finish()) return;
    abandon();
    observer.onFailed(failure);
  };
  const succeed = (ready: Socket): void => {
    if (finish()) observer.onConnected(ready);
  };
  const timer =
    plan.timeout === 0
      ? null
      : setTimeout(() => {
          fail({
            code: 'upstream-proxy.timeout',
            message: `The upstream proxy ${name} did not open the way within ${String(plan.timeout)} ms (setting timeouts.connect).`,
          });
        }, plan.timeout);
  const proceed = (ready: Socket): void => {
    if (plan.target === null) {
      succeed(ready);
      return;
    }
    const handshake = plan.proxy.scheme === 'socks5' ? new SocksHop(plan, name) : new ConnectHop(plan, name);
    abandon = () => {
      link.reset();
    };
    const link = new SocketLink(
      ready,
      handshakeHandler(handshake, name, fail, (rest) => {
        const detached = link.detach();
        leaveEarly(detached, rest);
        succeed(detached);
      }),
    );
    handshake.begin((bytes) => {
      link.write(bytes);
    });
    link.resume();
  };
  if (plan.proxy.scheme === 'https') abandon = secureHop(plan, socket, name, proceed, fail);
  else proceed(socket);
  return () => {
    if (finish()) abandon();
  };
}

/** What stands between a connection to a proxy and one to the origin. */
interface Hop {
  begin(send: (bytes: Buffer) => void): void;
  /** @returns null while more is needed; bytes that came through the tunnel; or why there is none */
  receive(bytes: Buffer): Buffer | DialFailure | null;
}

function handshakeHandler(hop: Hop, name: string, fail: Fail, onOpen: (rest: Buffer) => void): LinkHandler {
  const lost = (how: string): void => {
    fail({ code: 'upstream-proxy.connect', message: `The upstream proxy ${name} ${how} before the way stood.` });
  };
  return {
    onBytes: (bytes) => {
      const result = hop.receive(bytes);
      if (result === null) return;
      if (Buffer.isBuffer(result)) onOpen(result);
      else fail(result);
    },
    onDrain: () => undefined,
    onEof: () => {
      lost('closed the connection');
    },
    onClosed: (reason) => {
      lost(reason === null ? 'closed the connection' : `broke the connection (${reason.code})`);
    },
  };
}

/** CONNECT (RFC 9110 §9.3.6). */
class ConnectHop implements Hop, Http1Sink<ResponseHead> {
  readonly #plan: TunnelPlan;
  readonly #name: string;
  readonly #decoder;
  #head: ResponseHead | null = null;

  constructor(plan: TunnelPlan, name: string) {
    this.#plan = plan;
    this.#name = name;
    this.#decoder = createResponseDecoder(plan.limits, { bareLineFeed: true });
    this.#decoder.next('CONNECT');
  }

  begin(send: (bytes: Buffer) => void): void {
    const { host, port } = this.#plan.target ?? { host: '', port: 0 };
    const authority = formatAddress(host, port);
    send(Buffer.from(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${this.#plan.lines}\r\n`, 'latin1'));
  }

  receive(bytes: Buffer): Buffer | DialFailure | null {
    let at = 0;
    while (at < bytes.length) {
      at = this.#decoder.receive(bytes, at, this);
      const head = this.#head;
      if (this.#decoder.phase === 'failed') {
        return {
          code: 'upstream-proxy.protocol',
          message: `The upstream proxy ${this.#name} does not speak HTTP: ${this.#decoder.failure?.message ?? ''}`,
        };
      }
      if (head === null) return null;
      if (head.status >= 300) return this.#refusal(head);
      if (this.#decoder.phase !== 'done') return null;
      if (head.status >= 200) return bytes.subarray(at);
      this.#head = null;
      this.#decoder.next('CONNECT');
    }
    return null;
  }

  #refusal({ status, reason }: ResponseHead): DialFailure {
    const { host, port } = this.#plan.target ?? { host: '', port: 0 };
    const said = `${String(status)}${reason === '' ? '' : ` ${reason}`}`;
    if (status === 407) {
      const what = this.#plan.proxy.credentials === null ? 'asks for a user and a password' : 'refuses the credentials';
      return {
        code: 'upstream-proxy.credentials',
        message: `The upstream proxy ${this.#name} ${what} (${said}); they stand in its URL (setting upstreamProxy).`,
      };
    }
    return {
      code: 'upstream-proxy.refused',
      message: `The upstream proxy ${this.#name} answered ${said} when it was asked for ${formatAddress(host, port)}.`,
    };
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
  }

  onPayload(): void {
    // A refusal's page is not shown to anybody.
  }

  onFraming(): void {
    // Nor is its framing.
  }

  onWire(): void {
    // Nor are both together.
  }

  onTrailers(): void {
    // Nothing in them concerns the tunnel.
  }

  onEnd(): void {
    // Seen by the decoder's phase.
  }
}

/** SOCKS5; the proxy resolves the name. */
class SocksHop implements Hop {
  readonly #plan: TunnelPlan;
  readonly #name: string;
  readonly #handshake: SocksClientHandshake;
  #send: (bytes: Buffer) => void = () => undefined;

  constructor(plan: TunnelPlan, name: string) {
    this.#plan = plan;
    this.#name = name;
    this.#handshake = new SocksClientHandshake(plan.target ?? { host: '', port: 0 }, plan.proxy.credentials);
  }

  begin(send: (bytes: Buffer) => void): void {
    this.#send = send;
    send(this.#handshake.greeting());
  }

  receive(bytes: Buffer): Buffer | DialFailure | null {
    const step = this.#handshake.receive(bytes);
    switch (step.kind) {
      case 'incomplete':
        return null;
      case 'send':
        this.#send(step.bytes);
        return null;
      case 'done':
        return step.rest;
      case 'failed':
        return this.#refusal(step.reason, step.outcome);
    }
  }

  #refusal(reason: 'credentials' | 'request' | 'protocol', outcome: SocksOutcome | null): DialFailure {
    switch (reason) {
      case 'credentials':
        return {
          code: 'upstream-proxy.credentials',
          message: `The upstream proxy ${this.#name} wants another user and password; they stand in its URL (setting upstreamProxy).`,
        };
      case 'protocol':
        return {
          code: 'upstream-proxy.protocol',
          message: `The upstream proxy ${this.#name} does not speak SOCKS5.`,
        };
      case 'request': {
        const { host, port } = this.#plan.target ?? { host: '', port: 0 };
        const why = outcome === null ? 'it gave a reason that nobody knows' : SOCKS_REASONS[outcome];
        return {
          code: 'upstream-proxy.refused',
          message: `The upstream proxy ${this.#name} did not connect to ${formatAddress(host, port)}: ${why}.`,
        };
      }
    }
  }
}

/** TLS to the proxy itself. Returns a way to give up. */
function secureHop(
  { proxy, secureContext, verified }: TunnelPlan,
  raw: Socket,
  name: string,
  onSecure: (socket: Socket) => void,
  fail: Fail,
): () => void {
  const socket = connectTls({
    socket: raw,
    host: proxy.host,
    ...(isIP(proxy.host) === 0 ? { servername: proxy.host } : {}),
    secureContext: secureContext(),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
  });
  layOver(socket, raw);
  const onError = (error: NodeJS.ErrnoException): void => {
    fail({
      code: 'upstream-proxy.tls',
      message: `TLS with the upstream proxy ${name} failed (${error.code ?? error.message}).`,
    });
  };
  const onClose = (): void => {
    fail({ code: 'upstream-proxy.tls', message: `The upstream proxy ${name} closed the connection during TLS.` });
  };
  socket.on('error', onError);
  socket.on('close', onClose);
  socket.once('secureConnect', () => {
    if (verified && !socket.authorized) {
      const reason: unknown = socket.authorizationError;
      const why = reason instanceof Error ? ((reason as NodeJS.ErrnoException).code ?? reason.message) : String(reason);
      fail({
        code: 'upstream-proxy.tls',
        message: `The certificate of the upstream proxy ${name} is not trusted here (${why}).`,
      });
      return;
    }
    socket.off('error', onError);
    socket.off('close', onClose);
    socket.pause();
    onSecure(socket);
  });
  return () => {
    socket.off('close', onClose);
    socket.off('error', onError);
    socket.on('error', () => undefined);
    socket.destroy();
    raw.destroy();
  };
}
