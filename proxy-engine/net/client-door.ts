import type { Socket } from 'node:net';
import type { ListenerMode } from '../model/listener-mode.ts';
import type { FixedDestination } from '../pipeline/client-entry.ts';
import { Http1Client } from '../pipeline/http1-client.ts';
import { deadlineAfter, type Mortal } from '../pipeline/lifetimes.ts';
import { DEAF, type LinkHandler } from '../pipeline/link.ts';
import { formatAuthority } from '../protocol/http1/index.ts';
import type { ClientHello } from '../protocol/tls-hello/index.ts';
import { remoteAddress } from './addresses.ts';
import { acceptTls } from './accept-tls.ts';
import { ConnectDoor } from './connect-door.ts';
import { leafForClient, type Doorkeeping } from './doorkeeping.ts';
import { clientEntry, type ClientTlsState } from './client-entry.ts';
import { HelloCollector } from './hello-collector.ts';
import { SocketLink } from './socket-link.ts';
import { relayTcp } from './tcp-relay.ts';

/** First byte of a TLS handshake record; no HTTP method begins with it. */
const TLS_HANDSHAKE = 0x16;

/**
 * Lets a client in: tells by its first byte what it speaks on a listener of `mode` and gives it to whom it belongs.
 */
export class ClientDoor implements LinkHandler, Mortal {
  deadline: number;
  readonly #keeping: Doorkeeping;
  readonly #mode: Exclude<ListenerMode, { kind: 'tcp' }>;
  readonly #link: SocketLink;
  readonly #address: string;
  readonly #localAddress: string;

  private constructor(keeping: Doorkeeping, mode: Exclude<ListenerMode, { kind: 'tcp' }>, socket: Socket) {
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
    else new ClientDoor(keeping, mode, socket);
  }

  onBytes(bytes: Buffer): void {
    this.#leave();
    if (bytes[0] === TLS_HANDSHAKE) this.#receiveTls(bytes);
    else this.#serve(this.#link, null).onBytes(bytes);
  }

  onDrain(): void {
    // Nothing was written.
  }

  onEof(): void {
    this.#leave();
    this.#link.close();
  }

  onClosed(): void {
    this.#leave();
  }

  onDeadline(): void {
    this.onEof();
  }

  drain(): void {
    this.onEof();
  }

  stop(): void {
    this.onEof();
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
      leaf: this.#keeping.leaves.own ?? leafForClient(this.#keeping.leaves, name, hello),
      address: this.#address,
      host: name,
      port: mode.kind === 'reverse' ? mode.port : 0,
      onSecure: (link, tls) => {
        this.#serve(link, tls);
        link.resume();
      },
    });
  }

  #serve(link: SocketLink, tls: ClientTlsState | null): Http1Client {
    const { context } = this.#keeping;
    const mode = this.#mode;
    if (mode.kind === 'proxy') {
      const entry = clientEntry(context, this.#address, null, tls, (request, rest) => {
        new ConnectDoor(this.#keeping, link, this.#address, request, rest);
      });
      return new Http1Client(context, link, entry);
    }
    const destination: FixedDestination = {
      route: context.origins.route(mode.scheme, mode.host, mode.port, null),
      host: mode.host,
      hostField: formatAuthority(mode.host, mode.port, mode.scheme),
      basePath: mode.basePath.endsWith('/') ? mode.basePath.slice(0, -1) : mode.basePath,
      internal: false,
    };
    return new Http1Client(context, link, clientEntry(context, this.#address, destination, tls, null));
  }
}
