import { EXPLICIT, GET_SMALL, INTERCEPTORS, type ProfileFacts } from './profile.ts';

const TLS = { ...GET_SMALL, tls: true };

/** Through a proxy that the client knows, and that looks into what it carries. */
export const INTERCEPTION: readonly ProfileFacts[] = [
  {
    id: 'intercept-http1',
    family: 'interception',
    title: 'Intercepted HTTPS',
    workload: 'CONNECT, then GET of 42 bytes of JSON; HTTP/1.1 over TLS on both legs, opened in between',
    products: INTERCEPTORS,
    role: EXPLICIT,
    load: TLS,
    sets: ['quick', 'full'],
  },
  {
    id: 'intercept-http2',
    family: 'interception',
    title: 'Intercepted HTTPS, HTTP/2',
    workload: 'CONNECT, then GET of 42 bytes of JSON; HTTP/2 over TLS on both legs, opened in between',
    products: INTERCEPTORS,
    role: { ...EXPLICIT, origin: 'h2' },
    load: { ...TLS, protocol: 'http2' },
  },
  {
    id: 'intercept-new-connection',
    family: 'interception',
    title: 'Intercepted, new connections',
    workload:
      'CONNECT, TLS and one GET of 42 bytes of JSON for each; always the same host, HTTP/1.1 over TLS on both legs',
    unit: 'connections',
    products: INTERCEPTORS,
    role: EXPLICIT,
    load: { ...TLS, fresh: true },
  },
  {
    id: 'intercept-cold-leaf',
    family: 'interception',
    title: 'Intercepted, hosts never seen',
    workload: 'the same, and each connection names another host in TLS, so that a leaf must be made for it',
    unit: 'connections',
    products: INTERCEPTORS,
    role: { ...EXPLICIT, newNames: true },
    load: { ...TLS, fresh: true, newNames: true },
  },
  {
    id: 'proxy-http1',
    family: 'interception',
    title: 'Plain HTTP by a proxy',
    workload: 'GET of 42 bytes of JSON by its absolute URL, keep-alive; HTTP/1.1 on both legs',
    products: INTERCEPTORS,
    role: { ...EXPLICIT, origin: 'plain', way: 'request' },
    load: GET_SMALL,
  },
  {
    id: 'socks5-http1',
    family: 'interception',
    title: 'Plain HTTP by SOCKS 5',
    workload: 'SOCKS 5 by name, then GET of 42 bytes of JSON, keep-alive; HTTP/1.1 on both legs',
    products: INTERCEPTORS,
    role: { ...EXPLICIT, origin: 'plain', way: 'socks5' },
    load: GET_SMALL,
  },
];
