import { BlockList, isIP } from 'node:net';
import type { DialFailure } from './dialer.ts';
import { canonicalAddress, formatAddress, isLoopback, isOfThisMachine } from './addresses.ts';

/** Who stands at a door. */
export interface Visitor {
  /** `address:port`. */
  readonly address: string;
  /** Another machine's: it has to be approved, and what belongs to this machine alone is closed to it (rule 44). */
  readonly isRemote: boolean;
}

/** True for connections of this machine, whichever of its addresses they come from. */
export function isLocalAddress(address: string): boolean {
  return isLoopback(address) || isOfThisMachine(canonicalAddress(address));
}

/**
 * What only this machine is meant to reach: itself, its link, and the services by which clouds tell a machine its secrets
 * (some of which have addresses outside the link-local range).
 */
const CLOSED = new BlockList();
CLOSED.addSubnet('0.0.0.0', 8, 'ipv4');
CLOSED.addSubnet('127.0.0.0', 8, 'ipv4');
CLOSED.addSubnet('169.254.0.0', 16, 'ipv4');
CLOSED.addAddress('100.100.100.200', 'ipv4');
CLOSED.addAddress('168.63.129.16', 'ipv4');
CLOSED.addAddress('192.0.0.192', 'ipv4');
CLOSED.addAddress('::1', 'ipv6');
CLOSED.addAddress('::', 'ipv6');
CLOSED.addSubnet('fe80::', 10, 'ipv6');
CLOSED.addAddress('fd00:ec2::254', 'ipv6');

/** Whether an address is closed to other machines. */
function isClosed(address: string): boolean {
  const plain = canonicalAddress(address);
  const family = isIP(plain);
  return family !== 0 && CLOSED.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** Why another machine's client may not be connected to an address; null when it may. */
export function closedToOthers(address: string, port: number): DialFailure | null {
  if (!isClosed(address)) return null;
  return {
    code: 'client.forbidden-address',
    message: `${formatAddress(address, port)} is for this machine alone: clients of other machines cannot reach loopback, link-local and metadata addresses through Weir.`,
  };
}

/** The same for a host that somebody else will resolve. */
export function nameClosedToOthers(host: string, port: number): DialFailure | null {
  return /^(.+\.)?localhost\.?$/i.test(host) ? closedToOthers('127.0.0.1', port) : closedToOthers(host, port);
}
