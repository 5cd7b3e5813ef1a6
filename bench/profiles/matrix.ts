import type { OriginKind } from '../products/product.ts';
import { GET_SMALL, REVERSE, RIVALS, type ProfileFacts } from './profile.ts';

/** What a leg of the matrix speaks. */
const LEGS: readonly { readonly id: string; readonly name: string; readonly origin: OriginKind }[] = [
  { id: 'h1', name: 'HTTP/1.1', origin: 'plain' },
  { id: 'h1tls', name: 'HTTP/1.1 over TLS', origin: 'tls' },
  { id: 'h2c', name: 'HTTP/2 without TLS', origin: 'h2c' },
  { id: 'h2tls', name: 'HTTP/2 over TLS', origin: 'h2' },
];

/** Every protocol of a client in front of every protocol of an origin, the same small exchange in each. */
export const MATRIX: readonly ProfileFacts[] = LEGS.flatMap((client) =>
  LEGS.map((origin): ProfileFacts => {
    const tls = client.origin === 'tls' || client.origin === 'h2';
    const http2 = client.origin === 'h2c' || client.origin === 'h2';
    return {
      id: `${client.id}-to-${origin.id}`,
      family: 'matrix',
      title: `${client.name} to ${origin.name}`,
      workload: `GET, 42 bytes of JSON; ${client.name} in front, ${origin.name} behind`,
      products: RIVALS,
      role: { ...REVERSE, origin: origin.origin, tls, http2 },
      load: { ...GET_SMALL, protocol: http2 ? 'http2' : 'http1', tls },
    };
  }),
);
