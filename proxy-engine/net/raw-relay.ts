import type { BeginRecord, ConnectionRecord } from '../capture/tap.ts';
import type { AnomalyCode } from '../model/anomaly-code.ts';
import type { ClientEntry } from '../pipeline/client-entry.ts';
import { ExchangeRecord } from '../pipeline/exchange-record.ts';
import { failure } from '../pipeline/failures.ts';
import type { LinkHandler } from '../pipeline/link.ts';
import type { Mortal } from '../pipeline/lifetimes.ts';
import { DEAF } from '../pipeline/link.ts';
import { Tunnel } from '../pipeline/tunnel.ts';
import type { DialObserver, DialOptions } from './dialer.ts';
import type { Doorkeeping } from './doorkeeping.ts';
import { SocketLink } from './socket-link.ts';

/** A relay that is to be opened. */
export interface RelayPlan {
  readonly kind: Extract<BeginRecord['kind'], 'tunnel' | 'tcp'>;
  readonly scheme: Extract<BeginRecord['scheme'], 'tcp' | 'tls'>;
  /** Where to connect. */
  readonly host: string;
  readonly port: number;
  /** Host of the row: the name that the client asked TLS for, where there is one. */
  readonly rowHost: string;
  /** Microseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly options: DialOptions;
  /** What the row says of it; null for nothing. */
  readonly anomaly: AnomalyCode | null;
}

const NO_BYTES = Buffer.alloc(0);

/** Opens the row of a relay. */
export function beginRelay(keeping: Doorkeeping, entry: ClientEntry, plan: RelayPlan): ExchangeRecord {
  const record = new ExchangeRecord(keeping.context, plan.startedAt);
  record.begin(entry, {
    kind: plan.kind,
    clientProtocol: plan.scheme,
    scheme: plan.scheme,
    host: plan.rowHost,
    port: plan.port,
    method: '',
    path: '',
    head: NO_BYTES,
    sentHead: null,
  });
  if (plan.anomaly !== null) record.anomaly(plan.anomaly);
  return record;
}

/**
 * Relays a client to an origin without reading a byte of it: connects, then lets both talk. While the origin is dialled the
 * client is not read, so that what it sends waits in the system's buffers; only its going away would be missed, and the
 * connect timeout bounds that.
 *
 * @param early bytes that the client has sent already
 */
export function openRelay(
  keeping: Doorkeeping,
  client: SocketLink,
  entry: ClientEntry,
  plan: RelayPlan,
  early: Buffer,
): void {
  const record = beginRelay(keeping, entry, plan);
  client.pause();
  const waiting = new WaitingClient(keeping, client, record);
  const observer: DialObserver = {
    onResolved: () => {
      record.markResolved();
    },
    onConnected: (socket) => {
      record.markConnected();
      waiting.leave();
      joinRelay(keeping, client, new SocketLink(socket, DEAF), record, plan, {
        fromClient: early,
        fromOrigin: NO_BYTES,
      });
    },
    onFailed: ({ code, message }) => {
      waiting.leave();
      record.end(failure(code, message), false);
      // A tunnel that cannot be opened is cut: to end it cleanly would look like an answer.
      client.reset();
    },
  };
  waiting.cancel = keeping.outbound.dial(plan.host, plan.port, observer, plan.options);
}

/** Connects the two ends of a relay whose row is open; `early` is what each has sent already. */
export function joinRelay(
  keeping: Doorkeeping,
  client: SocketLink,
  origin: SocketLink,
  record: ExchangeRecord,
  plan: RelayPlan,
  early: { readonly fromClient: Buffer; readonly fromOrigin: Buffer },
): void {
  const { context } = keeping;
  const id = context.takeConnectionId();
  const connection: ConnectionRecord = {
    id,
    side: 'origin',
    address: origin.peerAddress,
    protocol: plan.scheme,
    tls: null,
  };
  record.origin({ record: connection, isRecorded: false }, false);
  context.counters.originConnections += 1;
  origin.onceGone(() => {
    context.counters.originConnections -= 1;
  });
  const tunnel = new Tunnel(context, record, client, origin, { recordsBytes: plan.kind === 'tcp' });
  tunnel.start(early.fromClient, early.fromOrigin);
}

/** Holds a client's place while its origin is dialled. */
class WaitingClient implements LinkHandler, Mortal {
  readonly deadline = Infinity;
  cancel: () => void = () => undefined;
  readonly #keeping: Doorkeeping;
  readonly #link: SocketLink;
  readonly #record: ExchangeRecord;

  constructor(keeping: Doorkeeping, link: SocketLink, record: ExchangeRecord) {
    this.#keeping = keeping;
    this.#link = link;
    this.#record = record;
    link.handler = this;
    keeping.context.lifetimes.add(this);
  }

  leave(): void {
    this.#keeping.context.lifetimes.remove(this);
    this.#link.handler = DEAF;
  }

  onBytes(): void {
    // The link is paused; what was under way is delivered later.
  }

  onDrain(): void {
    // Nothing waits.
  }

  onEof(): void {
    // The tunnel sees it by the link's `ended`.
  }

  onClosed(): void {
    this.#giveUp(failure('client.cancelled', 'The client closed its connection before the origin was reached.'));
  }

  onDeadline(): void {
    // Dialling has its own limits.
  }

  drain(): void {
    // It may still become a tunnel.
  }

  stop(): void {
    this.#giveUp(failure('weir.stopped', 'Weir was stopped before the origin was reached.'));
    this.#link.reset();
  }

  #giveUp(error: ReturnType<typeof failure>): void {
    this.leave();
    this.cancel();
    this.#record.end(error, false);
  }
}
