import type { RemoteInfo } from 'node:dgram';
import type { ListenerMode } from '../model/listener-mode.ts';
import { failure } from '../pipeline/failures.ts';
import { formatAddress } from './addresses.ts';
import type { Doorkeeping } from './doorkeeping.ts';
import { recordTurnedAway } from './turn-away.ts';
import { UdpSession } from './udp-session.ts';
import { bindUdp, connectUdp, type UdpSocket } from './udp-socket.ts';

export type UdpMode = Extract<ListenerMode, { kind: 'udp' }>;

/** Datagrams of one client that wait for the origin's address; more are lost, as UDP may. */
const WAITING = 64;
/** A refusal is recorded once for an address within this, ms. */
const REFUSED_FOR_MS = 10_000;
const REFUSED_KEPT = 1_024;

interface Relay {
  readonly session: UdpSession;
  waiting: Buffer[];
  way: ReturnType<typeof connectUdp> | null;
}

/** A `udp:` listener: relays the datagrams of each client address to one origin, from a socket of its own. */
export class UdpRelay {
  readonly #keeping: Doorkeeping;
  readonly #mode: UdpMode;
  readonly #relays = new Map<string, Relay>();
  /** Clients that got no session, until when that is not said again; coarse milliseconds. */
  readonly #refused = new Map<string, number>();
  #socket: UdpSocket | null = null;

  private constructor(keeping: Doorkeeping, mode: UdpMode) {
    this.#keeping = keeping;
    this.#mode = mode;
  }

  /** @throws the system's error when the address cannot be bound */
  static async open(
    keeping: Doorkeeping,
    mode: UdpMode,
    host: string,
    port: number,
    reusePort: boolean,
  ): Promise<UdpRelay> {
    const relay = new UdpRelay(keeping, mode);
    relay.#socket = await bindUdp(host, port, reusePort, {
      onDatagram: (bytes, from) => {
        relay.#receive(bytes, from);
      },
      onError: () => undefined,
    });
    return relay;
  }

  get address(): { readonly address: string; readonly port: number } {
    return { address: this.#socket?.address ?? '', port: this.#socket?.port ?? 0 };
  }

  /** Takes nothing any more and ends its sessions. */
  close(): void {
    for (const { session } of [...this.#relays.values()]) session.end();
    this.#socket?.close();
    this.#socket = null;
  }

  #receive(bytes: Buffer, from: RemoteInfo): void {
    const client = formatAddress(from.address, from.port);
    const relay = this.#relays.get(client) ?? this.#begin(client, from);
    if (relay === null) return;
    if (relay.way !== null) {
      relay.session.sentToOrigin(bytes);
      relay.way.send(bytes);
    } else if (relay.waiting.length < WAITING) {
      relay.session.sentToOrigin(bytes);
      relay.waiting.push(bytes);
    }
  }

  #begin(client: string, from: RemoteInfo): Relay | null {
    const { context, guestList } = this.#keeping;
    const visitor = guestList.visitorAt(from.address, client);
    const limit = context.settings.limits.udpSessions;
    const refusal =
      guestList.refusal(visitor) ??
      (this.#relays.size < limit
        ? null
        : failure('udp.session-limit', `There are ${String(limit)} sessions already (setting limits.udpSessions).`));
    const { host, port } = this.#mode;
    if (refusal !== null) {
      if (this.#isNews(client)) {
        recordTurnedAway(this.#keeping, visitor, 'udp', { host, port, startedAt: context.clock.micros() }, refusal);
      }
      return null;
    }
    const session = new UdpSession(this.#keeping, visitor, this.#mode, () => {
      this.#relays.delete(client);
      cancel();
      relay.way?.close();
    });
    const relay: Relay = { session, waiting: [], way: null };
    this.#relays.set(client, relay);
    let cancel = (): void => undefined;
    cancel = this.#keeping.outbound.resolve(host, port, false, {
      onResolved: (address, at) => {
        if (session.isOver) return;
        session.reached(formatAddress(address, at));
        relay.way = this.#connect(session, address, at, from);
        for (const bytes of relay.waiting) relay.way.send(bytes);
        relay.waiting = [];
      },
      onFailed: ({ code, message }) => {
        session.fail(code, message);
      },
    });
    return session.isOver ? null : relay;
  }

  #connect(session: UdpSession, address: string, port: number, client: RemoteInfo): ReturnType<typeof connectUdp> {
    return connectUdp(address, port, {
      onDatagram: (bytes) => {
        session.sentToClient(bytes);
        this.#socket?.send(bytes, client.port, client.address);
      },
      onError: ({ code = 'unknown' }) => {
        const at = formatAddress(address, port);
        if (code === 'ECONNREFUSED')
          session.fail('connect.refused', `${at} refused a datagram: nothing listens there.`);
        else session.fail('connect.failed', `Sending to ${at} failed (${code}).`);
      },
    });
  }

  #isNews(client: string): boolean {
    const now = this.#keeping.context.clock.coarse;
    const host = client.slice(0, client.lastIndexOf(':'));
    if ((this.#refused.get(host) ?? 0) > now) return false;
    if (this.#refused.size >= REFUSED_KEPT) this.#refused.clear();
    this.#refused.set(host, now + REFUSED_FOR_MS);
    return true;
  }
}
