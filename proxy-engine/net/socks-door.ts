import type { Socket } from 'node:net';
import type { ErrorCode, ExchangeError } from '../model/error-code.ts';
import { failure } from '../pipeline/failures.ts';
import { deadlineAfter, type Mortal } from '../pipeline/lifetimes.ts';
import { DEAF, type LinkHandler } from '../pipeline/link.ts';
import { MAGIC_HOST } from '../pipeline/plan-request.ts';
import { areCredentials } from '../pipeline/proxy-credentials.ts';
import {
  SocksServerHandshake,
  socksReply,
  type SocksOutcome,
  type SocksRefusal,
  type SocksRequest,
  type SocksServerSink,
} from '../protocol/socks/index.ts';
import { canonicalAddress } from './addresses.ts';
import { ConnectDoor } from './connect-door.ts';
import type { DialFailure } from './dialer.ts';
import type { Doorkeeping } from './doorkeeping.ts';
import type { SocketLink } from './socket-link.ts';
import { recordTurnedAway } from './turn-away.ts';
import { UdpAssociation } from './udp-association.ts';
import type { Visitor } from './visitor.ts';

/** Bytes that a client may send before it has its answer. */
const EARLY_BYTES = 262_144;

/**
 * A client of SOCKS (rule 43): reads what it asks for, connects, says how that went in the client's own words, and gives a
 * tunnel that stands to whom CONNECT gives its own.
 */
export class SocksDoor implements LinkHandler, Mortal, SocksServerSink {
  deadline: number;
  readonly #keeping: Doorkeeping;
  readonly #link: SocketLink;
  readonly #visitor: Visitor;
  readonly #refusal: ExchangeError | null;
  readonly #handshake: SocksServerHandshake;
  readonly #startedAt: number;
  #request: SocksRequest | null = null;
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #cancel: () => void = () => undefined;
  #left = false;

  private constructor(keeping: Doorkeeping, link: SocketLink, visitor: Visitor, refusal: ExchangeError | null) {
    this.#keeping = keeping;
    this.#link = link;
    this.#visitor = visitor;
    this.#refusal = refusal;
    const { clock, settings, lifetimes } = keeping.context;
    const wanted = settings.proxyAuthentication;
    this.#handshake = new SocksServerHandshake(
      wanted === null ? null : (user, password) => areCredentials(user, password, wanted),
    );
    this.#startedAt = clock.micros();
    this.deadline = deadlineAfter(clock.coarse, settings.timeouts.requestHead);
    lifetimes.add(this);
    link.handler = this;
  }

  /** @param refusal why the visitor is turned away; null for a welcome one */
  static open(
    keeping: Doorkeeping,
    link: SocketLink,
    visitor: Visitor,
    refusal: ExchangeError | null,
    first: Buffer,
  ): void {
    new SocksDoor(keeping, link, visitor, refusal).onBytes(first);
  }

  // ---- the link ----------------------------------------------------------------------------------------------------

  onBytes(bytes: Buffer): void {
    if (this.#request === null) {
      this.#handshake.receive(bytes, this);
      return;
    }
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > EARLY_BYTES) this.#link.pause();
  }

  onDrain(): void {
    // Only short answers are written.
  }

  onEof(): void {
    if (this.#request === null) this.#close();
    else this.#giveUp(failure('client.cancelled', 'The client closed its connection before the origin was reached.'));
  }

  onClosed(): void {
    this.onEof();
  }

  onDeadline(): void {
    const { timeouts } = this.#keeping.context.settings;
    this.#giveUp(
      failure(
        'timeout.request-head',
        `The SOCKS request was not complete within ${String(timeouts.requestHead)} ms (setting timeouts.requestHead).`,
      ),
    );
  }

  drain(): void {
    if (this.#request === null) this.#close();
  }

  stop(): void {
    this.#giveUp(failure('weir.stopped', 'Weir was stopped before the origin was reached.'));
  }

  // ---- the handshake -----------------------------------------------------------------------------------------------

  send(bytes: Buffer): void {
    this.#link.write(bytes);
  }

  onRefused({ code, message, address }: SocksRefusal): void {
    this.#record(failure(code, message), address ?? { host: '', port: 0 });
    this.#close();
  }

  onRequest(request: SocksRequest): void {
    this.#request = request;
    this.deadline = Infinity;
    const rest = this.#handshake.rest;
    if (rest.length > 0) this.onBytes(rest);
    if (this.#refusal !== null) this.#refuse(this.#refusal, 'not-allowed');
    else if (this.#keeping.outbound.isCircling(request.host)) this.#turnBack(request);
    else if (request.command === 'udp-associate') this.#associate(request);
    else if (request.host === MAGIC_HOST) this.#open(request, null);
    else this.#dial(request);
  }

  /** It was a question of our own, and has its answer. */
  #turnBack({ version }: SocksRequest): void {
    this.#link.write(socksReply(version, 'not-allowed'));
    this.#close();
  }

  #dial(request: SocksRequest): void {
    const observer = {
      onResolved: () => undefined,
      onConnected: (socket: Socket) => {
        this.#open(request, socket);
      },
      onFailed: (reason: DialFailure) => {
        if (!this.#left) this.#refuse(failure(reason.code, reason.message), outcomeOf(reason));
      },
    };
    const options = { restricted: this.#visitor.isRemote, toProxy: false, via: '' };
    const cancel = this.#keeping.outbound.dial(request.host, request.port, observer, options);
    // The dial may have ended before it returned.
    if (!this.#left) this.#cancel = cancel;
  }

  #open(request: SocksRequest, origin: Socket | null): void {
    const early = Buffer.concat(this.#early);
    this.#leave();
    const { host, port, version } = request;
    const bound = { host: canonicalAddress(origin?.localAddress ?? '0.0.0.0'), port: origin?.localPort ?? 0 };
    const answer = socksReply(version, 'granted', origin === null ? undefined : bound);
    const wish = { host, port, startedAt: this.#startedAt, via: '' };
    new ConnectDoor(this.#keeping, this.#link, this.#visitor, wish, { answer, early, origin });
  }

  #associate(request: SocksRequest): void {
    this.#leave();
    UdpAssociation.open(this.#keeping, this.#link, this.#visitor, request);
  }

  // ---- ends --------------------------------------------------------------------------------------------------------

  #refuse(error: ExchangeError, outcome: SocksOutcome): void {
    const request = this.#request;
    if (request === null) return;
    this.#record(error, request);
    this.#link.write(socksReply(request.version, outcome));
    this.#close();
  }

  #giveUp(error: ExchangeError): void {
    if (this.#left) return;
    this.#record(error, this.#request ?? { host: '', port: 0 });
    this.#cancel();
    this.#close();
  }

  #record(error: ExchangeError, { host, port }: { readonly host: string; readonly port: number }): void {
    recordTurnedAway(this.#keeping, this.#visitor, 'tcp', { host, port, startedAt: this.#startedAt }, error);
  }

  #leave(): void {
    this.#left = true;
    this.#keeping.context.lifetimes.remove(this);
    this.#link.handler = DEAF;
  }

  #close(): void {
    this.#leave();
    this.#link.close();
  }
}

/** How SOCKS says why a connection failed (RFC 1928 §6). */
function outcomeOf({ code, system }: DialFailure): SocksOutcome {
  if (code === 'connect.unreachable') {
    return system === 'ENETUNREACH' || system === 'ENETDOWN' ? 'network-unreachable' : 'host-unreachable';
  }
  return OUTCOMES[code] ?? 'failure';
}

const OUTCOMES: Readonly<Partial<Record<ErrorCode, SocksOutcome>>> = {
  'dns.not-found': 'host-unreachable',
  'dns.failed': 'host-unreachable',
  'dns.timeout': 'host-unreachable',
  'connect.refused': 'refused',
  'connect.timeout': 'expired',
  'loop.self': 'not-allowed',
  'loop.marker': 'not-allowed',
  'client.forbidden-address': 'not-allowed',
  'upstream-proxy.timeout': 'expired',
};
