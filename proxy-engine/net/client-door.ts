import type { Socket } from 'node:net';
import type { ExchangeError } from '../model/error-code.ts';
import type { ListenerMode } from '../model/listener-mode.ts';
import type { ClientEntry, ConnectRequest, FixedDestination } from '../pipeline/client-entry.ts';
import { deadlineAfter, type Mortal } from '../pipeline/lifetimes.ts';
import { DEAF, type HandedOver, type LinkHandler } from '../pipeline/link.ts';
import { formatAuthority } from '../protocol/http1/index.ts';
import { SOCKS4, SOCKS5 } from '../protocol/socks/index.ts';
import type { ClientHello } from '../protocol/tls-hello/index.ts';
import { acceptTls, HTTP_PROTOCOLS } from './accept-tls.ts';
import { beginsHttp2, classifyTunnel, isBrokenPreface } from './classify-tunnel.ts';
import { ConnectDoor } from './connect-door.ts';
import { leafForClient, type Doorkeeping } from './doorkeeping.ts';
import { clientEntry, type ClientTlsState } from './client-entry.ts';
import { HelloCollector } from './hello-collector.ts';
import { agreedProtocol, serveHttp } from './serve-http.ts';
import { SocketLink } from './socket-link.ts';
import { SocksDoor } from './socks-door.ts';
import { linkOverStream } from './stream-socket.ts';
import { relayTcp } from './tcp-relay.ts';
import { turnAway } from './turn-away.ts';
import type { Visitor } from './visitor.ts';

/** First byte of a TLS handshake record; no HTTP method begins with it. */
const TLS_HANDSHAKE = 0x16;
/** Enough of the preface of HTTP/2 to tell it from any method. */
const PREFACE_SEEN_BYTES = 'PRI '.length;
const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n', 'latin1');
const NOTHING = Buffer.alloc(0);

/**
 * Lets a client in: tells by its first byte what it speaks on a listener of `mode` and gives it to whom it belongs.
 */
export class ClientDoor implements LinkHandler, Mortal {
  deadline: number;
  readonly #keeping: Doorkeeping;
  readonly #mode: Exclude<ListenerMode, { kind: 'tcp' | 'udp' }>;
  readonly #link: SocketLink;
  readonly #visitor: Visitor;
  /** Why it is not let in; null for a client that is welcome. */
  readonly #refusal: ExchangeError | null;
  readonly #localAddress: string;
  /** What came and does not tell yet. */
  #bytes: Buffer | null = null;

  private constructor(
    keeping: Doorkeeping,
    mode: Exclude<ListenerMode, { kind: 'tcp' | 'udp' }>,
    visitor: Visitor,
    socket: Socket,
  ) {
    this.#keeping = keeping;
    this.#mode = mode;
    this.#visitor = visitor;
    this.#refusal = keeping.guestList.refusal(visitor);
    this.#localAddress = socket.localAddress ?? '';
    const { context } = keeping;
    this.deadline = deadlineAfter(context.clock.coarse, context.settings.timeouts.keepAlive);
    context.lifetimes.add(this);
    this.#link = new SocketLink(socket, this);
    this.#link.resume();
  }

  static open(keeping: Doorkeeping, mode: ListenerMode, socket: Socket): void {
    const visitor = keeping.guestList.visitor(socket);
    if (mode.kind === 'tcp') relayTcp(keeping, mode, visitor, socket);
    else if (mode.kind !== 'udp') new ClientDoor(keeping, mode, visitor, socket);
  }

  onBytes(bytes: Buffer): void {
    const all = this.#bytes === null ? bytes : Buffer.concat([this.#bytes, bytes]);
    if (all[0] === TLS_HANDSHAKE) {
      this.#leave();
      if (this.#refusal === null) this.#receiveTls(all);
      else turnAway(this.#keeping, this.#link, this.#visitor, this.#refusal, 'tls');
      return;
    }
    if (this.#mode.kind === 'proxy' && (all[0] === SOCKS5 || all[0] === SOCKS4)) {
      this.#leave();
      SocksDoor.open(this.#keeping, this.#link, this.#visitor, this.#refusal, all);
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
    if (this.#mode.kind !== 'reverse') return false;
    if (this.#mode.scheme !== 'h2c') return isBrokenPreface(bytes);
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
      visitor: this.#visitor,
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
    const visitor = this.#visitor;
    const refusal = this.#refusal;
    if (mode.kind === 'proxy') {
      const onConnect = (request: ConnectRequest, client: HandedOver): void => {
        const isOwn = client.link === link;
        const opening = { answer: isOwn ? ESTABLISHED : NOTHING, early: client.early, origin: null };
        new ConnectDoor(this.#keeping, isOwn ? link : linkOverStream(client.link), visitor, request, opening);
      };
      return serveHttp(context, link, clientEntry(context, visitor, null, tls, onConnect, protocol, refusal));
    }
    const scheme = mode.scheme === 'https' ? 'https' : 'http';
    const destination: FixedDestination = {
      route: context.origins.route(scheme, mode.host, mode.port, { priorKnowledge: mode.scheme === 'h2c' }),
      host: mode.host,
      hostField: formatAuthority(mode.host, mode.port, scheme),
      basePath: mode.basePath.endsWith('/') ? mode.basePath.slice(0, -1) : mode.basePath,
      internal: false,
    };
    return serveHttp(context, link, clientEntry(context, visitor, destination, tls, null, protocol, refusal));
  }
}
