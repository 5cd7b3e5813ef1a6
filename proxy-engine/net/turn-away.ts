import type { ExchangeError } from '../model/error-code.ts';
import { ExchangeRecord } from '../pipeline/exchange-record.ts';
import { relayEntry } from './client-entry.ts';
import type { Doorkeeping } from './doorkeeping.ts';
import type { SocketLink } from './socket-link.ts';
import type { Visitor } from './visitor.ts';

/** Where a client wanted to go that is not let through. */
export interface WantedPlace {
  readonly host: string;
  readonly port: number;
  /** Microseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** Records a client that gets no tunnel. */
export function recordTurnedAway(
  { context }: Doorkeeping,
  visitor: Visitor,
  scheme: 'tcp' | 'tls' | 'udp',
  place: WantedPlace,
  error: ExchangeError,
): void {
  const record = new ExchangeRecord(context, place.startedAt);
  record.begin(relayEntry(context, visitor, scheme), {
    kind: scheme === 'udp' ? 'udp' : 'tunnel',
    clientProtocol: scheme,
    scheme,
    host: place.host,
    port: place.port,
    method: '',
    path: '',
    head: Buffer.alloc(0),
    sentHead: null,
  });
  record.end(error, false);
}

/** Ends a connection whose client is not welcome and cannot be told why in words of its own. */
export function turnAway(
  keeping: Doorkeeping,
  link: SocketLink,
  visitor: Visitor,
  error: ExchangeError,
  scheme: 'tcp' | 'tls',
): void {
  recordTurnedAway(keeping, visitor, scheme, { host: '', port: 0, startedAt: keeping.context.clock.micros() }, error);
  link.reset();
}
