import type { SecureContext } from 'node:tls';
import type { CertificateFacts } from '../model/tls-facts.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import type { OriginProtocol, OriginRoute } from '../pipeline/origins.ts';
import { acceptsEcdsa, type ClientHello } from '../protocol/tls-hello/index.ts';
import type { GuestList } from './guest-list.ts';
import type { KeyLog } from './key-log.ts';
import type { Outbound } from './outbound.ts';
import type { Refusals } from './refusals.ts';

/** A certificate of ours with its key, ready to serve a TLS handshake. */
export interface ServedLeaf {
  readonly context: SecureContext;
  readonly chain: readonly CertificateFacts[];
}

/** Where leaves come from. Handed in, since forging is the business of the certificate folder. */
export interface LeafSource {
  /** @param key other than the configured kind, for clients that cannot verify it */
  leafFor(name: string, key?: 'ecdsa' | 'rsa'): ServedLeaf;
  /** Signs with another authority from now on, PEM. Throws when it cannot. */
  useAuthority(authority: { readonly certificate: string; readonly key: string }): void;
  /** The user's own certificate for reverse listeners and TLS to the proxy; null when none is configured. */
  readonly own: ServedLeaf | null;
}

/** What every door of an engine needs to let clients in. */
export interface Doorkeeping {
  readonly context: PipelineContext;
  readonly leaves: LeafSource;
  readonly keyLog: KeyLog | null;
  readonly outbound: Outbound;
  readonly guestList: GuestList;
  readonly refusals: Refusals;
  /** Learns what an origin speaks, by asking it if need be; null when it cannot be reached. Returns a way to give up. */
  readonly learnProtocol: (route: OriginRoute, onKnown: (protocol: OriginProtocol | null) => void) => () => void;
}

/** The leaf for a client: of a kind that it can verify. */
export function leafForClient(leaves: LeafSource, name: string, hello: ClientHello): ServedLeaf {
  return acceptsEcdsa(hello) ? leaves.leafFor(name) : leaves.leafFor(name, 'rsa');
}
