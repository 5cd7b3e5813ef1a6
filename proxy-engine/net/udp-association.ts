import type { RemoteInfo } from 'node:dgram';
import { isIP } from 'node:net';
import { failure } from '../pipeline/failures.ts';
import type { Mortal } from '../pipeline/lifetimes.ts';
import { DEAF, type LinkHandler } from '../pipeline/link.ts';
import {
  readDatagram,
  socksReply,
  writeDatagram,
  type SocksAddress,
  type SocksRequest,
} from '../protocol/socks/index.ts';
import { canonicalAddress, formatAddress } from './addresses.ts';
import type { Doorkeeping } from './doorkeeping.ts';
import type { SocketLink } from './socket-link.ts';
import { recordTurnedAway } from './turn-away.ts';
import { UdpSession } from './udp-session.ts';
import { bindUdp, type UdpSocket } from './udp-socket.ts';
import type { Visitor } from './visitor.ts';

/** Datagrams to one place that wait for its address; more are lost, as UDP may. */
const WAITING = 64;

interface Talk {
  readonly session: UdpSession;
  /** Null until the name is resolved. */
  address: string | null;
  waiting: Buffer[];
  cancel: () => void;
}

/**
 * UDP ASSOCIATE (RFC 1928 §7): datagrams of one client to any place, as long as the TCP connection stands that asked for it.
 * Only the machine that asked may send, and only places that were sent to may answer.
 */
export class UdpAssociation implements LinkHandler, Mortal {
  readonly deadline = Infinity;
  readonly #keeping: Doorkeeping;
  readonly #link: SocketLink;
  readonly #visitor: Visitor;
  readonly #clientHost: string;
  /** Where the client sends from; its request may say so, else its first datagram does. */
  #clientPort: number;
  #inside: UdpSocket | null = null;
  readonly #outside = new Map<4 | 6, Promise<UdpSocket | null>>();
  readonly #talks = new Map<string, Talk>();
  /** The same by the address that answers come from. */
  readonly #answers = new Map<string, Talk>();
  #over = false;

  private constructor(keeping: Doorkeeping, link: SocketLink, visitor: Visitor, request: SocksRequest) {
    this.#keeping = keeping;
    this.#link = link;
    this.#visitor = visitor;
    this.#clientHost = canonicalAddress(hostOf(visitor.address));
    this.#clientPort = request.port;
    link.handler = this;
    keeping.context.lifetimes.add(this);
  }

  /** Answers the request once a socket stands. */
  static open(keeping: Doorkeeping, link: SocketLink, visitor: Visitor, request: SocksRequest): void {
    const association = new UdpAssociation(keeping, link, visitor, request);
    void association.#begin(request);
  }

  // ---- the TCP connection ------------------------------------------------------------------------------------------

  onBytes(): void {
    // Nothing is said on it any more.
  }

  onDrain(): void {
    // One answer was written.
  }

  onEof(): void {
    this.#end();
  }

  onClosed(): void {
    this.#end();
  }

  onDeadline(): void {
    // Its sessions end one by one; it ends with its connection.
  }

  drain(): void {
    this.#end();
  }

  stop(): void {
    this.#end();
  }

  // ---- datagrams ---------------------------------------------------------------------------------------------------

  async #begin({ version, host, port }: SocksRequest): Promise<void> {
    const local = canonicalAddress(this.#link.localAddress);
    try {
      const inside = await bindUdp(local, 0, false, {
        onDatagram: (bytes, from) => {
          this.#fromClient(bytes, from);
        },
        onError: () => undefined,
      });
      if (this.#over) {
        inside.close();
        return;
      }
      this.#inside = inside;
      this.#link.write(socksReply(version, 'granted', { host: local, port: inside.port }));
      this.#link.resume();
    } catch (error: unknown) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      const reason = failure('weir.internal', `A socket for datagrams cannot be opened at ${local} (${code}).`);
      recordTurnedAway(
        this.#keeping,
        this.#visitor,
        'udp',
        { host, port, startedAt: this.#keeping.context.clock.micros() },
        reason,
      );
      this.#link.write(socksReply(version, 'failure'));
      this.#end();
    }
  }

  #fromClient(bytes: Buffer, from: RemoteInfo): void {
    if (canonicalAddress(from.address) !== this.#clientHost) return;
    if (this.#clientPort === 0) this.#clientPort = from.port;
    if (from.port !== this.#clientPort) return;
    const datagram = readDatagram(bytes);
    if (datagram === null) return;
    const { address, payload } = datagram;
    const talk = this.#talks.get(formatAddress(address.host, address.port)) ?? this.#beginTalk(address);
    if (talk === null) return;
    talk.session.sentToOrigin(payload);
    if (talk.address !== null) void this.#send(talk.address, address.port, payload);
    else if (talk.waiting.length < WAITING) talk.waiting.push(payload);
  }

  #beginTalk(place: SocksAddress): Talk | null {
    const { context, outbound } = this.#keeping;
    const limit = context.settings.limits.udpSessions;
    const { host, port } = place;
    if (this.#talks.size >= limit) {
      const error = failure(
        'udp.session-limit',
        `There are ${String(limit)} sessions already (setting limits.udpSessions).`,
      );
      recordTurnedAway(this.#keeping, this.#visitor, 'udp', { host, port, startedAt: context.clock.micros() }, error);
      return null;
    }
    const key = formatAddress(host, port);
    const session = new UdpSession(this.#keeping, this.#visitor, place, () => {
      this.#talks.delete(key);
      if (talk.address !== null) this.#answers.delete(formatAddress(talk.address, port));
      talk.cancel();
    });
    const talk: Talk = { session, address: null, waiting: [], cancel: () => undefined };
    this.#talks.set(key, talk);
    talk.cancel = outbound.resolve(host, port, this.#visitor.isRemote, {
      onResolved: (address) => {
        if (session.isOver) return;
        talk.address = canonicalAddress(address);
        const at = formatAddress(talk.address, port);
        this.#answers.set(at, talk);
        session.reached(at);
        for (const bytes of talk.waiting) void this.#send(talk.address, port, bytes);
        talk.waiting = [];
      },
      onFailed: ({ code, message }) => {
        session.fail(code, message);
      },
    });
    return session.isOver ? null : talk;
  }

  async #send(address: string, port: number, bytes: Buffer): Promise<void> {
    const family = isIP(address) === 6 ? 6 : 4;
    let socket = this.#outside.get(family);
    if (socket === undefined) {
      socket = this.#openOutside(family);
      this.#outside.set(family, socket);
    }
    const open = await socket;
    if (!this.#over) open?.send(bytes, port, address);
  }

  /** One socket for all places, so that each sees the client at the same port. */
  async #openOutside(family: 4 | 6): Promise<UdpSocket | null> {
    const observer = {
      onDatagram: (bytes: Buffer, from: RemoteInfo) => {
        this.#fromOrigin(bytes, from);
      },
      onError: () => undefined,
    };
    return bindUdp(family === 4 ? '0.0.0.0' : '::', 0, false, observer).catch(() => null);
  }

  #fromOrigin(payload: Buffer, from: RemoteInfo): void {
    const host = canonicalAddress(from.address);
    const talk = this.#answers.get(formatAddress(host, from.port));
    if (talk === undefined || this.#clientPort === 0) return;
    talk.session.sentToClient(payload);
    const bytes = writeDatagram({ address: { host, port: from.port }, payload });
    this.#inside?.send(bytes, this.#clientPort, this.#clientHost);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#keeping.context.lifetimes.remove(this);
    this.#link.handler = DEAF;
    this.#link.close();
    for (const { session } of [...this.#talks.values()]) session.end();
    this.#inside?.close();
    for (const socket of this.#outside.values()) void socket.then((open) => open?.close());
  }
}

/** @param address `address:port`, IPv6 in brackets */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}
