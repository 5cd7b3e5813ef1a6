import type { Socket } from 'node:net';
import { DEAF } from '../pipeline/link.ts';
import { remoteAddress } from './addresses.ts';
import { clientEntry } from './client-entry.ts';
import type { Doorkeeping } from './doorkeeping.ts';
import { openRelay } from './raw-relay.ts';
import { SocketLink } from './socket-link.ts';

/** Relays a client of a `tcp:` listener to its one origin; both directions are recorded. */
export function relayTcp(keeping: Doorkeeping, host: string, port: number, socket: Socket): void {
  const { context } = keeping;
  const entry = clientEntry(context, remoteAddress(socket), null, null, null);
  const link = new SocketLink(socket, DEAF);
  const startedAt = context.clock.micros();
  openRelay(
    keeping,
    link,
    entry,
    { kind: 'tcp', scheme: 'tcp', host, port, rowHost: host, startedAt },
    Buffer.alloc(0),
  );
}
