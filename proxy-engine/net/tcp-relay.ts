import type { Socket } from 'node:net';
import type { ListenerMode } from '../model/listener-mode.ts';
import { DEAF } from '../pipeline/link.ts';
import { relayEntry } from './client-entry.ts';
import type { Doorkeeping } from './doorkeeping.ts';
import { openRelay } from './raw-relay.ts';
import { SocketLink } from './socket-link.ts';
import { turnAway } from './turn-away.ts';
import type { Visitor } from './visitor.ts';

/** Where a listener of its own leads is its owner's choice. */
const ANYBODY = { restricted: false, toProxy: false, via: '' };

type TcpMode = Extract<ListenerMode, { kind: 'tcp' }>;

/** Relays a client of a `tcp:` listener to its one origin; both directions are recorded. */
export function relayTcp(keeping: Doorkeeping, { host, port }: TcpMode, visitor: Visitor, socket: Socket): void {
  const { context } = keeping;
  const refusal = keeping.guestList.refusal(visitor);
  const entry = relayEntry(context, visitor, 'tcp');
  const link = new SocketLink(socket, DEAF);
  if (refusal !== null) {
    turnAway(keeping, link, visitor, refusal, 'tcp');
    return;
  }
  const startedAt = context.clock.micros();
  openRelay(
    keeping,
    link,
    entry,
    { kind: 'tcp', scheme: 'tcp', host, port, rowHost: host, startedAt, options: ANYBODY, anomaly: null },
    Buffer.alloc(0),
  );
}
