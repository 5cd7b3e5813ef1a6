import type { Socket } from 'node:net';
import type { ExchangeError } from '../model/error-code.ts';
import { failure } from '../pipeline/failures.ts';
import { canonicalAddress, remoteAddress } from './addresses.ts';
import { compileHostPatterns, type HostMatcher } from './host-patterns.ts';
import type { Visitor } from './visitor.ts';

/** Addresses that were told about; more of them are turned away in silence. */
const REMEMBERED = 256;

/** Who may use the listeners: this machine, and other machines that somebody approved. */
export class GuestList {
  readonly #isLocal: (address: string) => boolean;
  readonly #onUnknown: (address: string) => void;
  readonly #told = new Set<string>();
  #isApproved: HostMatcher;

  /** @param onUnknown called once for each address that is turned away, until it is approved */
  constructor(
    approved: readonly string[],
    isLocal: (address: string) => boolean,
    onUnknown: (address: string) => void,
  ) {
    this.#isLocal = isLocal;
    this.#onUnknown = onUnknown;
    this.#isApproved = compileHostPatterns(approved);
  }

  /** Settings changed. */
  approve(approved: readonly string[]): void {
    this.#isApproved = compileHostPatterns(approved);
    this.#told.clear();
  }

  /** Who a connection comes from. */
  visitor(socket: Socket): Visitor {
    return { address: remoteAddress(socket), isRemote: !this.#isLocal(socket.remoteAddress ?? '') };
  }

  /** The same of a datagram. */
  visitorAt(address: string, formatted: string): Visitor {
    return { address: formatted, isRemote: !this.#isLocal(address) };
  }

  /** Why a visitor is turned away; null for a welcome one. */
  refusal({ address, isRemote }: Visitor): ExchangeError | null {
    if (!isRemote) return null;
    const host = canonicalAddress(address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, ''));
    if (this.#isApproved(host, 0)) return null;
    if (!this.#told.has(host) && this.#told.size < REMEMBERED) {
      this.#told.add(host);
      this.#onUnknown(host);
    }
    return failure(
      'client.not-approved',
      `The device at ${host} is not allowed to use Weir yet. Allow it in the notice of Weir’s window, or in its settings (approvedClients), and try again.`,
    );
  }
}
