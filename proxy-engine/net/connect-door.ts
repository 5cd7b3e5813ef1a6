import type { Socket } from 'node:net';
import type { AnomalyCode } from '../model/anomaly-code.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { ClientEntry, ConnectRequest, FixedDestination } from '../pipeline/client-entry.ts';
import type { ExchangeRecord } from '../pipeline/exchange-record.ts';
import { failure } from '../pipeline/failures.ts';
import { deadlineAfter, type Mortal } from '../pipeline/lifetimes.ts';
import { DEAF, type LinkHandler } from '../pipeline/link.ts';
import type { OriginRoute } from '../pipeline/origins.ts';
import { MAGIC_HOST } from '../pipeline/plan-request.ts';
import type { ClientHello } from '../protocol/tls-hello/index.ts';
import { acceptTls, hasChoice, HTTP_PROTOCOLS, protocolsLike, speaksHttp } from './accept-tls.ts';
import { AwaitedClient } from './awaited-client.ts';
import { clientEntry, relayEntry, type ClientTlsState } from './client-entry.ts';
import type { DialObserver, DialOptions } from './dialer.ts';
import { leafForClient, type Doorkeeping } from './doorkeeping.ts';
import { HelloCollector } from './hello-collector.ts';
import { passesThrough } from './passthrough.ts';
import { beginRelay, joinRelay, openRelay, type RelayPlan } from './raw-relay.ts';
import { SocketLink } from './socket-link.ts';
import { agreedProtocol, serveHttp } from './serve-http.ts';
import { classifyTunnel } from './classify-tunnel.ts';
import type { Visitor } from './visitor.ts';

const NOTHING = Buffer.alloc(0);
/** A client that is silent for this long may be waiting for the origin to speak first. */
const SERVER_FIRST_MS = 100;
/**
 * When the origin cannot be reached, a client that has not spoken yet gets this long: one that was merely slow (a virtual
 * machine that loads its TLS) is then answered by a page that says what is wrong, instead of a reset.
 */
const SLOW_CLIENT_MS = 2_000;

/** How a tunnel begins. */
export interface Opening {
  /** What the client is told; empty where that was said before. */
  readonly answer: Buffer;
  /** Bytes that came along with its request. */
  readonly early: Buffer;
  /** The connection to the origin, where it stands already. */
  readonly origin: Socket | null;
}

/**
 * The far end of a CONNECT (RFC 9110 §9.3.6) or of its like in SOCKS: says yes, looks at what the client sends, and intercepts
 * TLS, reads plain HTTP, or relays whatever else it is. Protocols in which the server speaks first get their greeting; until it comes
 * a late ClientHello is still intercepted.
 */
export class ConnectDoor implements LinkHandler, Mortal {
  deadline: number;
  readonly #keeping: Doorkeeping;
  readonly #link: SocketLink;
  readonly #visitor: Visitor;
  readonly #request: ConnectRequest;
  #bytes: Buffer = Buffer.alloc(0);
  #greetingTimer: NodeJS.Timeout | null;
  #cancelDial: (() => void) | null = null;
  /** The origin connection that waits for its greeting. */
  #origin: SocketLink | null = null;
  /** Of TLS that passes unopened. */
  #hello: ClientHello | null = null;
  #ended = false;
  #left = false;

  constructor(keeping: Doorkeeping, link: SocketLink, visitor: Visitor, request: ConnectRequest, opening: Opening) {
    this.#keeping = keeping;
    this.#link = link;
    this.#visitor = visitor;
    this.#request = request;
    const { answer, early, origin } = opening;
    const { context } = keeping;
    this.deadline = deadlineAfter(context.clock.coarse, context.settings.timeouts.idle);
    link.handler = this;
    context.lifetimes.add(this);
    if (keeping.outbound.isCircling(request.host)) {
      // A question of our own, which has its answer.
      this.#greetingTimer = null;
      this.#close();
      return;
    }
    if (answer.length > 0) link.write(answer);
    link.resume();
    this.#greetingTimer =
      origin === null
        ? setTimeout(() => {
            this.#dialForGreeting();
          }, SERVER_FIRST_MS)
        : null;
    if (origin !== null) this.#awaitGreeting(origin);
    if (early.length > 0) this.onBytes(early);
  }

  onBytes(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    switch (classifyTunnel(this.#bytes)) {
      case 'tls':
        this.#collectHello();
        break;
      case 'http':
        this.#serveHttp(null);
        break;
      case 'http2':
        this.#serveHttp('h2c');
        break;
      case 'other':
        this.#relay('tcp', this.#request.host);
        break;
      case 'unknown':
        break;
    }
  }

  onDrain(): void {
    // Nothing was written.
  }

  onEof(): void {
    // An unused tunnel that is closed again is nobody's news; a half-closed one may still wait for a greeting.
    this.#ended = true;
    if (this.#origin === null && this.#bytes.length === 0) this.#close();
    else this.#relay('tcp', this.#request.host);
  }

  onClosed(): void {
    this.#dropOrigin();
    this.#leave();
  }

  onDeadline(): void {
    this.#close();
  }

  drain(): void {
    if (this.#bytes.length === 0) this.#close();
  }

  stop(): void {
    this.#close();
  }

  #leave(): void {
    this.#left = true;
    this.#keeping.context.lifetimes.remove(this);
    this.#link.handler = DEAF;
    if (this.#greetingTimer !== null) clearTimeout(this.#greetingTimer);
    this.#greetingTimer = null;
    this.#cancelDial?.();
    this.#cancelDial = null;
    const origin = this.#origin;
    this.#origin = null;
    // Whoever reaches for the origin next gets the connection that stands already.
    const { host, port } = this.#request;
    if (origin !== null) this.#keeping.outbound.keep(host, port, this.#options, origin.detach());
  }

  /** How the origin may be reached. */
  get #options(): DialOptions {
    return { restricted: this.#visitor.isRemote, toProxy: false, via: this.#request.via };
  }

  #dropOrigin(): void {
    const origin = this.#origin;
    this.#origin = null;
    if (origin === null) return;
    origin.handler = DEAF;
    origin.reset();
  }

  #close(): void {
    this.#dropOrigin();
    this.#leave();
    this.#link.close();
  }

  // ---- server first ------------------------------------------------------------------------------------------------

  #dialForGreeting(): void {
    this.#greetingTimer = null;
    const { host, port } = this.#request;
    if (host === MAGIC_HOST) return;
    const observer: DialObserver = {
      onResolved: () => undefined,
      onConnected: (socket) => {
        this.#cancelDial = null;
        this.#awaitGreeting(socket);
      },
      onFailed: ({ code, message }) => {
        this.#cancelDial = null;
        if (this.#left) return;
        this.#greetingTimer = setTimeout(() => {
          this.#giveUp(failure(code, message));
        }, SLOW_CLIENT_MS);
      },
    };
    this.#cancelDial = this.#keeping.outbound.dial(host, port, observer, this.#options);
  }

  /** Nothing to talk to: the client learns it by the connection's end, the user by the row. */
  #giveUp(error: ExchangeError): void {
    const record = this.#beginRow(this.#plan('tcp', this.#request.host));
    record.end(error, false);
    this.#leave();
    this.#link.reset();
  }

  /** Whatever the origin does first, speak or leave: it is a relay from then on. */
  #awaitGreeting(socket: Socket): void {
    const speak = (greeting: Buffer): void => {
      this.#origin = null;
      const plan = this.#plan('tcp', this.#request.host);
      const bytes = this.#bytes;
      this.#leave();
      joinRelay(this.#keeping, this.#link, origin, this.#beginRow(plan), plan, {
        fromClient: bytes,
        fromOrigin: greeting,
      });
    };
    const origin = new SocketLink(socket, {
      onBytes: speak,
      onDrain: () => undefined,
      onEof: () => {
        speak(NOTHING);
      },
      onClosed: (reason) => {
        this.#origin = null;
        const how = reason === null ? 'closed' : `broke (${reason.code})`;
        this.#giveUp(
          failure('origin.closed-early', `${this.#request.host} ${how} the connection before it said anything.`),
        );
      },
    });
    this.#origin = origin;
    origin.resume();
  }

  // ---- what the client speaks --------------------------------------------------------------------------------------

  #collectHello(): void {
    const bytes = this.#bytes;
    this.#leave();
    HelloCollector.collect(this.#keeping.context, this.#link, bytes, {
      onHello: (hello, all) => {
        this.#meetTls(hello, all);
      },
      onNoHello: (all) => {
        this.#bytes = all;
        this.#relay('tcp', this.#request.host);
      },
      onGone: () => {
        this.#link.close();
      },
    });
  }

  #meetTls(hello: ClientHello, bytes: Buffer): void {
    const { host, port } = this.#request;
    const name = serverName(hello) ?? host;
    this.#bytes = bytes;
    this.#hello = hello;
    // Whoever speaks only what Weir does not is not to be broken by Weir.
    if (!speaksHttp(hello) || passesThrough(this.#keeping.context.settings.passthroughHosts, [name, host], port)) {
      this.#relay('tls', name);
      return;
    }
    if (this.#keeping.refusals.passes(name)) {
      this.#relay('tls', name, 'passed-after-refusals');
      return;
    }
    if (host === MAGIC_HOST || !hasChoice(hello)) {
      this.#acceptTls(hello, name, HTTP_PROTOCOLS);
      return;
    }
    // The client is offered what the origin can do: one that is not known yet is asked while the client waits.
    const { context } = this.#keeping;
    const awaited = new AwaitedClient(context, this.#link);
    const cancel = this.#keeping.learnProtocol(this.#route('https', name, false), (protocol) => {
      awaited.leave();
      this.#acceptTls(hello, name, protocolsLike(protocol));
    });
    awaited.onGone(cancel);
  }

  #acceptTls(hello: ClientHello, name: string, offered: readonly string[]): void {
    acceptTls(this.#keeping, {
      link: this.#link,
      offered,
      bytes: this.#bytes,
      hello,
      leaf: leafForClient(this.#keeping.leaves, name, hello),
      visitor: this.#visitor,
      host: name,
      port: this.#request.port,
      onSecure: (link, tls) => {
        this.#serve(link, 'https', name, tls, agreedProtocol(tls));
        link.resume();
      },
    });
  }

  #serveHttp(protocol: 'h2c' | null): void {
    const bytes = this.#bytes;
    this.#leave();
    this.#serve(this.#link, 'http', this.#request.host, null, protocol).onBytes(bytes);
    if (this.#ended) this.#link.handler.onEof();
  }

  #serve(
    link: SocketLink,
    scheme: 'http' | 'https',
    name: string,
    tls: ClientTlsState | null,
    protocol: ClientEntry['protocol'],
  ): LinkHandler {
    const { context } = this.#keeping;
    const { host } = this.#request;
    const destination: FixedDestination = {
      // A client that speaks HTTP/2 unasked knows that its origin does.
      route: this.#route(scheme, name, protocol === 'h2c'),
      host: name,
      hostField: null,
      basePath: '',
      internal: host === MAGIC_HOST,
    };
    return serveHttp(context, link, clientEntry(context, this.#visitor, destination, tls, null, protocol));
  }

  #route(scheme: 'http' | 'https', serverName: string, priorKnowledge: boolean): OriginRoute {
    const { host, port, via } = this.#request;
    const restricted = this.#visitor.isRemote;
    return this.#keeping.context.origins.route(scheme, host, port, { serverName, priorKnowledge, restricted, via });
  }

  #relay(scheme: 'tcp' | 'tls', rowHost: string, anomaly: AnomalyCode | null = null): void {
    const plan = this.#plan(scheme, rowHost, anomaly);
    const bytes = this.#bytes;
    this.#leave();
    openRelay(this.#keeping, this.#link, this.#entry(scheme), plan, bytes);
  }

  #plan(scheme: 'tcp' | 'tls', rowHost: string, anomaly: AnomalyCode | null = null): RelayPlan {
    const { host, port, startedAt } = this.#request;
    return { kind: 'tunnel', scheme, host, port, rowHost, startedAt, options: this.#options, anomaly };
  }

  #beginRow(plan: RelayPlan): ExchangeRecord {
    return beginRelay(this.#keeping, this.#entry(plan.scheme), plan);
  }

  #entry(scheme: 'tcp' | 'tls'): ClientEntry {
    return relayEntry(this.#keeping.context, this.#visitor, scheme, this.#hello);
  }
}

/** The name of the ClientHello as the rest of Weir writes names. */
function serverName(hello: ClientHello): string | null {
  return hello.sni === null ? null : hello.sni.toLowerCase().replace(/\.$/, '');
}
