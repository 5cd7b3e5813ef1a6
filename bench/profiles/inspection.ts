import { EXPLICIT, GET_SMALL, REVERSE, type ProfileFacts } from './profile.ts';

const EXTENTS = ['weir', 'weir-capture', 'weir-watched'];

/** What looking costs: the same load with capture off, with capture, and with capture while the inspector is open. */
export const INSPECTION: readonly ProfileFacts[] = [
  {
    id: 'inspect-http1',
    family: 'inspection',
    title: 'Looking at HTTP/1.1',
    workload: 'GET, keep-alive, 42 bytes of JSON; HTTP/1.1 on both legs',
    products: EXTENTS,
    role: REVERSE,
    load: GET_SMALL,
  },
  {
    id: 'inspect-https',
    family: 'inspection',
    title: 'Looking into HTTPS',
    workload: 'CONNECT, then GET of 42 bytes of JSON; HTTP/1.1 over TLS on both legs, opened in between',
    products: EXTENTS,
    role: EXPLICIT,
    load: { ...GET_SMALL, tls: true },
  },
];

/** Many at once. */
export const SCALE: readonly ProfileFacts[] = [
  {
    id: 'idle-10000',
    family: 'scale',
    title: 'Beside 10,000 idle connections',
    workload:
      'GET, keep-alive, 42 bytes of JSON, while 10,000 further connections are open that made one request each; HTTP/1.1 on both legs',
    // A relay would need as many connections behind it.
    products: ['weir', 'weir-capture', 'nginx', 'haproxy'],
    role: REVERSE,
    load: { ...GET_SMALL, idle: 10_000 },
  },
];
