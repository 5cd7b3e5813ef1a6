import { GET_SMALL, REVERSE_H2, REVERSE_TLS, RIVALS, type ProfileFacts } from './profile.ts';

const HTTP1 = { ...GET_SMALL, tls: true };
const HTTP2 = { ...HTTP1, protocol: 'http2' } as const;

/** Large bodies. The full set has one of each kind; the others are asked for by name, or with the family. */
export const HEAVY: readonly ProfileFacts[] = [
  {
    id: 'https-64k',
    family: 'heavy',
    title: '64 KiB down',
    workload: 'GET of 64 KiB; HTTP/1.1 over TLS in front, plain behind',
    products: RIVALS,
    role: REVERSE_TLS,
    load: { ...HTTP1, path: '/64k' },
    sets: ['full'],
  },
  {
    id: 'https-256k',
    family: 'heavy',
    title: '256 KiB down',
    workload: 'GET of 256 KiB; HTTP/1.1 over TLS in front, plain behind',
    products: RIVALS,
    role: REVERSE_TLS,
    load: { ...HTTP1, path: '/256k' },
  },
  {
    id: 'http2-64k',
    family: 'heavy',
    title: '64 KiB down, HTTP/2',
    workload: 'GET of 64 KiB; HTTP/2 over TLS in front, plain HTTP/1.1 behind',
    products: RIVALS,
    role: REVERSE_H2,
    load: { ...HTTP2, path: '/64k' },
  },
  {
    id: 'http2-256k',
    family: 'heavy',
    title: '256 KiB down, HTTP/2',
    workload: 'GET of 256 KiB; HTTP/2 over TLS in front, plain HTTP/1.1 behind',
    products: RIVALS,
    role: REVERSE_H2,
    load: { ...HTTP2, path: '/256k' },
  },
  {
    id: 'post-64k',
    family: 'heavy',
    title: '64 KiB up and down',
    workload: 'POST of 64 KiB, answered by 64 KiB; HTTP/1.1 over TLS in front, plain behind',
    products: RIVALS,
    role: REVERSE_TLS,
    load: { ...HTTP1, path: '/64k', sends: 65_536 },
    sets: ['full'],
  },
  {
    id: 'http2-post-64k',
    family: 'heavy',
    title: '64 KiB up and down, HTTP/2',
    workload: 'POST of 64 KiB, answered by 64 KiB; HTTP/2 over TLS in front, plain HTTP/1.1 behind',
    products: RIVALS,
    role: REVERSE_H2,
    load: { ...HTTP2, path: '/64k', sends: 65_536 },
  },
];
