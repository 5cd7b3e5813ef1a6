import type { Socket } from 'node:net';
import type { ListenerMode } from '../model/listener-mode.ts';
import type { ClientEntry, ConnectRequest, FixedDestination } from '../pipeline/client-entry.ts';
import { deadlineAfter, type Mortal } from '../pipeline/lifetimes.ts';
import { DEAF, type LinkHandler } from '../pipeline/link.ts';
import { formatAuthority } from '../protocol/http1/index.ts';
import type { ClientHello } from '../protocol/tls-hello/index.ts';
import { remoteAddress } from './addresses.ts';
import { acceptTls, HTTP_PROTOCOLS } from './accept-tls.ts';
import { beginsHttp2, classifyTunnel } from './classify-tunnel.ts';
import { ConnectDoor } from './connect-door.ts';
import { leafForClient, type Doorkeeping } from './doorkeeping.ts';
import { clientEntry, type ClientTlsState } from './client-entry.ts';
import { HelloCollector } from './hello-collector.ts';
import { agreedProtocol, serveHttp } from './serve-http.ts';
import { SocketLink } from './socket-link.ts';
import { relayTcp } from './tcp-relay.ts';

/** First byte of a TLS handshake record; no HTTP method begins with it. */
const TLS_HANDSHAKE = 0x16;
/** Enough of the preface of HTTP/2 to tell it from any method. */
const PREFACE_SEEN_BYTES = 'PRI '.length;

/**
 * Lets a client in: tells by its first byte what it speaks on a listener of `mode` and gives it to whom it belongs.
 */
export class ClientDoor implements LinkHandler, Mortal {
  deadline: number;
  readonly #keeping: Doorkeeping;
  readonly #mode: Exclude<ListenerMode, { kind: 'tcp' | 'udp' }>;
  readonly #link: SocketLink;
  readonly #address: string;
  readonly #localAddress: string;
  /** What came and does not tell yet. */
  #bytes: Buffer | null = null;

  private constructor(keeping: Doorkeeping, mode: Exclude<ListenerMode, { kind: 'tcp' | 'udp' }>, socket: Socket) {
    this.#keeping = keeping;
    this.#mode = mode;
    this.#address = remoteAddress(socket);
    this.#localAddress = socket.localAddress ?? '';
    const { context } = keeping;
    this.deadline = deadlineAfter(context.clock.coarse, context.settings.timeouts.keepAlive);
    context.lifetimes.add(this);
    this.#link = new SocketLink(socket, this);
    this.#link.resume();
  }

  static open(keeping: Doorkeeping, mode: ListenerMode, socket: Socket): void {
    if (mode.kind === 'tcp') relayTcp(keeping, mode.host, mode.port, socket);
    else if (mode.kind !== 'udp') new ClientDoor(keeping, mode, socket);
  }

  onBytes(bytes: Buffer): void {
    const all = this.#bytes === null ? bytes : Buffer.concat([this.#bytes, bytes]);
    if (all[0] === TLS_HANDSHAKE) {
      this.#leave();
      this.#receiveTls(all);
      return;
    }
    const speaksHttp2 = this.#speaksHttp2(all);
    if (speaksHttp2 === null) {
      this.#bytes = all;
      return;
    }
    this.#leave();
    this.#serve(this.#link, null, speaksHttp2 ? 'h2c' : null).onBytes(all);
  }

  /** Null when more bytes are needed to tell. */
  #speaksHttp2(bytes: Buffer): boolean | null {
    if (beginsHttp2(bytes)) return bytes.length < PREFACE_SEEN_BYTES ? null : true;
    if (this.#mode.kind !== 'reverse' || this.#mode.scheme !== 'h2c') return false;
    // In front of an origin of HTTP/2 whatever is no HTTP/1 is a broken HTTP/2, and is told so in its own words.
    const content = classifyTunnel(bytes);
    return content === 'unknown' ? null : content !== 'http';
  }

  onDrain(): void {
    // Nothing was written.
  }

  onEof(): void {
    this.#leave();
    const bytes = this.#bytes;
    if (bytes === null) {
      this.#link.close();
      return;
    }
    // It ended too early to tell: HTTP/1 knows what to make of it.
    this.#serve(this.#link, null, null).onBytes(bytes);
    this.#link.handler.onEof();
  }

  onClosed(): void {
    this.#leave();
  }

  onDeadline(): void {
    this.#leave();
    this.#link.close();
  }

  drain(): void {
    this.onDeadline();
  }

  stop(): void {
    this.onDeadline();
  }

  #leave(): void {
    this.#keeping.context.lifetimes.remove(this);
    this.#link.handler = DEAF;
  }

  /** TLS to us: as a proxy that is reached by TLS, or as the origin that a reverse listener stands for. */
  #receiveTls(first: Buffer): void {
    const keeping = this.#keeping;
    HelloCollector.collect(keeping.context, this.#link, first, {
      onHello: (hello, bytes) => {
        this.#acceptTls(hello, bytes);
      },
      onNoHello: () => {
        this.#link.close();
      },
      onGone: () => {
        this.#link.close();
      },
    });
  }

  #acceptTls(hello: ClientHello, bytes: Buffer): void {
    const mode = this.#mode;
    const name = hello.sni ?? (mode.kind === 'reverse' ? mode.host : this.#localAddress);
    acceptTls(this.#keeping, {
      link: this.#link,
      bytes,
      hello,
      offered: HTTP_PROTOCOLS,
      leaf: this.#keeping.leaves.own ?? leafForClient(this.#keeping.leaves, name, hello),
      address: this.#address,
      host: name,
      port: mode.kind === 'reverse' ? mode.port : 0,
      onSecure: (link, tls) => {
        this.#serve(link, tls, agreedProtocol(tls));
        link.resume();
      },
    });
  }

  #serve(link: SocketLink, tls: ClientTlsState | null, protocol: ClientEntry['protocol']): LinkHandler {
    const { context } = this.#keeping;
    const mode = this.#mode;
    if (mode.kind === 'proxy') {
      const onConnect = (request: ConnectRequest, rest: Buffer): void => {
        new ConnectDoor(this.#keeping, link, this.#address, request, rest);
      };
      const entry = clientEntry(context, this.#address, null, tls, protocol === null ? onConnect : null, protocol);
      return serveHttp(context, link, entry);
    }
    const scheme = mode.scheme === 'https' ? 'https' : 'http';
    const destination: FixedDestination = {
      route: context.origins.route(scheme, mode.host, mode.port, null, mode.scheme === 'h2c'),
      host: mode.host,
      hostField: formatAuthority(mode.host, mode.port, scheme),
      basePath: mode.basePath.endsWith('/') ? mode.basePath.slice(0, -1) : mode.basePath,
      internal: false,
    };
    return serveHttp(context, link, clientEntry(context, this.#address, destination, tls, null, protocol));
  }
}
