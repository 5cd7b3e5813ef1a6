import {
  GET_SMALL,
  REVERSE,
  REVERSE_H2,
  REVERSE_TLS,
  RIVALS,
  RIVALS_UNBUFFERED,
  type ProfileFacts,
} from './profile.ts';

/** Small exchanges in front of one origin, without and with TLS. */
export const REVERSE_PROXIES: readonly ProfileFacts[] = [
  {
    id: 'http1-small',
    family: 'reverse',
    title: 'HTTP/1.1',
    workload: 'GET, keep-alive, 42 bytes of JSON; HTTP/1.1 on both legs',
    products: RIVALS,
    role: REVERSE,
    load: GET_SMALL,
    sets: ['quick', 'full'],
  },
  {
    id: 'https-http1',
    family: 'tls',
    title: 'HTTPS, HTTP/1.1',
    workload: 'GET, keep-alive, 42 bytes of JSON; HTTP/1.1 over TLS in front, plain behind',
    products: RIVALS,
    role: REVERSE_TLS,
    load: { ...GET_SMALL, tls: true },
    sets: ['full'],
  },
  {
    id: 'https-http2',
    family: 'tls',
    title: 'HTTPS, HTTP/2',
    workload: 'GET, 42 bytes of JSON; HTTP/2 over TLS in front, plain HTTP/1.1 behind',
    products: [...RIVALS, 'translator'],
    role: REVERSE_H2,
    load: { ...GET_SMALL, protocol: 'http2', tls: true },
    sets: ['full'],
  },
  {
    id: 'new-connection',
    family: 'tls',
    title: 'New connections',
    workload: 'GET, 42 bytes of JSON, a new TLS connection for each; plain HTTP/1.1 behind',
    unit: 'connections',
    products: RIVALS_UNBUFFERED,
    role: REVERSE_TLS,
    load: { ...GET_SMALL, tls: true, fresh: true },
    sets: ['full'],
  },
];
