import { connect, type Socket } from 'node:net';
import type { ErrorCode } from '../model/error-code.ts';
import { formatAddress } from './addresses.ts';
import { SocketReader } from './socket-reader.ts';
import type { HostResolver } from './resolver.ts';

export interface DialFailure {
  readonly code: ErrorCode;
  readonly message: string;
  /** The system's own code, where it gave one. */
  readonly system?: string | undefined;
}

export interface DialOptions {
  /** For a client of another machine: what belongs to this machine alone is closed to it. */
  readonly restricted: boolean;
  /** To the upstream proxy itself, which forwards requests in absolute form, instead of through it. */
  readonly toProxy: boolean;
  /** Members of Via that an upstream proxy is told beside ours; empty for none. */
  readonly via: string;
}

export interface DialTimeouts {
  readonly resolve: number;
  readonly connect: number;
}

export interface DialObserver {
  /** The name was resolved. */
  onResolved(): void;
  /** The connection stands: paused, half-open allowed, without listeners. */
  onConnected(socket: Socket): void;
  onFailed(failure: DialFailure): void;
}

/** RFC 8305 §5: "Connection Attempt Delay". */
const ATTEMPT_DELAY_MS = 250;

/**
 * One attempt to reach a host by TCP: resolves its name, then races its addresses with a head start for each over the
 * next (RFC 8305 §5). Ends with exactly one call of `onConnected` or `onFailed`, unless cancelled.
 */
export class Dial {
  readonly #host: string;
  readonly #port: number;
  readonly #observer: DialObserver;
  readonly #refuse: (address: string, port: number) => DialFailure | null;
  readonly #connectTimeout: number;
  #addresses: readonly string[] = [];
  #next = 0;
  readonly #attempts = new Set<Socket>();
  #lastFailure: DialFailure | null = null;
  #stagger: NodeJS.Timeout | null = null;
  #limit: NodeJS.Timeout | null = null;
  #over = false;
  #cancelResolve: () => void = () => undefined;

  /** @param refuse says why an address must not be connected to; null when it may */
  constructor(
    host: string,
    port: number,
    timeouts: DialTimeouts,
    resolver: HostResolver,
    refuse: (address: string, port: number) => DialFailure | null,
    observer: DialObserver,
  ) {
    this.#host = host;
    this.#port = port;
    this.#observer = observer;
    this.#refuse = refuse;
    this.#connectTimeout = timeouts.connect;
    this.#cancelResolve = resolver.resolve(host, timeouts.resolve, (result) => {
      if (this.#over) return;
      if (!result.ok) {
        this.#fail(result);
        return;
      }
      observer.onResolved();
      this.#addresses = result.addresses;
      this.#begin();
    });
  }

  cancel(): void {
    if (this.#over) return;
    this.#finish();
  }

  #begin(): void {
    if (this.#connectTimeout > 0) {
      this.#limit = setTimeout(() => {
        this.#fail({
          code: 'connect.timeout',
          message: `${this.#host}:${String(this.#port)} did not accept a connection within ${String(this.#connectTimeout)} ms (setting timeouts.connect).`,
        });
      }, this.#connectTimeout);
    }
    this.#attempt();
  }

  #attempt(): void {
    const address = this.#addresses[this.#next];
    if (address === undefined) {
      if (this.#attempts.size === 0)
        this.#fail(
          this.#lastFailure ?? { code: 'connect.failed', message: `${this.#host} has no address to connect to.` },
        );
      return;
    }
    this.#next += 1;
    const refusal = this.#refuse(address, this.#port);
    if (refusal !== null) {
      this.#fail(refusal);
      return;
    }
    const reader = new SocketReader();
    const socket = connect({
      host: address,
      port: this.#port,
      allowHalfOpen: true,
      noDelay: true,
      onread: reader.onread,
    });
    reader.adopt(socket);
    socket.pause();
    this.#attempts.add(socket);
    socket.once('connect', () => {
      this.#connected(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      this.#attemptFailed(socket, address, error);
    });
    if (this.#next < this.#addresses.length) {
      this.#stagger = setTimeout(() => {
        this.#attempt();
      }, ATTEMPT_DELAY_MS);
    }
  }

  #connected(socket: Socket): void {
    if (this.#over) return;
    this.#attempts.delete(socket);
    this.#finish();
    socket.removeAllListeners('error');
    socket.removeAllListeners('connect');
    const { remoteAddress, remotePort } = socket;
    const refusal = remoteAddress === undefined ? null : this.#refuse(remoteAddress, remotePort ?? 0);
    if (refusal !== null) {
      socket.destroy();
      this.#observer.onFailed(refusal);
      return;
    }
    this.#observer.onConnected(socket);
  }

  #attemptFailed(socket: Socket, address: string, error: NodeJS.ErrnoException): void {
    if (this.#over) return;
    this.#attempts.delete(socket);
    this.#lastFailure = connectFailure(formatAddress(address, this.#port), error);
    if (this.#stagger !== null) clearTimeout(this.#stagger);
    this.#attempt();
  }

  #fail(failure: DialFailure): void {
    if (this.#over) return;
    this.#finish();
    this.#observer.onFailed({ code: failure.code, message: failure.message, system: failure.system });
  }

  #finish(): void {
    this.#over = true;
    this.#cancelResolve();
    if (this.#stagger !== null) clearTimeout(this.#stagger);
    if (this.#limit !== null) clearTimeout(this.#limit);
    for (const socket of this.#attempts) {
      socket.removeAllListeners('error');
      socket.on('error', () => undefined);
      socket.destroy();
    }
    this.#attempts.clear();
  }
}

function connectFailure(address: string, error: NodeJS.ErrnoException): DialFailure {
  return { ...describeFailure(address, error), system: error.code };
}

function describeFailure(address: string, error: NodeJS.ErrnoException): DialFailure {
  switch (error.code) {
    case 'ECONNREFUSED':
      return { code: 'connect.refused', message: `${address} refused the connection: nothing listens there.` };
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
    case 'EHOSTDOWN':
    case 'ENETDOWN':
      return { code: 'connect.unreachable', message: `${address} cannot be reached from here (${error.code}).` };
    case 'ETIMEDOUT':
      return { code: 'connect.timeout', message: `${address} did not answer (ETIMEDOUT).` };
    default:
      return { code: 'connect.failed', message: `Connecting to ${address} failed (${error.code ?? error.message}).` };
  }
}
